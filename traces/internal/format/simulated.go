package format

import (
	"iter"
	"spoor/traces/trace"
)

// Simulated is the known result of a simulation besides the begins of events.
type Simulated struct {
	StateIntervals StateIntervals
	Messages       []Message
	// End returns when an event ended, by its number on its processor. Call it after
	// the events of that processor have been read.
	End func(p trace.Proc, row int64) int64
}

// Message is a message between two processors. Times are in ps.
type Message struct {
	From, To        trace.Proc
	Tag, Group      int32
	Bytes           int64
	Sent, SentEnd   int64 // begin and end of its send
	Posted          int64 // begin of its receive
	Taken, Received int64 // begin and end of the receive, or of its wait
}

// State is an activity of a processor. The zero State is not valid.
type State uint8

// The states, which are the parts of a simulated time.
const (
	StateCompute State = 1 + iota
	StateOverhead
	StateLatency
	StateContention
	StateWait
)

// StateInterval is a time that a processor spends in one state, in ps.
type StateInterval struct {
	State      State
	Begin, End int64
}

// StateIntervals returns the intervals of a processor, in the order of time. They do
// not overlap.
type StateIntervals func(trace.Proc) iter.Seq[StateInterval]
