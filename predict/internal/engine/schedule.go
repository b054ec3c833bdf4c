package engine

import (
	"slices"
	"spoor/predict/internal/engine/appointment"
	"spoor/predict/internal/engine/prefetch"
	"unsafe"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// schedule is the time-line of a rank [dickens1996]: the known next operations of its program, and the least time
// that each takes. Sums are computed for many operations at once, some of them beyond the known ones: one by one,
// each would wait for memory.
type schedule struct {
	// The fields that are used most.
	sums         []unit.Picos        // least time of all operations before one, if done one after the other
	base         int                 // index in sums at which rank.ops begin
	end          int                 // index in sums at which the unknown operations begin
	appointments []appointment.Queue // messages to each worker; last, rendezvous messages

	ops       program.Ops // the rank's operations, if they are stored here
	ownsOps   bool        // rank.ops are stored in ops
	ended     bool        // the program has ended or failed
	following program.Ops // what the program gave after ops
	err       error
	_         [56]byte
}

// newSchedules returns schedules without operations, with room for most of the operations to come.
func newSchedules(ranks, workers, ahead int) ([]schedule, []appointment.Queue) {
	room := 3*min(ahead, DefaultAhead) + 2 // see trim
	all, due, sums := make([]schedule, ranks), make([]appointment.Queue, ranks*(workers+1)), make([]unit.Picos, ranks*room)
	for i := range all {
		all[i].appointments = due[i*(workers+1) : (i+1)*(workers+1)]
		all[i].sums = sums[i*room : i*room+1 : (i+1)*room]
	}
	return all, due
}

// minBefore returns the least time of all operations before operation i of those that the rank has.
func (k *schedule) minBefore(i int) unit.Picos { return k.sums[min(k.base+i, k.end)] }

// total returns the least time of all known operations.
func (k *schedule) total() unit.Picos { return k.sums[k.end] }

// known returns how many of the rank's operations are known.
func (k *schedule) known() int { return k.end - k.base }

// complete reports whether the whole rest of the program of r is known.
func (k *schedule) complete(r *rank) bool {
	return k.ended && k.known() >= len(r.ops)+k.following.Len()
}

// knownOps returns the operations after those that the rank has, if they are known.
func (r *rank) knownOps() (ops program.Ops, err error, known bool) {
	if r.e.lookaheads == nil {
		return program.Ops{}, nil, false
	}
	k := &r.e.lookaheads.schedules[r.id-r.e.first]
	k.base += len(r.ops)
	k.ownsOps = false
	if more := k.following; more.Len() > 0 {
		k.following = program.Ops{}
		return more, nil, true
	}
	return program.Ops{}, k.err, k.ended
}

// fill adds operations to the schedule until there are `ahead` from the present one on.
func (k *schedule) fill(r *rank, ahead int) {
	if r.main.phase == ended {
		return
	}
	k.trim(r.at - 1)
	for k.canReadAhead(r, ahead) {
		k.readAhead(r, ahead)
	}
	end := min(r.at-1+ahead, len(r.ops)+k.following.Len())
	if k.base+end <= k.end {
		return
	}
	if k.base+end >= len(k.sums) {
		k.computeSums(r, end+ahead/2)
	}
	k.end = k.base + end
	row := r.main.row - int64(r.at-1)
	for w := range k.appointments {
		if n := k.appointments[w].Reveal(row+int64(end), r.main.row); w < len(k.appointments)-1 {
			r.e.appointments += n
		}
	}
}

// prefetch prefetches what updateLookahead reads of r and its schedule.
func (k *schedule) prefetch(r *rank, ahead int, fill bool) {
	prefetch.Lines(unsafe.Pointer(&k.sums[min(max(k.base+r.at-1, 0), k.end)]), 1)
	for w := range k.appointments {
		if first := k.appointments[w].First(); first != nil {
			prefetch.Lines(unsafe.Pointer(first), 1)
		}
	}
	if at := r.at - 1; uint(at) < uint(len(r.ops)) {
		prefetch.Lines(unsafe.Pointer(&r.ops[at]), 1)
	}
	if !fill || k.base+r.at-1+ahead < len(k.sums) {
		return
	}
	ops, from, to := r.ops, max(len(k.sums)-1-k.base, r.at-1), r.at-1+ahead+ahead/2
	if from >= len(ops) {
		ops, from, to = k.following.All, from-len(ops), to-len(ops)
	}
	if to = min(to, len(ops)); from < to {
		prefetchOps(ops[from:to])
	}
}

// prefetchOps prefetches at least one operation.
func prefetchOps(ops []program.Packed) {
	prefetch.Lines(unsafe.Pointer(&ops[0]), (len(ops)*int(unsafe.Sizeof(program.Packed{}))-1)/lineBytes+1)
}

// trim removes the sums of operations before the i-th, once they are most of sums. What is left, with what is added
// behind it, is at most three times `ahead`. All these operations may have been done without an update of the
// schedule.
func (k *schedule) trim(i int) {
	first, last := k.base+i, len(k.sums)-1
	if first > last {
		first, k.base = last, last-i
	}
	if k.end = max(k.end, first); 2*first >= len(k.sums) {
		k.sums = k.sums[:copy(k.sums, k.sums[first:])]
		k.base -= first
		k.end -= first
	}
}

// computeSums computes the sums of the operations before the i-th, or of all that there are.
func (k *schedule) computeSums(r *rank, i int) {
	row := r.main.row - int64(r.at-1)
	if from, to := len(k.sums)-1-k.base, min(i, len(r.ops)); from < to {
		k.addOps(r, program.Ops{All: r.ops[from:to], Wide: r.wide}, row+int64(from))
	}
	if from, to := len(k.sums)-1-k.base-len(r.ops), min(i-len(r.ops), k.following.Len()); from < to {
		k.addOps(r, k.following.Slice(from, to), row+int64(from+len(r.ops)))
	}
}

// readAhead gets more operations from the program. It first copies what the program gave and the rank has not done,
// because the program may overwrite it. Few of the new operations are copied; a long sequence stays where it is.
func (k *schedule) readAhead(r *rank, ahead int) {
	if first := r.at - 1; !k.ownsOps || 2*first >= len(r.ops) {
		k.ops.Reset()
		k.ops.Append(&program.Ops{All: r.ops[first:], Wide: r.wide})
		k.base += first
		r.at, k.ownsOps = 1, true
	}
	k.ops.Append(&k.following)
	k.following = program.Ops{}
	var more program.Ops
	if more, k.err = r.program.Next(); k.err != nil || more.Len() == 0 {
		k.ended = true
	}
	if more.Len() < ahead && r.e.direct == nil { // a running program may still change its last operation
		k.ops.Append(&more)
	} else {
		k.following = more
	}
	r.ops, r.wide = k.ops.All, k.ops.Wide
	r.main.op = r.op(r.at - 1)
}

// canReadAhead reports whether fewer than `ahead` operations are known from the present one on, and the program can give more.
func (k *schedule) canReadAhead(r *rank, ahead int) bool {
	return r.at-1+ahead > len(r.ops)+k.following.Len() && !k.ended && !k.lastOp(r).Sensitive && (r.e.direct == nil || r.isReady())
}

// isReady reports whether a directly executed program goes on although its operations have not ended.
func (r *rank) isReady() bool { return r.program.Ready != nil && r.program.Ready() }

// lastOp returns the last operation that r has.
func (k *schedule) lastOp(r *rank) program.Op {
	if n := k.following.Len(); n > 0 {
		return k.following.At(n - 1)
	}
	all := program.Ops{All: r.ops, Wide: r.wide}
	return all.At(all.Len() - 1)
}

// addOps adds operations to the schedule. The first of them has the given row.
func (k *schedule) addOps(r *rank, ops program.Ops, row int64) {
	n := len(k.sums)
	k.sums = slices.Grow(k.sums, ops.Len())[:n+ops.Len()]
	total, sums := k.sums[n-1], k.sums[n:]
	for i := range ops.All {
		p := &ops.All[i]
		if total += unit.Picos(p.Work); p.Kind != program.Wait && p.Kind != program.Irecv && p.Kind != program.Compute {
			op := ops.At(i)
			if p.Kind == program.IsWide {
				total += cost.Bounded(op.Work)
			}
			total = k.addOp(r, &op, appointment.Message{Row: row + int64(i), Begin: total})
		}
		total = min(total, cost.Horizon)
		sums[i] = total
	}
}

// addOp notes the receivers of an operation. It returns a lower bound on the time at which the processor has done it.
func (k *schedule) addOp(r *rank, op *program.Op, begun appointment.Message) unit.Picos {
	e, total := r.e, begun.Begin
	switch op.Kind {
	case program.Send, program.Isend:
		if op.Peer < e.first || op.Peer >= e.end || e.EagerLimit >= 0 {
			k.addAppointment(r, op, begun)
		}
		total += cost.Bounded(e.minSendOverhead(op.Bytes) + op.Extra)
	case program.Recv:
		if !e.LogGOPSim {
			total += cost.Bounded(e.MinReceiveOverhead() + op.Extra)
		}
	case program.Collective:
		k.addAppointment(r, op, begun)
	}
	return total
}

// addAppointment notes the workers that an operation affects.
func (k *schedule) addAppointment(r *rank, op *program.Op, p appointment.Message) {
	e := r.e
	if op.Kind == program.Collective {
		for w := range k.appointments {
			if w != e.number {
				k.appointments[w].Add(p) // its members become known when it begins
			}
		}
		return
	}
	if e.IsRendezvous(op.Bytes) {
		k.appointments[len(k.appointments)-1].Add(p)
	}
	if to := op.Peer; (to < e.first || to >= e.end) && to >= 0 && int(to) < len(e.ranks) {
		k.appointments[e.workerOf(to)].Add(p)
	}
}
