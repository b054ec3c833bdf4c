// Package wire is how an instrumented program hands its recording to tracegen,
// which started it: a pipe with what the sink of a recording takes, and at the
// end how the run went.
//
// The program does not write the files of the trace itself, for two reasons. The
// user's module then needs nothing but spoor in its go.mod, none of the modules
// that compress; and the files appear whole or not at all whatever the program
// does, be it os.Exit.
//
// Both ends run on one machine, so columns cross as they lie in memory.
package wire

import (
	"encoding/json"
	"fmt"
	"os"
	"unsafe"

	"spoor/tracegen/spmd"
)

// Version is of what crosses the pipe, and of the interface between the code that
// tracegen generates and the packages of spoor that it calls. A program may be
// built with another version of spoor than tracegen is.
const Version = 1

// Variable is the environment variable that carries the Order to the program.
const Variable = "SPOOR_SESSION"

// Order is what tracegen asks of the program.
type Order struct {
	Version int
	FD      int  // file descriptor of the pipe
	Native  bool // record nothing: run at full speed, and say how long it took ...
	Compute bool // ... or, instead, how long its ranks computed, all together
	spmd.Options
	Simulate string // for the session that simulates
}

// Environment is the order as an entry of the program's environment.
func (o Order) Environment() string {
	o.Version = Version
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // a struct of numbers
	}
	return Variable + "=" + string(text)
}

// Ordered is the order that this process was started with; nil if it was started
// by hand. It removes the variable, which is not meant for processes that the
// program starts.
func Ordered() (*Order, error) {
	text := os.Getenv(Variable)
	if text == "" {
		return nil, nil
	}
	if err := os.Unsetenv(Variable); err != nil {
		return nil, err
	}
	o := new(Order)
	if err := json.Unmarshal([]byte(text), o); err != nil {
		return nil, fmt.Errorf("reading the variable %s: %w", Variable, err)
	}
	if o.Version != Version {
		return nil, fmt.Errorf("this tracegen speaks version %d of the recording protocol, the module spoor that the program is built with version %d; use tracegen of that module", o.Version, Version)
	}
	return o, nil
}

// kind says what a frame holds.
type kind uint8

const (
	refsFrame kind = 1 + iota
	eventsFrame
	resultFrame
)

// frame precedes its contents on the pipe.
type frame struct {
	kind kind
	proc int32
	rows uint32 // of references or events; bytes of a result
	more uint32 // needs of all events of the frame together
}

// maxRows bounds what a frame of references or events may claim.
const maxRows = 1 << 20

// row is an event without its needs, with their number: -1 for nil.
type row struct {
	refs                                    uint64
	bytes, addr, count, block, stride, work int64
	time                                    int64
	instr                                   uint32
	peer, tag, group, request, needs        int32
	kind                                    uint8
}

// Result is how a run went.
type Result struct {
	Error     string          // of the program, or ""
	Seconds   float64         // of a native run
	Recording *spmd.Recording // of a recorded one
	Simulated json.RawMessage `json:",omitempty"` // of a simulated one
}

// raw is the memory of a slice of values that hold no pointers.
func raw[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(*new(T)))
}
