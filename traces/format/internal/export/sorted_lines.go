package export

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"

	"spoor/traces/heap"
)

// SortedLines sorts lines in limited memory. It sorts parts of the lines into temporary
// files, and merges the files.
type SortedLines struct {
	Limit int // bytes in memory
	keys  []LineKey
	text  []byte
	files []*os.File
}

// LineKey is the order of a line: by time, then kind, then insertion.
type LineKey struct {
	Time      int64
	Kind      int64
	at, bytes int // in text
}

// SortedBytes is a limit that is small compared with the other memory of an export.
const SortedBytes = 64 << 20

func CompareLines(a, b LineKey) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Kind, b.Kind))
}

// Add appends a line, which includes its line end.
func (s *SortedLines) Add(time, kind int64, line []byte) error {
	const key = 32
	if len(s.text)+key*len(s.keys) >= s.Limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.keys = append(s.keys, LineKey{time, kind, len(s.text), len(line)})
	s.text = append(s.text, line...)
	return nil
}

// spill sorts the lines in memory into a file. Each line has its time, kind and length
// before it.
func (s *SortedLines) spill() error {
	f, err := os.CreateTemp("", "spoor-sort-")
	if err != nil {
		return err
	}
	s.files = append(s.files, f)
	slices.SortStableFunc(s.keys, CompareLines)
	w := bufio.NewWriterSize(f, 1<<18)
	var head []byte
	for _, k := range s.keys {
		head = binary.AppendUvarint(binary.AppendVarint(binary.AppendVarint(head[:0], k.Time), k.Kind), uint64(k.bytes))
		w.Write(head)
		w.Write(s.text[k.at : k.at+k.bytes])
	}
	s.keys, s.text = s.keys[:0], s.text[:0]
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// Close removes the files.
func (s *SortedLines) Close() error {
	var all error
	for _, f := range s.files {
		all = errors.Join(all, f.Close(), os.Remove(f.Name()))
	}
	return all
}

// WriteTo writes all lines in order.
func (s *SortedLines) WriteTo(w *bufio.Writer) error {
	if len(s.files) == 0 {
		slices.SortStableFunc(s.keys, CompareLines)
		for _, k := range s.keys {
			if _, err := w.Write(s.text[k.at : k.at+k.bytes]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	var runs heap.Heap[int64, int64, uint32, *lineRun] // by time, kind and number
	for i, f := range s.files {
		r := &lineRun{r: bufio.NewReaderSize(f, 1<<16)}
		if ok, err := r.next(); err != nil {
			return err
		} else if ok {
			runs.Push(r.item(uint32(i)))
		}
	}
	for len(runs) > 0 {
		r := runs[0].Value
		if _, err := w.Write(r.line); err != nil {
			return err
		}
		ok, err := r.next()
		switch {
		case err != nil:
			return err
		case ok:
			runs.ReplaceFirst(r.item(runs[0].Turn))
		default:
			runs.Pop()
		}
	}
	return nil
}

// lineRun reads a file of sorted lines.
type lineRun struct {
	r    *bufio.Reader
	key  LineKey
	line []byte
}

// item returns a file in the order of its line, ties by number.
func (r *lineRun) item(number uint32) heap.Item[int64, int64, uint32, *lineRun] {
	return heap.Item[int64, int64, uint32, *lineRun]{Key: r.key.Time, Tie: r.key.Kind, Turn: number, Value: r}
}

// next reads a line; it returns false at the end.
func (r *lineRun) next() (bool, error) {
	var err error
	if r.key.Time, err = binary.ReadVarint(r.r); err != nil {
		if err == io.EOF {
			return false, nil
		}
		return false, err
	}
	if r.key.Kind, err = binary.ReadVarint(r.r); err != nil {
		return false, err
	}
	n, err := binary.ReadUvarint(r.r)
	if err != nil {
		return false, err
	}
	r.line = slices.Grow(r.line[:0], int(n))[:n]
	_, err = io.ReadFull(r.r, r.line)
	return true, err
}
