package cache

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// spill is a long column of words. Complete chunks are in a temporary file without a name, so that
// no file is left behind.
type spill struct {
	file   *os.File
	chunks int64    // complete ones, all in the file
	tail   []uint64 // the rest, in memory
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
			return fmt.Errorf("creating the temporary file of opt: %w", err)
		}
		_ = os.Remove(s.file.Name()) // on systems where an open file cannot be removed, it stays
		s.bytes = make([]byte, chunkBytes)
	}
	for j, w := range words {
		binary.LittleEndian.PutUint64(s.bytes[8*j:], w)
	}
	if _, err = s.file.WriteAt(s.bytes, i*chunkBytes); err != nil {
		return fmt.Errorf("writing the temporary file of opt: %w", err)
	}
	return nil
}

// get reads a chunk into words, which must have room for a chunk. The tail is the last chunk.
func (s *spill) get(i int64, words []uint64) ([]uint64, error) {
	if i == s.chunks {
		return append(words[:0], s.tail...), nil
	}
	if _, err := s.file.ReadAt(s.bytes, i*chunkBytes); err != nil && err != io.EOF {
		return nil, fmt.Errorf("reading the temporary file of opt: %w", err)
	}
	words = words[:chunkWords]
	for j := range words {
		words[j] = binary.LittleEndian.Uint64(s.bytes[8*j:])
	}
	return words, nil
}

func (s *spill) close() {
	if s.file != nil {
		_ = s.file.Close() // it has only been read since, and has no name
		s.file = nil
	}
}
