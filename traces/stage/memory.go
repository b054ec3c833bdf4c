package stage

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
)

// CheckMemory returns an error if a run needs more memory than the process may use, as far as that is known. need is the
// bytes that it needs at least, run names it, and instead is what needs less memory.
func CheckMemory(need uint64, run, instead string) error {
	return leastMemory().check(need, run, instead)
}

// check is CheckMemory for a limit, or for none.
func (m memoryLimit) check(need uint64, run, instead string) error {
	switch {
	case m.from == "" || need <= m.room:
		return nil
	case m.from == host:
		return fmt.Errorf("%s needs about %s of memory, but this host has %s; %s", run, megabytes(need), megabytes(m.bytes), instead)
	}
	return fmt.Errorf("%s needs about %s of memory, but %s leaves %s; raise that limit, or %s", run, megabytes(need), m.from, megabytes(m.room), instead)
}

// roomAtStart is what a limit left when the command began, if it has one. Later, the Go runtime has reserved address space
// that it does not use yet.
var roomAtStart uint64

// host is the limit of all processes together.
const host = "this host"

// AvailableMemory returns the bytes that this process and its children may use, or 0 if that is not known.
func AvailableMemory() uint64 {
	return systemMemory().room
}

// leastMemory returns the memory that the process may use, with the limit that its user set for the Go runtime.
func leastMemory() memoryLimit {
	m := systemMemory()
	if m.from != host {
		m.room = max(m.room, roomAtStart)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		return m
	}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 && (m.from == "" || uint64(limit) < m.room) {
		return memoryLimit{uint64(limit), uint64(limit), "GOMEMLIMIT"}
	}
	return m
}
