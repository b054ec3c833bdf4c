// Package session carries out tracegen's order in a program that tracegen has built and started: spmd.Main records, or
// runs at full speed and is timed. The build overlay adds a file that imports this package to the user's main package.
// In a program that was not started by tracegen, the package does nothing.
//
// The program sends its recording to tracegen through a pipe. The pipe carries the batches of the recording and, at
// the end, the result of the run. Tracegen receives them by the same package.
//
// The program does not write the trace files itself, for two reasons. First, the user's go.mod needs only spoor,
// without the modules for compression. Second, the files appear complete or not at all, even if the program calls
// os.Exit.
//
// Both ends run on one machine. Therefore columns are sent in their memory layout.
package session

import (
	"encoding/json"
	"fmt"
	"os"
	"unsafe"

	"spoor/tracegen/spmd"
)

// version is the version of the data on the pipe, and of the interface between generated code and the packages of
// spoor that it calls. The program and tracegen may be built with different versions of spoor.
const version = 1

// variable is the environment variable that carries the Order to the program.
const variable = "SPOOR_SESSION"

// Order tells the program how to run.
type Order struct {
	Version int
	FD      int  // file descriptor of the pipe
	Native  bool // record nothing: run at full speed and measure the run time ...
	Compute bool // ... or, instead, the total computing time of all ranks
	spmd.Options
	Simulate string // for the session that simulates
}

// Environment returns the order as an entry of the program's environment.
func (o Order) Environment() string {
	o.Version = version
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // a struct of numbers
	}
	return variable + "=" + string(text)
}

// readOrder returns the order of this process, or nil if it has none. It removes the variable, so that processes
// started by the program do not see it.
func readOrder() (*Order, error) {
	text := os.Getenv(variable)
	if text == "" {
		return nil, nil
	}
	if err := os.Unsetenv(variable); err != nil {
		return nil, err
	}
	o := new(Order)
	if err := json.Unmarshal([]byte(text), o); err != nil {
		return nil, fmt.Errorf("reading the variable %s: %w", variable, err)
	}
	if o.Version != version {
		return nil, fmt.Errorf("tracegen has version %d of the recording protocol, but the program's module spoor has version %d; use the tracegen of that module", o.Version, version)
	}
	return o, nil
}

// kind is the kind of a frame.
type kind uint8

const (
	refsFrame kind = 1 + iota
	eventsFrame
	resultFrame
)

// frame precedes its contents on the pipe.
type frame struct {
	kind  kind
	proc  int32
	rows  uint32 // number of references or events; bytes of a result
	needs uint32 // total number of needs of all events of the frame
}

// maxRows is the maximum number of rows in a frame of references or events.
const maxRows = 1 << 20

// row is an event with the number of its needs instead of its needs; -1 means nil.
type row struct {
	refs                                    uint64
	bytes, addr, count, block, stride, work int64
	time                                    int64
	instr                                   uint32
	peer, tag, group, request, needs        int32
	kind                                    uint8
}

// Result is the result of a run.
type Result struct {
	Error       string          // of the program, or ""
	Seconds     float64         // of a native run
	Recording   *spmd.Recording // of a recorded one
	Collections uint32          `json:",omitempty"` // runs of the garbage collector while it was recorded
	Simulated   json.RawMessage `json:",omitempty"` // of a simulated one
}

// raw returns the memory of a slice whose values hold no pointers.
func raw[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(*new(T)))
}
