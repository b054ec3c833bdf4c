package engine

import (
	"fmt"
	"slices"

	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
)

// checkFinished returns the error of a run that has no more events.
func (c *workers) checkFinished() error {
	ranks := c.engines[0].ranks
	d := &outcome.Deadlock{Ranks: len(ranks)}
	for i := range ranks {
		r := &ranks[i]
		d.At = max(d.At, r.cpu)
		d.Blocked = append(d.Blocked, r.blocked()...)
		if left := r.leftOver(); left != "" {
			d.Left = append(d.Left, left)
		}
	}
	switch {
	case len(d.Blocked) > 0:
		return d
	case len(d.Left) > 0:
		return &outcome.Leftover{Left: d.Left}
	}
	return nil
}

// blocked returns the operations of r that wait, by row.
func (r *rank) blocked() (all []outcome.Blocked) {
	if r.main.phase == blocked || r.main.phase == suspended {
		all = append(all, r.waitsFor(&r.main))
	}
	if r.tasks != nil {
		for _, s := range r.tasks.all {
			if s.phase == blocked {
				all = append(all, r.waitsFor(s))
			}
		}
	}
	slices.SortFunc(all, func(a, b outcome.Blocked) int { return int(a.Row - b.Row) })
	if g := r.graph; g != nil && g.left > 0 && len(all) == 0 {
		all = append(all, outcome.Blocked{Rank: r.id, Row: int64(slices.IndexFunc(g.states, func(s graphOp) bool { return s.remaining > 0 })), For: r.id, What: "operations that depend on themselves"})
	}
	return all
}

// waitsFor describes what a task waits for.
func (r *rank) waitsFor(s *task) outcome.Blocked {
	b := outcome.Blocked{Rank: r.id, Row: s.row, For: program.None}
	if r.e.opt.CoSimulator != nil {
		b.Row = r.e.opt.CoSimulator.Row(r.id)
	}
	if s.phase == suspended {
		b.What, b.For = r.e.opt.CoSimulator.WaitsFor(r.id)
		return b
	}
	if s.op.Kind == program.Probe {
		b.For, b.What = s.op.Peer, "in a probe for "+message(s.op.Peer, s.op.Tag, s.op.Group)
		return b
	}
	if s.op.Kind == program.WaitAny {
		b.What = fmt.Sprintf("one of %d requests to end", len(r.anyRequests))
		return b
	}
	b.For, b.What = r.describePending(s, s.pending)
	return b
}

// describePending describes what ends a pending operation of a task. It returns the rank that has to do it, or None.
func (r *rank) describePending(s *task, on int32) (other int32, what string) {
	p := &r.e.pendingOps.Items[on]
	switch {
	case p.kind == program.Isend:
		return p.from, fmt.Sprintf("rank %d to receive its message of %d bytes%s%s", p.from, p.bytes, withTag(p.tag), inGroup(p.group))
	case p.kind == program.Collective:
		return program.None, "a collective that it began to end"
	case s.op.Kind == program.Collective:
		return p.from, fmt.Sprintf("rank %d in a collective", p.from)
	}
	return p.from, message(p.from, p.tag, p.group)
}

// leftOver describes an unmatched message or receive of r and counts the others. It omits receives for which an
// operation waits, because these are named as blocked.
func (r *rank) leftOver() string {
	var text string
	if n := r.inbox.unmatched; n > 0 {
		m := r.oldestUnmatched()
		text = fmt.Sprintf("%s that rank %d does not receive%s", message(m.from, m.tag, m.group), r.id, more(int(n)))
	}
	p, n := r.leftReceives()
	if n == 0 {
		return text
	}
	if text != "" {
		text += " and "
	}
	return text + fmt.Sprintf("a receive on rank %d of %s that is not sent%s", r.id, message(p.from, p.tag, p.group), more(n))
}

// leftReceives returns the first unmatched receive for which no operation waits, and how many there are.
func (r *rank) leftReceives() (first *pendingOp, n int) {
	look := func(i int32) {
		p := &r.e.pendingOps.Items[i]
		if p.waiter != 0 {
			return
		}
		if n++; first == nil || p.order < first.order {
			first = p
		}
	}
	for i := range r.inbox.slots {
		for p := max(0, -r.inbox.slots[i].first); p > 0; p = r.e.pendingOps.Items[p].next {
			look(p)
		}
	}
	if w := r.inbox.wild; w != nil {
		for _, p := range w.receives { // orders differ, so that the first does not depend on the order of the map
			for ; p != 0; p = r.e.pendingOps.Items[p].next {
				look(p)
			}
		}
	}
	return first, n
}

func more(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n-1)
}

// message returns "a message from rank 1 with tag 3 in group 2".
func message(from, tag, group int32) string {
	text := "a message from any rank"
	if from >= 0 {
		text = fmt.Sprintf("a message from rank %d", from)
	}
	return text + withTag(tag) + inGroup(group)
}

func withTag(tag int32) string {
	if tag < 0 {
		return ""
	}
	return fmt.Sprintf(" with tag %d", tag)
}

func inGroup(group int32) string {
	switch {
	case group == program.None:
		return ""
	case group < program.None:
		return " of a collective"
	}
	return fmt.Sprintf(" in group %d", group)
}
