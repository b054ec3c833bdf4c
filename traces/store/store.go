// Package store reads and writes the files that stages exchange: traces and tables of
// results. A trace has a file of references and a file of events.
//
// All of them are plain Arrow IPC files with bodies compressed by zstd. A checksum covers
// every byte. The files contain no date, host or path, so that the same data gives the same
// bytes.
//
// The reader and writer of Arrow are our own. The Arrow library computes no digests, and damaged files can make it panic.
// It also takes two to three times as long to read references, with 12 to 67 times the memory (BenchmarkCodecs).
package store

import "spoor/traces/internal/outfile"

// Suffixes of the two files of a trace.
const (
	RefsSuffix   = outfile.RefsSuffix
	EventsSuffix = outfile.EventsSuffix
)
