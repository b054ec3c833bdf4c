package memsys

import (
	"slices"

	"spoor/traces/trace"
)

// limited is a directory that knows some processors of each line. If there are more, it knows no
// more than that and tells everybody of the next store (Dir_i B), or takes away the copy of the one it knew first (Dir_i NB)
// [agarwal1988].
type limited struct {
	procs     int
	pointers  int
	broadcast bool
	lines     map[uint64]*pointers
}

// pointers is what is known of one line.
type pointers struct {
	to       []trace.Proc // in the order they came
	overflow bool         // there may be any others
}

func (*limited) room(int, uint64) (uint64, bool) { return 0, false }

func (d *limited) enter(t *transaction, lose []trace.Proc) []trace.Proc {
	l := d.lines[t.line]
	if l == nil {
		l = &pointers{}
		d.lines[t.line] = l
	}
	if t.store {
		lose = d.others(l, t.proc, lose)
		l.to, l.overflow = append(l.to[:0], t.proc), false
		return lose
	}
	if alone := !l.overflow && !slices.ContainsFunc(l.to, func(q trace.Proc) bool { return q != t.proc }); !alone && t.where[t.proc] == exclusive {
		t.where[t.proc] = shared
	}
	switch {
	case l.overflow || slices.Contains(l.to, t.proc):
	case len(l.to) < d.pointers:
		l.to = append(l.to, t.proc)
	case d.broadcast:
		l.to, l.overflow = l.to[:0], true
	default:
		lose = append(lose, l.to[0])
		l.to = append(slices.Delete(l.to, 0, 1), t.proc)
	}
	return lose
}

// others appends who may have a line besides p.
func (d *limited) others(l *pointers, p trace.Proc, to []trace.Proc) []trace.Proc {
	for q := range trace.Proc(d.procs) {
		if q != p && (l.overflow || slices.Contains(l.to, q)) {
			to = append(to, q)
		}
	}
	return to
}

func (d *limited) leave(_ int, p trace.Proc, line uint64) {
	if l := d.lines[line]; l != nil {
		l.to = slices.DeleteFunc(l.to, func(q trace.Proc) bool { return q == p })
	}
}
