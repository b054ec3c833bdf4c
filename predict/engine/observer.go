package engine

import "spoor/traces/unit"

// Observer is told what happens, for timelines and matrices, one thing after the other. Of one rank,
// that of a Span or the receiver, it comes in order of time. It may not keep its arguments.
type Observer interface {
	// Began is that a rank came to the operation of a row, having done its Work.
	Began(rank int32, row int64, at unit.Picos)
	// Ended is that the operation of a row ended.
	Ended(rank int32, row int64, at unit.Picos)
	// Matched is that the receive of a row gets a message, of which it is what comes next: of one sender, tag and group, in the order in
	// which they were sent. Messages of collectives are none.
	Matched(rank int32, row int64, from, tag, group int32)
	// Waited is why a rank's processor was idle until now: the Spans since it was busy last.
	Waited(rank int32, why Cause)
	// Span is what a rank's processor did from a time until a time.
	Span(rank int32, what Part, from, to unit.Picos)
	// Message is that a message came: the last of its bytes at arrived.
	Message(from, to int32, op *ReceivedMessage)
}

// Quiet is an Observer that does nothing, for those that want some of what there is.
type NopObserver struct{}

// Began does nothing.
func (NopObserver) Began(int32, int64, unit.Picos) {}

// Ended does nothing.
func (NopObserver) Ended(int32, int64, unit.Picos) {}

// Matched does nothing.
func (NopObserver) Matched(int32, int64, int32, int32, int32) {}

// Waited does nothing.
func (NopObserver) Waited(int32, Cause) {}

// Span does nothing.
func (NopObserver) Span(int32, Part, unit.Picos, unit.Picos) {}

// Message does nothing.
func (NopObserver) Message(int32, int32, *ReceivedMessage) {}

// Observers are several.
type Observers []Observer

// Began implements Observer.
func (all Observers) Began(rank int32, row int64, at unit.Picos) {
	for _, o := range all {
		o.Began(rank, row, at)
	}
}

// Ended implements Observer.
func (all Observers) Ended(rank int32, row int64, at unit.Picos) {
	for _, o := range all {
		o.Ended(rank, row, at)
	}
}

// Matched implements Observer.
func (all Observers) Matched(rank int32, row int64, from, tag, group int32) {
	for _, o := range all {
		o.Matched(rank, row, from, tag, group)
	}
}

// Waited implements Observer.
func (all Observers) Waited(rank int32, why Cause) {
	for _, o := range all {
		o.Waited(rank, why)
	}
}

// Span implements Observer.
func (all Observers) Span(rank int32, what Part, from, to unit.Picos) {
	for _, o := range all {
		o.Span(rank, what, from, to)
	}
}

// Message implements Observer.
func (all Observers) Message(from, to int32, d *ReceivedMessage) {
	for _, o := range all {
		o.Message(from, to, d)
	}
}

// Cause is what a processor waited for: what the rank By did until Since. What lies between that
// and the end of the waiting is the way of a message, no more than Fly of it in flight, and the other
// messages that it waited for in ports and links. Of a message that a port or a link held up for another one it
// is what the other one waited for, but where messages share links; and of one that was held until what its sender sent
// the same receiver before had come, it is what that waited for. If By is None, nothing is known.
type Cause struct {
	Since, Flight unit.Picos
	By            int32
}

// Delivered is a message that came.
type ReceivedMessage struct {
	Tag, Group int32
	Bytes      int64
	Arrived    unit.Picos
}
