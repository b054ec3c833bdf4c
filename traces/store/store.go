// Package store reads and writes the files that stages exchange: traces and tables of
// results. A trace has a file of references and a file of events.
//
// All of them are plain Arrow IPC files with bodies compressed by zstd. A checksum covers
// every byte. The files contain no date, host or path, so that the same data gives the same
// bytes.
package store

// Suffixes of the two files of a trace.
const (
	RefsSuffix   = ".refs.arrow"
	EventsSuffix = ".events.arrow"
)
