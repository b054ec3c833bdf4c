package format

import (
	"context"
	"io"

	"spoor/traces/format/internal/input"
)

// Input is one file to import. It is decompressed while it is read.
type Input = input.Input

// Files holds the files of one import, in order.
type Files = input.Files

// Open opens the file at path; "-" is stdin. If seen is not nil, another goroutine
// calls it with the number of compressed bytes of every read.
func Open(ctx context.Context, path string, stdin io.Reader, seen func(n int)) (*Input, error) {
	return input.Open(ctx, path, stdin, seen)
}

// NewFiles lists the files at paths; "-" is standard input. If seen is not nil, other
// goroutines call it with the number of compressed bytes of every read.
func NewFiles(ctx context.Context, paths []string, stdin io.Reader, seen func(n int)) *Files {
	return input.NewFiles(ctx, paths, stdin, seen)
}
