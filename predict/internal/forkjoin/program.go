// Package forkjoin simulates schedules of messages in the form that generators of GOAL write [hoefler2010]. The program of
// a rank is a sequence of stages. A stage is either a computation, or messages that are sent and received at the same
// time. A stage begins when all operations of the stage before it have ended.
//
// Package engine simulates all programs, and defines the times. Here each send knows its receive before the
// simulation, because messages of one channel (sender, receiver, tag and group) match in the order in which both programs have them. So a
// rank has no requests, and no table of messages and receives. That is several times as fast.
package forkjoin

import (
	"unsafe"

	"spoor/predict/internal/engine/outcome"
)

// kind is the kind of an operation.
type kind uint8

const (
	compute kind = iota
	send
	recv
)

// operation is an operation of a rank.
type operation struct {
	link  uint64 // of a send: its receiver and its receive; of a computation: its number; of a message without a match: the next one
	bytes uint32 // of a message
	kind  kind
	last  bool // it is the last of its stage
}

// receive returns the receiver of a send, and the number of its receive.
func (o *operation) receive() (rank int32, op uint32) { return int32(o.link >> 32), uint32(o.link) }

// Work is a computation: instructions, and an amount in the unit of the trace.
type Work struct {
	Amount int64
	Instr  uint32
	Rank   int32
}

// Program is the programs of all ranks. Several simulations may use it at the same time.
type Program struct {
	ops     []operation // by rank
	starts  []uint32    // first operation of each rank, and the end of the last
	work    []Work      // of the computations, in the order of ops
	longest uint32      // most bytes of a message
}

// Work returns all computations, by rank and in the order of its program.
func (p *Program) Work() []Work { return p.work }

// Memory returns the bytes that the program and its simulation need at least.
func (p *Program) Memory() uint64 {
	const each = unsafe.Sizeof(rank{}) + leastArrivals*unsafe.Sizeof(arrival{}) + unsafe.Sizeof(outcome.Rank{})
	return uint64(len(p.starts)-1)*uint64(each) + uint64(len(p.ops))*uint64(unsafe.Sizeof(operation{}))
}
