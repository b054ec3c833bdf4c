package comm

import (
	"slices"

	"spoor/traces/trace"
)

// callKey is the n-th collective of a group, or the n-th barrier of an object in shared memory. As
// the key of a count, n is 0.
type callKey struct {
	group, object int32
	n             int
}

// pendingCollective is a collective at which its members arrive.
type pendingCollective struct {
	call
	came    int
	entered []path
	here    []bool
	exits   []moment // by member
	relay   *relay   // nil: members that need data wait for all
}

// arrives lets a processor arrive at a collective.
func (r *replay) arrives(t *task) error {
	s, a := t.step, t.actor
	key, members := callKey{group: s.group, object: trace.None}, r.members[s.group]
	if s.kind == trace.Barrier && s.peer >= 0 { // assumes that all processors take part
		key.object, members = s.peer, r.members[trace.None]
	}
	rounds := a.rounds.Of(key)
	key.n = *rounds
	*rounds++
	m := r.calls[key]
	if m == nil {
		n := len(members)
		m = &pendingCollective{call: call{kind: s.kind, bytes: make([]int64, n)}, entered: make([]path, n), here: make([]bool, n), exits: make([]moment, n)}
		r.calls[key] = m
	}
	i, _ := slices.BinarySearch(members, a.proc)
	if root, is := slices.BinarySearch(members, trace.Proc(s.peer)); is && rooted(m.kind) {
		m.root = root
	}
	if m.came == 0 {
		m.relay = newRelay(m.call, r.how)
	}
	m.entered[i], m.bytes[i], m.here[i] = t.begin, s.bytes, true
	if m.relay != nil {
		if err := r.passOn(m, i); err != nil {
			return err
		}
	} else if !receives(m.kind, r.how, m.root, i, len(members)) {
		m.exits[i] = moment{known: true, at: t.begin}
	}
	if m.came++; m.came == len(members) {
		delete(r.calls, key)
		if err := r.complete(m, members, key.object < 0); err != nil {
			return err
		}
	}
	if s.request >= 0 {
		return r.starts(t, &m.exits[i])
	}
	return r.await(t, &m.exits[i])
}

func rooted(k trace.Kind) bool {
	return k == trace.Bcast || k == trace.Reduce || k == trace.Gather || k == trace.Scatter
}

// complete computes when each member continues. A barrier in shared memory has no messages.
func (r *replay) complete(m *pendingCollective, members []trace.Proc, byMessages bool) error {
	var ends []path
	switch {
	case !byMessages:
		ends = m.direct(Costs{}, false)
	case r.how == Apart && m.relay != nil:
		return nil // all members have continued
	case r.how == Apart:
		ends = m.direct(r.Costs, true)
	default:
		ends = r.resolved(m, members)
	}
	for i := range m.exits {
		if !m.exits[i].known {
			if err := r.settle(&m.exits[i], ends[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// resolved sends the messages of the algorithm and counts them.
func (r *replay) resolved(m *pendingCollective, members []trace.Proc) []path {
	now, next, round := m.entered, slices.Clone(m.entered), 0
	m.send = func(at, from, to int, bytes int64) {
		if at != round {
			round = at
			copy(now, next)
		}
		next[to] = later(next[to], r.over(now[from], bytes))
		r.matrix.add(pair{members[from], members[to], m.kind}, bytes)
	}
	m.messages(r.how)
	return next
}

// direct is when members go on if each waits for all that it needs something of, or
// for the messages of these, where that is not one other member; see relay.
func (m *pendingCollective) direct(costs Costs, byMessages bool) []path {
	from := func(i int) path {
		switch {
		case !byMessages:
			return m.entered[i]
		case m.kind == trace.AllToAll:
			return costs.over(m.entered[i], m.bytes[i]/int64(len(m.bytes)))
		}
		return costs.over(m.entered[i], m.bytes[i])
	}
	ends := slices.Clone(m.entered)
	switch m.kind {
	case trace.Reduce, trace.Gather:
		for i := range ends {
			if i != m.root {
				ends[m.root] = later(ends[m.root], from(i))
			}
		}
	default:
		m.others(ends, from)
	}
	return ends
}

// others has everybody wait for everybody else.
func (m *pendingCollective) others(ends []path, from func(int) path) {
	var first, second path // the latest two
	at := -1
	for i := range ends {
		if p := from(i); at < 0 || later(first, p) != first {
			first, second, at = p, first, i
		} else {
			second = later(second, p)
		}
	}
	for i := range ends {
		if i == at {
			ends[i] = later(ends[i], second)
		} else {
			ends[i] = later(ends[i], first)
		}
	}
}
