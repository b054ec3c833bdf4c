package spmd

import (
	"context"

	"spoor/tracegen/spmd/internal/space"
	"spoor/tracegen/tape"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Sink receives a recording. It must not keep its arguments. Batches of one processor arrive in program order. The
// order of all calls is the same in every recording of the same program.
type Sink interface {
	Refs(*trace.Refs) error
	Events(*trace.Events) error
}

const (
	batchRows    = 1 << 14 // references in a batch ...
	bufferRows   = 1 << 22 // ... and, about, in the batches of all ranks together
	minBatchRows = 1 << 8
	eventRows    = 1 << 9
	maxGap       = 1 << 31 // instructions after which a Compute event is added: half the maximum of a column
)

// recorder records one rank. Only the running rank writes to its recorder.
type recorder struct {
	instr            uint64 // executed so far, except worked
	worked           uint64 // executed in the Work of Computes
	atRef            uint64 // instr at the previous reference
	atEvent          uint64 // instr at the previous event
	flushed          uint64 // references in earlier batches
	events           uint64 // in earlier batches
	n                int    // references in this batch
	refs             trace.Refs
	rows             trace.Events
	noRefs           bool
	early            bool   // Options.Early
	debt             uint64 // instructions that were counted too many, to be subtracted from the following ones
	dropped          uint64 // references to memory that has no address
	wholeCollectives bool   // record each collective as one event ...
	inCollective     bool   // ... and this rank is in one
	tape             *tape.Tape
	slot             *tape.Slot // nil if one rank runs at a time
	space            *space.Space
	sink             Sink
	ctx              context.Context
	fail             func(error) // ends the whole recording; does not return
}

func newRecorder(proc int, opt Options, s *space.Space) *recorder {
	rec := &recorder{noRefs: opt.NoRefs, early: opt.Early, wholeCollectives: opt.WholeCollectives, rows: trace.Events{Proc: trace.Proc(proc)}}
	rows := min(batchRows, max(minBatchRows, bufferRows/opt.Procs))
	rec.refs = trace.Refs{Proc: trace.Proc(proc), Instr: make([]uint32, rows), Addr: make([]uint64, rows),
		Size: make([]uint16, rows), Op: make([]trace.Op, rows)}
	rec.open(rows, s, opt.Allocated || opt.Unplaced)
	return rec
}

// addRow records a reference by the latest instruction.
func (rec *recorder) addRow(addr uint64, size uint16, op trace.Op) {
	n := rec.n
	if n >= len(rec.refs.Addr) {
		rec.makeRoom()
		n = rec.n
	}
	if rec.instr-rec.atRef > maxGap || rec.instr-rec.atEvent > maxGap {
		rec.n = n
		rec.splitGap(rec.instr - 1)
	}
	gap := rec.instr - rec.atRef
	rec.atRef = rec.instr
	b := &rec.refs
	b.Addr[n], b.Instr[n], b.Size[n], b.Op[n] = addr, uint32(gap), size, op
	rec.n = n + 1
}

// splitGap keeps the instruction counts of columns in range, before a reference or an event at instruction to. If
// the previous row of its kind is too far back, a Compute event ends the instructions up to the last row. It
// carries the instructions after that row as Work, which no column counts.
//
//go:noinline
func (rec *recorder) splitGap(to uint64) {
	if to-rec.atRef < maxGap && to-rec.atEvent < maxGap {
		return
	}
	last := max(rec.atRef, rec.atEvent)
	e := trace.NewEvent(trace.Compute)
	e.Work = int64(to - last)
	rec.append(e, uint32(last-rec.atEvent))
	rec.instr -= uint64(e.Work)
	rec.worked += uint64(e.Work)
}

// makeRoom makes room for references in a full batch. In an early recording the batch grows until the tape is
// empty.
func (rec *recorder) makeRoom() {
	if !rec.early {
		rec.flushRefs()
		return
	}
	b := &rec.refs
	b.Instr, b.Addr = append(b.Instr, b.Instr...), append(b.Addr, b.Addr...)
	b.Size, b.Op = append(b.Size, b.Size...), append(b.Op, b.Op...)
}

// flushRefs writes the batch to the sink. Here a long recording also checks whether it was cancelled.
//
//go:noinline
func (rec *recorder) flushRefs() {
	if err := rec.ctx.Err(); err != nil {
		rec.fail(err)
	}
	if (rec.n > 0 || rec.early) && !rec.noRefs {
		piece := rec.refs.Slice(0, rec.n)
		if err := rec.sink.Refs(&piece); err != nil {
			rec.fail(err)
		}
		rec.flushed += uint64(rec.n)
	}
	rec.n = 0
}

// count returns the number of references so far, as in the events' column.
func (rec *recorder) count() uint64 {
	if rec.noRefs {
		return 0
	}
	return rec.flushed + uint64(rec.n)
}

// event records an event of a kind after all earlier references and events.
func (rec *recorder) event(kind trace.Kind, peer int32) {
	rec.sync()
	rec.splitGap(rec.instr)
	e := trace.NewEvent(kind)
	e.Peer = peer
	rec.append(e, uint32(rec.instr-rec.atEvent))
}

// compute records the instructions since the previous event.
func (rec *recorder) compute() { rec.event(trace.Compute, trace.None) }

func (rec *recorder) append(e trace.Event, instr uint32) {
	e.Instr, e.Refs = instr, rec.count()
	rec.atEvent += uint64(instr)
	rec.rows.Rows = append(rec.rows.Rows, e)
	if len(rec.rows.Rows) >= eventRows && !rec.early {
		rec.flushEvents()
	}
}

// flushEarly writes what an early recording holds, if that is much. The tape must be empty: while this rank is
// paused, other ranks may reuse memory that words of the tape refer to.
func (rec *recorder) flushEarly() {
	if rec.early && (rec.n >= len(rec.refs.Addr)/2 || len(rec.rows.Rows) >= eventRows) {
		rec.flush()
	}
}

// flush writes everything to the sink.
func (rec *recorder) flush() {
	rec.flushEvents()
	rec.flushRefs()
}

func (rec *recorder) flushEvents() {
	if len(rec.rows.Rows) == 0 {
		return
	}
	if err := rec.sink.Events(&rec.rows); err != nil {
		rec.fail(err)
	}
	rec.events += uint64(len(rec.rows.Rows))
	rec.rows.Rows = rec.rows.Rows[:0]
}

// finish ends the record of a rank whose program has returned.
func (rec *recorder) finish() {
	rec.sync()
	rec.instr -= min(rec.debt, rec.instr-max(rec.atRef, rec.atEvent))
	rec.compute()
	rec.flush()
}

func (rec *recorder) totals() trace.Totals {
	return trace.Totals{Instr: unit.Instructions(rec.executed()), Refs: rec.flushed, Events: rec.events}
}

// Rule describes how Record orders the ranks. It belongs in the header of the trace.
const Rule = "one rank at a time: the one with the lowest clock (instructions executed and waited) runs on until it must wait; " +
	"at the same clock those that ask for locks come after others, and last those that take messages of any source, wait for one of several, " +
	"test, probe, wait for flags or read the clock, each by rank; " +
	"messages arrive when they are sent and are taken in the order of the sender's clock, its rank, and sending; " +
	"a failed test or iprobe waits 1 instruction, or if fewer than 64 were executed since the rank's previous one twice as many as that, up to 4096; " +
	"reading the clock waits 1 instruction"

// Options selects what is recorded.
type Options struct {
	Procs     int
	NoRefs    bool // events and instruction counts only
	Allocated bool // also references to memory that ranks allocate, not only to named arrays
	Unplaced  bool // also references to any other memory

	// Early is for backends that simulate a rank's references before they decide how the rank continues. Barriers,
	// locks, flags and readings of the clock are recorded before they are carried out. A Compute is recorded before
	// each message operation. When much has been recorded, and on Rank.Flush, the sink gets all events, then all
	// references, perhaps none. The sink may pause the rank while it has the references.
	Early bool

	// WholeCollectives records each collective of a rank as one event instead of its messages. Peer is the root and
	// Group the communicator's group. Bytes and layout describe the data that the rank combines or broadcasts,
	// sends (Gather, AllGather, AllToAll) or receives (Scatter).
	WholeCollectives bool
}

// Recording describes a whole run.
type Recording struct {
	Totals  []trace.Totals // by rank
	Regions []Region       // in the order of their first use
	Dropped uint64         // references that Options exclude
	Outside uint64         // estimate of the instructions of called code that does not count itself
}

// Record runs program on opt.Procs ranks and writes their operations to sink. The ranks are coroutines: the
// recording depends on the program alone.
//
// The machine is an ideal one. Every rank has a clock: the instructions that it executed plus those that it waited.
// Only instructions take time, so a message arrives at the clock of its sender. A wait sets the rank's clock to one of
// these clocks, if it is later:
//
//   - for a receive, that of the send;
//   - for a barrier, the highest of all ranks;
//   - for a lock, that of the unlock;
//   - for a flag, that of the last missing signal.
//
// Locks are granted in the order of the clocks at which ranks ask. A receive from any source takes the message that
// was sent first.
//
// Time passes for a program that polls. A Test or Iprobe that finds nothing waits one instruction. If the rank
// executed fewer than pollWindow instructions since its previous failed poll, it waits twice as long as that one
// did, up to maxPollWait. Therefore a program that does other work between polls is delayed little. A program that
// only polls needs some thousand polls for a billion instructions, instead of a billion. It detects the awaited
// event late, by at most the time that it has polled, and at most maxPollWait.
//
// Events count the instructions since the rank's previous event. The last event of every rank is a Compute with the
// remaining instructions.
func Record(ctx context.Context, opt Options, program Program, sink Sink) (*Recording, error) {
	return Run(ctx, opt, program, newScheduler(), sink)
}
