package engine

import "spoor/traces/unit"

// line is the time-line of a rank: what its program does next, as far as that is known, and what it takes at
// least.
type line struct {
	sums  []unit.Picos // that what comes before each of rank.ops has taken at least, of as many as are known
	total unit.Picos   // that all of them take
	due   []due        // what is sent to each worker, and long messages
	ops   []Op         // rank.ops, if they are kept here
	own   bool         // they are
	then  []Op         // what the program gave after them
	over  bool         // the program has come to its end, or to an error
	err   error
}

func newLine(workers int) *line { return &line{due: make([]due, workers+1)} }

// due is messages to a worker, in the order in which they are sent.
type due struct {
	all  []promise
	head int
}

// promise is what a rank has done at least when it begins to send a message.
type promise struct {
	row int64 // of its operation
	sum unit.Picos
}

// after is how long it is at least until others feel the first message of an operation from a row on,
// for a rank that has done so much; or never.
func (d *due) after(row int64, done unit.Picos, e *engine) unit.Picos {
	for d.head < len(d.all) && d.all[d.head].row < row {
		d.head++
	}
	if d.head == len(d.all) {
		d.all, d.head = d.all[:0], 0
		return never
	}
	return max(d.all[d.head].sum-done, 0) + e.lookahead
}

func (d *due) add(p promise) {
	if d.head > 16 && 2*d.head > len(d.all) {
		d.all = d.all[:copy(d.all, d.all[d.head:])]
		d.head = 0
	}
	d.all = append(d.all, p)
}

// done is what a rank has done at least before operation i of those that it has.
func (k *line) done(i int) unit.Picos {
	if i < len(k.sums) {
		return k.sums[i]
	}
	return k.total
}

// ends is whether all is known that the program of r does.
func (k *line) ends(r *rank) bool { return k.over && len(k.sums) >= len(r.ops)+len(k.then) }

// fetch is the next operations of the program, where none is left.
func (r *rank) fetch() ([]Op, error) {
	k := r.line
	if k == nil {
		return r.program.Next()
	}
	k.sums = k.sums[:copy(k.sums, k.sums[min(len(r.ops), len(k.sums)):])]
	k.own = false
	if more := k.then; len(more) > 0 {
		k.then = nil
		return more, nil
	}
	if k.over {
		return nil, k.err
	}
	return r.program.Next()
}

// lookAhead puts operations on the time-line, so that there are so many from the present one on.
func (r *rank) lookAhead(ahead int) {
	k := r.line
	if r.main.phase == ended {
		return
	}
	for len(k.sums) < r.at-1 {
		k.sums = append(k.sums, k.total)
	}
	for len(k.sums)-r.at+1 < ahead {
		if len(k.sums) == len(r.ops)+len(k.then) && !r.extend(ahead) {
			return
		}
		i := len(k.sums)
		row := r.main.row + int64(i-r.at+1)
		if i < len(r.ops) {
			k.put(r, &r.ops[i], row)
		} else {
			k.put(r, &k.then[i-len(r.ops)], row)
		}
	}
}

// extend asks the program for more, and keeps what it gave and was not done: the program may
// write over it. Of what it gives, little is copied, and much is left where it is.
func (r *rank) extend(ahead int) bool {
	k := r.line
	if k.over || r.e.live != nil || k.last(r).Sensitive {
		return false
	}
	if first := r.at - 1; !k.own || 2*first >= len(r.ops) {
		k.ops = append(k.ops[:0], r.ops[first:]...)
		k.sums = k.sums[:copy(k.sums, k.sums[first:])]
		r.at, k.own = 1, true
	}
	k.ops = append(k.ops, k.then...)
	k.then = nil
	var more []Op
	if more, k.err = r.program.Next(); k.err != nil || len(more) == 0 {
		k.over = true
	}
	if len(more) < ahead {
		k.ops = append(k.ops, more...)
	} else {
		k.then = more
	}
	r.ops = k.ops
	r.main.op = &r.ops[r.at-1]
	return !k.over
}

// last is the last operation that r has.
func (k *line) last(r *rank) *Op {
	if n := len(k.then); n > 0 {
		return &k.then[n-1]
	}
	return &r.ops[len(r.ops)-1]
}

// put puts an operation on the time-line.
func (k *line) put(r *rank, op *Op, row int64) {
	e := r.e
	k.sums = append(k.sums, k.total)
	start := k.total + min(max(op.Work, 0), maxDuration)
	long := unit.Picos(0)
	switch op.Kind {
	case Send, Isend:
		bytes := op.Bytes
		if e.long(bytes) && !e.LogGOPSim {
			bytes = 0
		}
		long = e.sending(bytes) + op.Extra
		k.promise(r, op, promise{row, start})
	case Recv:
		if !e.LogGOPSim {
			long = e.leastReceiving() + op.Extra
		}
	case Collective:
		k.promise(r, op, promise{row, start})
	}
	k.total = min(start+min(max(long, 0), maxDuration), Horizon)
}

// promise notes who feels an operation.
func (k *line) promise(r *rank, op *Op, p promise) {
	e := r.e
	if op.Kind == Collective {
		for w := range k.due {
			k.due[w].add(p) // who is in it is found out when it begins
		}
		e.appointments += uint64(len(k.due) - 2)
		return
	}
	if e.long(op.Bytes) {
		k.due[len(k.due)-1].add(p)
	}
	if to := op.Peer; (to < e.first || to >= e.end) && to >= 0 && int(to) < len(e.ranks) {
		k.due[e.ownerOf(to)].add(p)
		e.appointments++
	}
}
