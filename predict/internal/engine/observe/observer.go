// Package observe has what an observer sees of a simulation.
package observe

import "spoor/traces/unit"

// Observer receives the events of a run, for timelines and matrices. Calls never overlap. Calls about one rank (the
// rank of a Span, the receiver of a message) come in order of time. An Observer may not keep its arguments.
type Observer interface {
	// Began is called when a rank comes to the operation of a row, after its Work.
	Began(rank int32, row int64, at unit.Picos)
	// Ended is called when the operation of a row has ended.
	Ended(rank int32, row int64, at unit.Picos)
	// Matched is called when the receive of a row gets a message. It gets the next message of that sender, tag and
	// group in the order of sending. Messages of collectives are not reported.
	Matched(rank int32, row int64, from, tag, group int32)
	// Waited gives the cause for which a rank's processor was idle until now: during the Spans since it was last
	// busy.
	Waited(rank int32, why Cause)
	// Span gives what a rank's processor did in an interval.
	Span(rank int32, what Part, from, to unit.Picos)
	// Message is called when the last byte of a message came, at op.Arrived.
	Message(from, to int32, op *ReceivedMessage)
}

// NopObserver is an Observer that does nothing. Observers embed it if they need only some of the calls.
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

// Observers forwards to several Observers.
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

// Cause is what a processor waited for: what the rank By did until Since. The time from Since to the end of the wait
// has two parts. The message was in flight for at most Flight of it. For the rest, it waited in ports and links for
// other messages. If a port or link held a message up, its cause is that of the message before it; messages that
// share links are an exception. A message that was held for the order of its sender's messages also has the cause of
// the message before it. If By is None, the cause is unknown.
type Cause struct {
	Since, Flight unit.Picos
	By            int32
}

// ReceivedMessage is a message that came.
type ReceivedMessage struct {
	Tag, Group int32
	Bytes      int64
	Arrived    unit.Picos
}
