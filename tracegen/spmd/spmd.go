// Package spmd is the interface for parallel programs. Every rank runs the same program. Ranks share arrays and use
// barriers, locks and flags; or they exchange messages; or both.
//
// A program does not depend on its backend. Native runs it at full speed, Record runs and records it, and Run uses
// any other backend.
//
// # Messages
//
// Messages are those of MPI. Where MPI leaves a choice, the rules are:
//
//   - A send copies the data and never blocks.
//   - Messages from one rank to another in one communicator do not overtake each other. A receive takes the first
//     message that matches its source and tag.
//   - It is an error if a message is longer than the receive buffer or has another element type.
//   - It is an error if a rank returns with messages that were not received, with requests that were not waited for
//     (also sends), or with held locks.
//   - If no rank can continue, the run ends with an error that lists what each rank waits for. A rank that polls
//     can always continue.
//
// Every such error ends the run.
//
// # What is recorded
//
// Programs are plain Go. Package instrument makes a recording form of their source, which writes references and
// instructions to the tape of its rank. A recording of the plain form has only events.
//
// Data is in plain Go slices. Shared and Private place a slice by name in one virtual address space, page-aligned,
// with its real element size and layout. So a recording has the same bytes wherever the Go heap puts the slice.
//
// References to other memory are recorded only if Options ask for them. Memory that ranks allocate while they run
// has addresses in the order of allocation. All other memory has pages in the order of first use. Values that a
// compiled program keeps in registers (scalars, loop counters) are not recorded.
//
// A complex number is two references, one for each part, because compiled Go loads and stores the parts separately.
//
// # Events
//
// Every operation is one event of its rank, recorded after the operation. Ranks in events are those of the whole
// program. Groups are the communicators. The world has group -1, and 0 for the messages of its collectives. Every
// other communicator also has two groups; the second is for its collectives. Sendrecv is an isend, a recv and a
// wait. WaitAll is one wait for each request.
//
//   - send, isend: the receiver, tag, bytes, and the layout of the elements.
//   - recv, irecv: source and tag as they were posted, -1 for any, so that a
//     simulator can match them again; and the layout of the buffer. Bytes of a
//     recv are those received; bytes of an irecv are the size of the buffer.
//   - wait: the request; for a receive also source, tag and bytes of the message.
//     The recording machine decided which request WaitAny returned, and the
//     program's later operations may depend on it.
//   - test: the same, with Count 1, if the request had completed; else Count is 0.
//   - probe, iprobe: source and tag as they were asked for; the Bytes of the message
//     found, and Count 1 if there was one.
//   - barrier, lock, unlock, signal, waitflag: the object as Peer; for a waitflag
//     the count as Tag.
//   - compute: instructions since the previous event; the last event of every rank.
//
// Request numbers the requests of a rank from 0. A buffer is Count blocks of Block bytes, whose starts are Stride
// bytes apart. The first block is at virtual address Addr, or 0 if the program has not placed the memory. Copies of
// messages are not recorded as references; the event describes the copied memory.
//
// # Instructions
//
// Instructions are the machine instructions of the program's own code, compiled without instrumentation. Package
// instrument explains how they are counted. Instructions of this package and of the Go runtime are not counted.
//
// Instructions are counted for each block, and spread evenly over the references of the block. So positions are
// exact at block boundaries.
package spmd

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"spoor/traces/trace"
)

// Program is the function that every rank runs.
type Program func(r *Rank) error

// MaxProcs is the maximum number of ranks of a run.
const MaxProcs = 4096

// Rank is one of the processors that run a program. Its methods are the interface to the others. Only the goroutine
// that runs the program may use it.
type Rank struct {
	id      int
	procs   int
	program Program
	rec     *recorder // nil unless recording
	space   *addressSpace
	backend Backend
	world   *Comm

	op          Op      // the current operation ...
	message     Message // ... its message ...
	receive     Request // ... or its receive
	one         [1]*Request
	pending     []*Request // not waited for, in any order
	requests    int32      // number started so far
	held        []int32    // numbers of locks
	variables   []variables
	ended       bool // the program has returned
	checkedType reflect.Type
}

// ID returns the number of this rank, from 0.
func (r *Rank) ID() int { return r.id }

// Procs returns the number of ranks.
func (r *Rank) Procs() int { return r.procs }

// Share returns this rank's contiguous part lo..hi-1 of n items.
// The parts of two ranks differ by at most one item.
func (r *Rank) Share(n int) (lo, hi int) { return Share(n, r.procs, r.id) }

// Share returns the contiguous part lo..hi-1 of n items for one of procs ranks.
func Share(n, procs, rank int) (lo, hi int) {
	return n * rank / procs, n * (rank + 1) / procs
}

// Barrier waits until every rank has called it.
func (r *Rank) Barrier() { r.do(Op{Kind: trace.Barrier, Object: barrierID}) }

// Lock waits until no other rank holds the lock with number id, from 0, and takes it.
func (r *Rank) Lock(id int32) {
	checkObject("lock", id)
	r.do(Op{Kind: trace.Lock, Object: id})
	r.held = append(r.held, id)
}

// Unlock releases the lock. It panics if this rank does not hold it.
func (r *Rank) Unlock(id int32) {
	i := slices.Index(r.held, id)
	if i < 0 {
		panic(fmt.Sprintf("unlock of lock %d, which this rank does not hold", id))
	}
	r.held = slices.Delete(r.held, i, i+1)
	r.do(Op{Kind: trace.Unlock, Object: id})
}

// Signal adds one to the signals of a flag. Flags are numbered from 0.
func (r *Rank) Signal(flag int32) {
	checkObject("flag", flag)
	r.do(Op{Kind: trace.Signal, Object: flag})
}

// WaitFlag waits until the flag has been signalled count times in all. It does not consume signals: a second wait
// for the same count returns at once.
func (r *Rank) WaitFlag(flag int32, count int) {
	checkObject("flag", flag)
	if count < 0 || count > math.MaxInt32 {
		panic(fmt.Sprintf("waiting for %d signals", count))
	}
	r.do(Op{Kind: trace.WaitFlag, Object: flag, Count: count})
}

// do makes the backend carry out op.
func (r *Rank) do(op Op) {
	r.op = op
	r.backend.Do(r, &r.op)
}

func checkObject(kind string, id int32) {
	if id < 0 {
		panic(fmt.Sprintf("%s %d: numbers start from 0", kind, id))
	}
}

// Clock returns the time since the start of the run. Natively it is wall time.
// In a recording it is one nanosecond for every instruction that the rank has executed or waited.
// In a simulation it is simulated time.
func (r *Rank) Clock() time.Duration {
	r.do(Op{Kind: trace.Clock})
	return r.op.Clock
}
