package memsys

import (
	"slices"

	"spoor/predict/internal/memsys/coherence"
	"spoor/traces/trace"
)

// limitedDirectory is a directory with a few pointers for each line [agarwal1988]. On overflow, Dir_i B sends the
// next store's invalidation to all processors. Dir_i NB invalidates the copy of the oldest pointer.
type limitedDirectory struct {
	procs     int
	pointers  int
	broadcast bool
	lines     map[uint64]*pointers
}

// pointers is the entry of one line.
type pointers struct {
	to       []trace.Proc // in the order of their requests
	overflow bool         // any others may have the line
}

func (*limitedDirectory) allocate(int, uint64) (uint64, bool) { return 0, false }

func (d *limitedDirectory) record(t *transaction, toInvalidate []trace.Proc) []trace.Proc {
	l := d.lines[t.line]
	if l == nil {
		l = &pointers{}
		d.lines[t.line] = l
	}
	if t.store {
		toInvalidate = d.others(l, t.proc, toInvalidate)
		l.to, l.overflow = append(l.to[:0], t.proc), false
		return toInvalidate
	}
	if alone := !l.overflow && !slices.ContainsFunc(l.to, func(q trace.Proc) bool { return q != t.proc }); !alone && t.states[t.proc] == coherence.Exclusive {
		t.states[t.proc] = coherence.Shared
	}
	switch {
	case l.overflow || slices.Contains(l.to, t.proc):
	case len(l.to) < d.pointers:
		l.to = append(l.to, t.proc)
	case d.broadcast:
		l.to, l.overflow = l.to[:0], true
	default:
		toInvalidate = append(toInvalidate, l.to[0])
		l.to = append(slices.Delete(l.to, 0, 1), t.proc)
	}
	return toInvalidate
}

// others appends the processors that may have a line, except p.
func (d *limitedDirectory) others(l *pointers, p trace.Proc, to []trace.Proc) []trace.Proc {
	for q := range trace.Proc(d.procs) {
		if q != p && (l.overflow || slices.Contains(l.to, q)) {
			to = append(to, q)
		}
	}
	return to
}

func (d *limitedDirectory) forget(_ int, p trace.Proc, line uint64) {
	if l := d.lines[line]; l != nil {
		l.to = slices.DeleteFunc(l.to, func(q trace.Proc) bool { return q == p })
	}
}
