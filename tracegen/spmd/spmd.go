// Package spmd is the interface that parallel programs are written to: one
// program, run by every rank, over shared arrays with barriers, locks and flags, or
// over messages, or both. A program never knows its backend: Native runs it at full
// speed, Record runs it and writes down what it does, and Run takes any other.
//
// # Messages
//
// Messages are those of MPI, with the choices it leaves open made. Sends copy and
// never block. Messages from one rank to another in one communicator do not
// overtake each other: a receive takes the first one that it selects by source and
// tag. A message longer than the memory it is received into, or of other elements,
// is a mistake that ends the run, and so is whatever is left over when a rank
// returns: messages that were not received, requests that nobody waited for (those
// of sends, too), locks that are held. A run in which no rank can go on ends with an
// error that says who waits for whom; a rank that polls can always go on.
//
// # What is recorded
//
// Programs are plain Go. Their recording form, which package instrument makes of
// their source, writes references and instructions to the tape of its rank; the
// form as it is written leaves a recording with events alone.
//
// Data lies in plain Go slices; Shared and Private place a slice by name in one
// virtual address space, page-aligned and with its real element size and layout, so
// that a recording is the same to the byte wherever the Go heap put the slice. Of
// other memory a recording holds nothing, unless Options ask for it: for what ranks
// allocate while they run, which has addresses in the order of allocation, or for
// all there is, whose pages have them in the order of first use. What
// a compiled program would keep in registers (scalars, loop counters) is not
// recorded.
//
// A complex number is two references, one of each part, because that is what
// compiled Go does: it loads and stores the parts separately.
//
// # Events
//
// Every operation is one event of its rank, after it has been carried out. Ranks are
// those of the whole program, groups the communicators: -1 is the world, and each
// other one has two, the second for the messages of its collectives (the world's
// is 0). Sendrecv is an isend, a recv and a wait, WaitAll the wait for each request.
//
//   - send, isend: the receiver, tag, bytes, and where the elements lie.
//   - recv, irecv: source and tag as they were posted, -1 for any, so that a
//     simulator can decide anew; and the memory that was offered. The bytes of a recv
//     are those that came, those of an irecv what it has room for.
//   - wait: the request; for a receive also the source, tag and bytes of what came.
//     Which of several requests WaitAny got is what the machine of the recording
//     decided: what the program does next may depend on it.
//   - test: likewise, with Count 1, if the request had completed; else Count is 0.
//   - probe, iprobe: source and tag as they were asked for; Bytes of the message
//     found, and Count 1 if there was one.
//   - barrier, lock, unlock, signal, waitflag: the object as Peer; of a waitflag the
//     count as Tag.
//   - compute: instructions since the event before; the last of every rank.
//
// Request numbers the requests of a rank from 0. Memory is Count blocks of Block
// bytes whose starts are Stride bytes apart, the first at the virtual address Addr,
// which is 0 if the program has not placed that memory. Copying a message is not
// among the references; the event tells what is copied.
//
// # Instructions
//
// Instructions are the machine instructions of the program's own code, as it is
// compiled when it is not instrumented: package instrument says how they are
// counted. What this package and the Go runtime execute for the program is not
// among them. Instructions are counted block by block, and those of a block are
// spread evenly over its references, so that positions are exact at blocks.
package spmd

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"spoor/traces/trace"
)

// Program is what every rank runs.
type Program func(r *Rank) error

// MaxProcs is the greatest number of ranks of one run.
const MaxProcs = 4096

// Rank is one of the processors that run a program, and its handle to the
// others. It belongs to the goroutine that the program was called on.
type Rank struct {
	id      int
	procs   int
	program Program
	rec     *recorder // nil unless recording
	space   *space
	backend Backend
	world   *Comm

	op       Op      // the one that is carried out
	message  Message // its message ...
	receive  Request // ... or its receive
	one      [1]*Request
	pending  []*Request // not waited for, in no order
	requests int32      // started so far
	held     []int32    // locks
	ended    bool       // the program has returned
	carried  reflect.Type
}

// ID is the number of this rank, from 0.
func (r *Rank) ID() int { return r.id }

// Procs is the number of ranks.
func (r *Rank) Procs() int { return r.procs }

// Share is the contiguous part lo..hi-1 of n items that falls to this rank; the
// parts of all ranks differ by one item at most.
func (r *Rank) Share(n int) (lo, hi int) { return Share(n, r.procs, r.id) }

// Share is the contiguous part lo..hi-1 of n items that falls to one of procs ranks.
func Share(n, procs, rank int) (lo, hi int) {
	return n * rank / procs, n * (rank + 1) / procs
}

// Barrier waits until every rank has come to it.
func (r *Rank) Barrier() { r.do(Op{Kind: trace.Barrier, Object: barrierID}) }

// Lock waits until no other rank holds the lock called id, from 0, and takes it.
func (r *Rank) Lock(id int32) {
	checkObject("lock", id)
	r.do(Op{Kind: trace.Lock, Object: id})
	r.held = append(r.held, id)
}

// Unlock gives the lock back. It panics if this rank does not hold it.
func (r *Rank) Unlock(id int32) {
	i := slices.Index(r.held, id)
	if i < 0 {
		panic(fmt.Sprintf("unlock of lock %d, which this rank does not hold", id))
	}
	r.held = slices.Delete(r.held, i, i+1)
	r.do(Op{Kind: trace.Unlock, Object: id})
}

// Signal adds one to the signals of a flag, which are numbered from 0.
func (r *Rank) Signal(flag int32) {
	checkObject("flag", flag)
	r.do(Op{Kind: trace.Signal, Object: flag})
}

// WaitFlag waits until the flag has been signalled count times in all. It takes
// nothing away: whoever waits for as many again does not wait.
func (r *Rank) WaitFlag(flag int32, count int) {
	checkObject("flag", flag)
	if count < 0 || count > math.MaxInt32 {
		panic(fmt.Sprintf("waiting for %d signals", count))
	}
	r.do(Op{Kind: trace.WaitFlag, Object: flag, Count: count})
}

// do has the backend carry out op.
func (r *Rank) do(op Op) {
	r.op = op
	r.backend.Do(r, &r.op)
}

func checkObject(kind string, id int32) {
	if id < 0 {
		panic(fmt.Sprintf("%s %d: numbers start from 0", kind, id))
	}
}

// Clock is the time since the start of the run as the backend has it: that of the
// wall natively; while recording, a nanosecond for every instruction that the rank
// has executed or waited; or a simulator's.
func (r *Rank) Clock() time.Duration {
	r.do(Op{Kind: trace.Clock})
	return r.op.Clock
}
