package trace

// Place is where in a foreign input an event was: the number of the file, and the
// line or offset in it. In a stored trace it is the row.
type Place struct {
	File int32
	At   int64
}

// Mismatch is an event that lacks what it needs from another rank: a send without
// a receive, a receive without a send, a request that nobody waits for, a
// collective that other ranks do not call.
type Mismatch struct {
	Proc  Proc
	Place Place
	Kind  Kind
	Msg   string // "send from rank 0 to rank 1 with tag 3 (5 bytes) has no receive"
}

// Matcher holds the messages, requests and collectives of all processors to each
// other. Events of one processor come in program order; processors may come one
// after the other or mixed.
type Matcher struct{}

// NewMatcher has seen nothing.
func NewMatcher() *Matcher { return &Matcher{} }

// Event takes the next event of p. The error is about e itself: a wait for a
// request that is not open, a request that is used twice, a collective that is
// another one than the same collective of an earlier processor.
func (m *Matcher) Event(p Proc, e *Event, at Place) error { return nil }

// Finish is called when every event has come, and lists what has no partner, in
// the order of processors and places.
func (m *Matcher) Finish(procs int) []Mismatch { return nil }
