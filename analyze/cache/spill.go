package cache

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// spill is a long column of words. What is longer than a chunk lies in a temporary file,
// which has no name any more, so that nothing is left behind.
type spill struct {
	file   *os.File
	chunks int64    // complete ones, all in the file
	tail   []uint64 // the rest
	bytes  []byte
}

const (
	chunkWords = 1 << 16
	chunkBytes = 8 * chunkWords
)

func (s *spill) add(w uint64) error {
	s.tail = append(s.tail, w)
	if len(s.tail) < chunkWords {
		return nil
	}
	err := s.put(s.chunks, s.tail)
	s.chunks, s.tail = s.chunks+1, s.tail[:0]
	return err
}

// put writes a complete chunk, in any order.
func (s *spill) put(i int64, words []uint64) (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "spoor-opt-*"); err != nil {
			return fmt.Errorf("what opt has to remember needs a temporary file: %w", err)
		}
		_ = os.Remove(s.file.Name()) // where an open file cannot be removed, it stays
		s.bytes = make([]byte, chunkBytes)
	}
	for j, w := range words {
		binary.LittleEndian.PutUint64(s.bytes[8*j:], w)
	}
	if _, err = s.file.WriteAt(s.bytes, i*chunkBytes); err != nil {
		return fmt.Errorf("writing what opt has to remember: %w", err)
	}
	return nil
}

// get reads a chunk into words, which has room for one, and returns what it has; the tail is the last.
func (s *spill) get(i int64, words []uint64) ([]uint64, error) {
	if i == s.chunks {
		return append(words[:0], s.tail...), nil
	}
	if _, err := s.file.ReadAt(s.bytes, i*chunkBytes); err != nil && err != io.EOF {
		return nil, fmt.Errorf("reading what opt had to remember: %w", err)
	}
	words = words[:chunkWords]
	for j := range words {
		words[j] = binary.LittleEndian.Uint64(s.bytes[8*j:])
	}
	return words, nil
}

func (s *spill) close() {
	if s.file != nil {
		_ = s.file.Close() // read only from here on, and gone
		s.file = nil
	}
}
