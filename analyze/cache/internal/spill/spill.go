// Package spill keeps long columns of words in temporary files.
package spill

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// Column is a long column of words. Complete chunks are in a temporary file without a name, so that
// no file is left behind.
type Column struct {
	file   *os.File
	Chunks int64    // complete ones, all in the file
	Tail   []uint64 // the rest, in memory
	bytes  []byte
}

const (
	ChunkWords = 1 << 16 // words in a chunk
	chunkBytes = 8 * ChunkWords
)

// Add appends a word.
func (s *Column) Add(w uint64) error {
	s.Tail = append(s.Tail, w)
	if len(s.Tail) < ChunkWords {
		return nil
	}
	err := s.Put(s.Chunks, s.Tail)
	s.Chunks, s.Tail = s.Chunks+1, s.Tail[:0]
	return err
}

// Put writes a complete chunk, in any order.
func (s *Column) Put(i int64, words []uint64) (err error) {
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

// Get reads a chunk into words, which must have room for a chunk. The tail is the last chunk.
func (s *Column) Get(i int64, words []uint64) ([]uint64, error) {
	if i == s.Chunks {
		return append(words[:0], s.Tail...), nil
	}
	if _, err := s.file.ReadAt(s.bytes, i*chunkBytes); err != nil && err != io.EOF {
		return nil, fmt.Errorf("reading the temporary file of opt: %w", err)
	}
	words = words[:ChunkWords]
	for j := range words {
		words[j] = binary.LittleEndian.Uint64(s.bytes[8*j:])
	}
	return words, nil
}

// Close drops the temporary file.
func (s *Column) Close() {
	if s.file != nil {
		_ = s.file.Close() // it has only been read since, and has no name
		s.file = nil
	}
}
