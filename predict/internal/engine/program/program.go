// Package program has the operations of ranks, and how they come to the engine.
package program

import "spoor/traces/unit"

// None stands for any peer or tag, and for no request.
const None int32 = -1

// Kind is the kind of an operation.
type Kind uint8

// The kinds of operations. The zero Kind is not legal.
const (
	Compute    Kind = 1 + iota // Work only
	Send                       // ends when the message has been handed over; a rendezvous message, when it has left
	Isend                      // a Send that opens a request
	Recv                       // ends when the message is there
	Irecv                      // a Recv that opens a request
	Wait                       // waits until a request has ended
	Probe                      // waits until a message is there, and leaves it there
	Collective                 // exchanges the messages of Options.Steps

	// Operations of a directly executed program. Options.Direct receives their answers.
	Test         // asks whether a request has ended, and if so closes it
	Iprobe       // asks whether a message is there
	Clock        // asks for the time
	AddToWaitAny // adds a request to those of the next WaitAny
	WaitAny      // waits until the first of several requests has ended

	// until Options.CoSimulator resumes the rank; begins when the operation before it ends, so it must be first or
	// alone
	Suspended
)

// Op is an operation of a rank.
type Op struct {
	Work  unit.Picos // computation before it
	Extra unit.Picos // overhead beyond o_s or o_r, for copying a buffer
	// size of a sent message; for a receive, its capacity, or 0 for any; with Options.Direct, the mark of each
	// operation but sends
	Bytes        int64
	Peer         int32 // for a receive or probe, None means any
	Tag          int32 // for a receive or probe, None means any
	Group        int32 // messages and receives match within a group
	Request      int32 // that it opens or waits for; or None
	Kind         Kind
	IgnoreClosed bool // a Wait ends at once if its request is not open
	// Sensitive means that the following operations depend on when or how this one ends [dickens1996, "sensitive
	// calls"]. Next is not called before it ends.
	Sensitive bool
}

// Step is a message of a collective that a rank sends or receives. A rank does its steps round by round. It posts the
// receives of a round, sends, and goes on when all messages of the round have arrived and left. Collectives of many
// ranks have many steps, so a step takes 16 bytes.
type Step struct {
	Peer, Round int32
	message     uint64 // twice its bytes, and 1 if it is sent
}

// SendStep returns the sending of a message.
func SendStep(round int, peer int32, bytes int64) Step {
	return Step{peer, int32(round), uint64(bytes)<<1 | 1}
}

// ReceiveStep returns the receiving of a message.
func ReceiveStep(round int, peer int32, bytes int64) Step {
	return Step{peer, int32(round), uint64(bytes) << 1}
}

// Bytes returns the size of the message.
func (s *Step) Bytes() int64 { return int64(s.message >> 1) }

// Sends reports whether the rank sends the message.
func (s *Step) Sends() bool { return s.message&1 != 0 }

// Program is the program of one rank.
type Program struct {
	// Next returns the next operations; none at the end. They are valid until the next call. Next may be called
	// before these operations have ended, except if the last of them is Sensitive or if there is an Options.Direct.
	// With several workers, the Nexts of several ranks are called concurrently.
	Next func() (Ops, error)
	// Ready reports whether Next may be called before the operations have ended, in a directly executed program; nil
	// means never.
	Ready func() bool
	// Graph gives the operations that each operation needs to have ended; nil means the operation before it.
	Graph *Graph
}

// Graph holds the needs of operation i in Rows, from Starts[i] to Starts[i+1].
type Graph struct {
	Starts []int64
	Rows   []int32
}
