package paths

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"spoor/traces/trace"
)

// opKind is what an operation does after its computation.
type opKind uint8

const (
	computes opKind = iota // nothing
	sends                  // waits for the port, and sends
	isends
	receives // waits for its message
	posts    // a nonblocking receive
	takes    // waits for the message of a posted receive
	departs  // waits until a message has left
	probes   // waits until a message is there, and leaves it
	calls    // a collective, which the messages of an algorithm replace
)

// op is an operation of a processor: a computation, and what follows it.
type op struct {
	instr, work int64
	message     int32 // that it sends, receives or waits for, or the call
	kind        opKind
}

// message is a message between two processors.
type message struct {
	from, to int32
	bytes    int64
}

// Program is the operations of all processors, with their messages matched.
type Program struct {
	ops      [][]op // by processor
	messages []message
	instr    int64 // of all processors
	work     int64
	runs     sync.Pool // of *run that have ended
}

// Limits of a program. They keep times within 64 bits and its operations within memory.
const (
	maxMessages = 1 << 27
	maxBytes    = 1 << 40
	maxWork     = 1 << 53
)

// unfit is why a program has no paths that are functions of costs.
type unfit struct{ error }

// The reasons.
var (
	errNoMessages  = unfit{errors.New("the program passes no messages")}
	errGraph       = unfit{errors.New("the order of events is a graph")}
	errNonblocking = unfit{errors.New("a collective is nonblocking")}
	errWild        = unfit{errors.New("a receive takes a message of any processor or with any tag")}
	errDeadlock    = unfit{errors.New("processors wait for ever")}
	errTooLong     = unfit{errors.New("the program takes longer than 53 days")}
	errTooMany     = unfit{fmt.Errorf("the program has more than %d messages", maxMessages)}
)

// errShared is the reason of a program with events of a shared memory.
func errShared(kinds []trace.Kind) error {
	var names []string
	for _, k := range kinds {
		names = append(names, k.String())
	}
	return unfit{fmt.Errorf("the program shares memory, too (%s)", strings.Join(names, ", "))}
}

// sharesMemory reports whether events of kind k are of a shared memory.
func sharesMemory(k trace.Kind) bool {
	switch k {
	case trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag, trace.Fork, trace.Join:
		return true
	}
	return false
}

// errAt is an error about an event.
func errAt(p trace.Proc, row int64, e *trace.Event, err error) error {
	return fmt.Errorf("processor %d: event %d (%v): %w", p, row, e.Kind, err)
}
