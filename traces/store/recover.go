package store

import (
	"errors"
	"fmt"
	"io"
	"os"

	"spoor/traces/trace"
)

// recoveredKey marks, in the footer's metadata, files that Recover made.
const recoveredKey = "spoor.recovered"

// Recovered says what Recover saved.
type Recovered struct {
	Rows, Batches uint64
	Lost          string // why the rest could not be read; empty if nothing was lost
}

// Recover copies every complete, undamaged batch at the start of a cut or
// unfinished trace file into a new file at out. The new header has a note of
// it, and counts the processors if the old one does not. A file without even a
// whole schema is an error, for nothing says what it holds.
func Recover(path, out string) (Recovered, error) {
	in, err := os.Open(path)
	if err != nil {
		return Recovered{}, plainPathError(path, err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return Recovered{}, fmt.Errorf("recovering %s: %w", path, err)
	}
	if same, err := os.Stat(out); err == nil && os.SameFile(info, same) {
		return Recovered{}, fmt.Errorf("recovering %s: it cannot be written over itself; choose another name", path)
	}
	s := salvage{path: path, r: in, size: info.Size(), check: eventsChecker{total: unknownTotal}, d: newDecoder(), last: map[trace.Proc]uint64{}}
	if err := s.begin(); err != nil {
		return Recovered{}, fmt.Errorf("recovering %s: %w", path, err)
	}
	err = writeAside(out, recoverSuffix, s.copy)
	return s.done, err
}

// recoverSuffix differs from partialSuffix: that may be the file to be read.
const recoverSuffix = ".recovered" + partialSuffix

// salvage is one run of Recover.
type salvage struct {
	path  string
	r     io.ReaderAt
	size  int64
	kind  string
	head  trace.Header
	first []byte // the schema message
	check eventsChecker
	last  map[trace.Proc]uint64
	procs int // one more than the greatest seen
	d     *decoder
	refs  refsBatch
	event eventsSlot
	done  Recovered
}

// begin reads the schema: the final one where the footer is whole.
func (s *salvage) begin() (err error) {
	if err := checkMagic(s.r, s.size); err != nil {
		return err
	}
	if s.first, err = readSchemaMessage(s.r, s.size); err != nil {
		return fmt.Errorf("nothing can be saved: %w", err)
	}
	m, err := parseMessage(s.first[prefixSize:], fbSchema)
	if err != nil {
		return err
	}
	sc := parseSchema(m.header)
	if m.f.bad {
		return errFlat
	}
	if f, err := newFile(s.path, s.r, s.size); err == nil {
		sc = f.schema
	}
	if v, _ := sc.lookup(versionKey); v != version {
		return newerVersion(v)
	}
	s.kind, s.head, err = parseTraceSchema(sc)
	return err
}

func unknownTotal(trace.Proc) uint64 { return 1<<64 - 1 }

// copy writes the new file.
func (s *salvage) copy(w io.Writer) error {
	out := container{w: w}
	if err := out.begin(traceSchema(s.kind, s.head)); err != nil {
		return err
	}
	limit := s.head
	if limit.Procs == 0 {
		limit.Procs = maxProcs
	}
	s.check.head = limit
	pos := int64(len(magic) + len(s.first))
	for {
		meta, info, err := s.next(pos, limit)
		if err == io.EOF {
			break
		}
		if err != nil {
			s.done.Lost = fmt.Sprintf("batch %d at byte %d: %v", s.done.Batches, pos, err)
			break
		}
		if err := out.batch(s.d.msg, meta, info); err != nil {
			return err
		}
		s.done.Batches++
		s.done.Rows += info.rows
		s.procs = max(s.procs, int(info.proc)+1)
		pos += int64(len(s.d.msg))
	}
	s.finishHeader(pos)
	_, err := out.end(traceSchema(s.kind, s.head), pair{recoveredKey, "true"})
	return err
}

// finishHeader counts processors and leaves a note.
func (s *salvage) finishHeader(pos int64) {
	if s.head.Procs == 0 {
		s.head.Procs = s.procs
	}
	if _, err := newFile(s.path, s.r, s.size); err != nil && s.done.Lost == "" {
		s.done.Lost = fmt.Sprintf("after %d whole batches: %v", s.done.Batches, err)
	}
	s.head.Notes = append(s.head.Notes[:len(s.head.Notes):len(s.head.Notes)],
		fmt.Sprintf("recovered %d rows in %d batches of a %s file that was not whole", s.done.Rows, s.done.Batches, s.kind))
}

// next reads and checks the batch at pos into s.d; io.EOF is the end of stream.
func (s *salvage) next(pos int64, limit trace.Header) (meta int, info batchInfo, err error) {
	if meta, err = s.read(pos); err != nil {
		return 0, info, err
	}
	if err := s.d.open(s.d.msg, meta); err != nil {
		return 0, info, err
	}
	if s.kind == kindRefs {
		s.refs.decode(s.d, s.head.HasPC)
		info = batchInfo{int32(s.refs.Proc), uint64(s.refs.Len()), s.refs.instructions()}
		return meta, info, checkRefs(s.d, limit, &s.refs, info)
	}
	s.event.decode(s.d, s.head.HasTime)
	p := s.event.proc
	s.check.proc, s.check.last = p, s.last[p]
	info = batchInfo{int32(p), uint64(s.event.Len()), s.event.instructions()}
	err = s.check.batch(s.d, &s.event, info)
	s.last[p] = s.check.last
	return meta, info, err
}

// read reads the whole message at pos into s.d.msg and checks its digest.
func (s *salvage) read(pos int64) (meta int, err error) {
	left := s.size - pos
	if left < prefixSize {
		return 0, errors.New("the file ends there")
	}
	prefix := sized(s.d.msg, prefixSize)
	if _, err := s.r.ReadAt(prefix, pos); err != nil {
		return 0, err
	}
	if string(prefix) == string(endOfStream) {
		return 0, io.EOF
	}
	if meta, err = metaSize(prefix); err != nil {
		return 0, err
	}
	if int64(meta) > left {
		return 0, errors.New("the file ends within it")
	}
	s.d.msg = sized(prefix, meta)
	if _, err := s.r.ReadAt(s.d.msg, pos); err != nil {
		return 0, err
	}
	m, err := parseMessage(s.d.msg[prefixSize:], fbRecordBatch)
	if err != nil {
		return 0, err
	}
	if m.body > left-int64(meta) {
		return 0, errors.New("the file ends within it")
	}
	s.d.msg = sized(s.d.msg, meta+int(m.body))
	if _, err := s.r.ReadAt(s.d.msg, pos); err != nil {
		return 0, err
	}
	if _, ok := sealed(s.d.msg, digestAt(meta)); !ok {
		return 0, errors.New("the checksum does not match")
	}
	return meta, nil
}
