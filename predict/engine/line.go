package engine

import (
	"slices"
	"unsafe"

	"spoor/traces/unit"
)

// line is the time-line of a rank: what its program does next, as far as that is known, and what it takes at
// least. That is found for many operations together, some of them beyond what is known, which nobody looks at yet: one by one, each would wait
// for memory.
type schedule struct {
	// What is looked at of most.
	sums         []unit.Picos   // what all before an operation has taken at least, of one after the other
	base         int            // where rank.ops begin in sums
	end          int            // where in sums that is which is not known
	appointments []appointments // what is sent to each worker, and long messages

	ops       Ops  // the rank's, if they are kept here
	ownsOps   bool // they are
	ended     bool // the program has come to its end, or to an error
	following Ops  // what the program gave after them
	err       error
	_         [56]byte
}

// newLines are time-lines without any operations, that have room for most of what they are to have.
func newSchedules(ranks, workers, ahead int) ([]schedule, []appointments) {
	room := 3*min(ahead, DefaultAhead) + 2 // see forget
	all, due, sums := make([]schedule, ranks), make([]appointments, ranks*(workers+1)), make([]unit.Picos, ranks*room)
	for i := range all {
		all[i].appointments = due[i*(workers+1) : (i+1)*(workers+1)]
		all[i].sums = sums[i*room : i*room+1 : (i+1)*room]
	}
	return all, due
}

// due is messages to a worker, in the order in which they are sent.
type appointments struct {
	all   []appointment
	head  int32
	known int32 // how many are of operations that are known
}

// promise is what a rank has done at least when it begins to send a message.
type appointment struct {
	row int64 // of its operation
	sum unit.Picos
}

// after is how long it is at least until a rank that has done so much begins with the first message of an operation
// from a row on; or never.
func (d *appointments) untilNext(row int64, done unit.Picos) unit.Picos {
	for d.head < d.known && d.all[d.head].row < row {
		d.head++
	}
	if d.head >= d.known {
		return never
	}
	return max(d.all[d.head].sum-done, 0)
}

func (d *appointments) add(p appointment) {
	if d.head > 16 && 2*int(d.head) > len(d.all) {
		d.all = d.all[:copy(d.all, d.all[d.head:])]
		d.known -= d.head
		d.head = 0
	}
	d.all = append(d.all, p)
}

// show has those be known that are before a row. It is how many of them are from another row on.
func (d *appointments) reveal(before, from int64) (n uint64) {
	for ; int(d.known) < len(d.all) && d.all[d.known].row < before; d.known++ {
		if d.all[d.known].row >= from {
			n++
		}
	}
	return n
}

// done is what a rank has done at least before operation i of those that it has.
func (k *schedule) minBefore(i int) unit.Picos { return k.sums[min(k.base+i, k.end)] }

// total is what all that is known takes.
func (k *schedule) total() unit.Picos { return k.sums[k.end] }

// known is how many operations are, of those that the rank has.
func (k *schedule) known() int { return k.end - k.base }

// ends is whether all is known that the program of r does.
func (k *schedule) complete(r *rank) bool {
	return k.ended && k.known() >= len(r.ops)+k.following.Len()
}

// fetch is the next operations of the program, where none is left.
func (r *rank) nextOps() (Ops, error) {
	if r.e.lookaheads == nil {
		return r.program.Next()
	}
	k := &r.e.lookaheads.schedules[r.id-r.e.first]
	k.base += len(r.ops)
	k.ownsOps = false
	if more := k.following; more.Len() > 0 {
		k.following = Ops{}
		return more, nil
	}
	if k.ended {
		return Ops{}, k.err
	}
	return r.program.Next()
}

// lookAhead puts operations on the time-line, so that there are so many from the present one on.
func (k *schedule) fill(r *rank, ahead int) {
	if r.main.phase == ended {
		return
	}
	k.trim(r.at - 1)
	for r.at-1+ahead > len(r.ops)+k.following.Len() && k.readAhead(r, ahead) {
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
		if n := k.appointments[w].reveal(row+int64(end), r.main.row); w < len(k.appointments)-1 {
			r.e.appointments += n
		}
	}
}

// fetchOf fetches what an outlook looks at that r and its time-line point to.
func (k *schedule) prefetch(r *rank, ahead int, fill bool) {
	prefetch(unsafe.Pointer(&k.sums[min(max(k.base+r.at-1, 0), k.end)]), 1)
	for w := range k.appointments {
		if d := &k.appointments[w]; int(d.head) < len(d.all) {
			prefetch(unsafe.Pointer(&d.all[d.head]), 1)
		}
	}
	if at := r.at - 1; uint(at) < uint(len(r.ops)) {
		prefetch(unsafe.Pointer(&r.ops[at]), 1)
	}
	if !fill || k.base+r.at-1+ahead < len(k.sums) {
		return
	}
	ops, from, to := r.ops, max(len(k.sums)-1-k.base, r.at-1), r.at-1+ahead+ahead/2
	if from >= len(ops) {
		ops, from, to = k.following.all, from-len(ops), to-len(ops)
	}
	if to = min(to, len(ops)); from < to {
		prefetchOps(ops[from:to])
	}
}

// fetchOps fetches operations, one at least.
func prefetchOps(ops []packedOp) {
	prefetch(unsafe.Pointer(&ops[0]), (len(ops)*int(unsafe.Sizeof(packedOp{}))-1)/lineBytes+1)
}

// forget drops what operations before the i-th take, once that is most of sums: what is left, and what is put behind it, is at most
// three times what is looked ahead. All of those operations may have been done unseen.
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

// reckon finds what operations take, before the i-th or all that there are.
func (k *schedule) computeSums(r *rank, i int) {
	row := r.main.row - int64(r.at-1)
	if from, to := len(k.sums)-1-k.base, min(i, len(r.ops)); from < to {
		k.addOps(r, Ops{r.ops[from:to], r.wide}, row+int64(from))
	}
	if from, to := len(k.sums)-1-k.base-len(r.ops), min(i-len(r.ops), k.following.Len()); from < to {
		k.addOps(r, k.following.Slice(from, to), row+int64(from+len(r.ops)))
	}
}

// extend asks the program for more, and keeps what it gave and was not done: the program may
// write over it. Of what it gives, little is copied, and much is left where it is.
func (k *schedule) readAhead(r *rank, ahead int) bool {
	if k.ended || r.e.direct != nil || k.lastOp(r).Sensitive {
		return false
	}
	if first := r.at - 1; !k.ownsOps || 2*first >= len(r.ops) {
		k.ops.Reset()
		k.ops.append(&Ops{r.ops[first:], r.wide})
		k.base += first
		r.at, k.ownsOps = 1, true
	}
	k.ops.append(&k.following)
	k.following = Ops{}
	var more Ops
	if more, k.err = r.program.Next(); k.err != nil || more.Len() == 0 {
		k.ended = true
	}
	if more.Len() < ahead {
		k.ops.append(&more)
	} else {
		k.following = more
	}
	r.ops, r.wide = k.ops.all, k.ops.wide
	r.main.op = r.op(r.at - 1)
	return !k.ended
}

// last is the last operation that r has.
func (k *schedule) lastOp(r *rank) Op {
	if n := k.following.Len(); n > 0 {
		return k.following.At(n - 1)
	}
	all := Ops{r.ops, r.wide}
	return all.At(all.Len() - 1)
}

// put puts operations on the time-line, the first of which has a row.
func (k *schedule) addOps(r *rank, ops Ops, row int64) {
	n := len(k.sums)
	k.sums = slices.Grow(k.sums, ops.Len())[:n+ops.Len()]
	total, sums := k.sums[n-1], k.sums[n:]
	for i := range ops.all {
		p := &ops.all[i]
		if total += unit.Picos(p.work); p.kind != Wait && p.kind != Irecv && p.kind != Compute {
			op := ops.At(i)
			if p.kind == isWide {
				total += bounded(op.Work)
			}
			total = k.addOp(r, &op, appointment{row + int64(i), total})
		}
		total = min(total, Horizon)
		sums[i] = total
	}
}

// busy notes who feels an operation, and is when the processor has done with it at least.
func (k *schedule) addOp(r *rank, op *Op, begun appointment) unit.Picos {
	e, total := r.e, begun.sum
	switch op.Kind {
	case Send, Isend:
		if op.Peer < e.first || op.Peer >= e.end || e.EagerLimit >= 0 {
			k.addAppointment(r, op, begun)
		}
		total += bounded(e.minSendOverhead(op.Bytes) + op.Extra)
	case Recv:
		if !e.LogGOPSim {
			total += bounded(e.minReceiveOverhead() + op.Extra)
		}
	case Collective:
		k.addAppointment(r, op, begun)
	}
	return total
}

// leastSending is for how long the processor of a sender is busy at least.
func (e *engine) minSendOverhead(bytes int64) unit.Picos {
	if e.Sizes == nil {
		return e.Send
	}
	if e.isRendezvous(bytes) && !e.LogGOPSim {
		bytes = 0
	}
	return e.sendOverhead(bytes)
}

// bounded is a duration, or what is next to it of an operation that is not sound.
func bounded(long unit.Picos) unit.Picos {
	if uint64(long) <= uint64(maxDuration) {
		return long
	}
	return min(max(long, 0), maxDuration)
}

// promise notes who feels an operation.
func (k *schedule) addAppointment(r *rank, op *Op, p appointment) {
	e := r.e
	if op.Kind == Collective {
		for w := range k.appointments {
			if w != e.number {
				k.appointments[w].add(p) // who is in it is found out when it begins
			}
		}
		return
	}
	if e.isRendezvous(op.Bytes) {
		k.appointments[len(k.appointments)-1].add(p)
	}
	if to := op.Peer; (to < e.first || to >= e.end) && to >= 0 && int(to) < len(e.ranks) {
		k.appointments[e.workerOf(to)].add(p)
	}
}
