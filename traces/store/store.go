// Package store reads and writes the files that stages talk through: the two
// kinds of trace file and tables, all of them plain Arrow IPC files with zstd
// bodies, a checksum over every byte, and no clock, host or path in them.
package store

// The endings of the two files of a trace.
const (
	RefsSuffix   = ".refs.arrow"
	EventsSuffix = ".events.arrow"
)
