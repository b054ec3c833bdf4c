package engine

import (
	"fmt"
	"slices"
	"strings"

	"spoor/traces/unit"
)

// Blocked is an operation that waits forever.
type Blocked struct {
	Rank int32
	Row  int64  // of the operation in its program
	For  int32  // the rank that it waits for, or None: any
	What string // that it waits for: "a message from rank 1 with tag 3"
}

// Deadlock is the error of a run in which ranks wait forever.
type Deadlock struct {
	At      unit.Picos // of the last event
	Ranks   int
	Blocked []Blocked // by rank and row
	Left    []string  // unmatched messages and receives, the first of each rank
}

// maxNamed is how many of a kind an error names.
const maxNamed = 8

// Error names the blocked ranks, their operations, and what they wait for.
func (d *Deadlock) Error() string {
	var b strings.Builder
	waiting := map[int32]bool{}
	for _, w := range d.Blocked {
		waiting[w.Rank] = true
	}
	fmt.Fprintf(&b, "deadlock at %v: %d of %d ranks wait forever", d.At, len(waiting), d.Ranks)
	for i, w := range d.Blocked[:min(maxNamed, len(d.Blocked))] {
		sep := ";"
		if i == 0 {
			sep = ":"
		}
		fmt.Fprintf(&b, "%s rank %d (event %d) for %s", sep, w.Rank, w.Row, w.What)
		if w.For >= 0 && !waiting[w.For] {
			fmt.Fprintf(&b, ", which has ended")
		}
	}
	if n := len(d.Blocked) - maxNamed; n > 0 {
		fmt.Fprintf(&b, "; and %d more", n)
	}
	if c := d.cycle(); c != nil {
		fmt.Fprintf(&b, "; cycle: %s", c)
	}
	if len(d.Left) > 0 {
		fmt.Fprintf(&b, "; left over: %s", list(d.Left))
	}
	return b.String()
}

// cycle returns ranks each of which waits only for the next.
func (d *Deadlock) cycle() cycle {
	on := map[int32]int32{}
	for _, w := range d.Blocked {
		if _, is := on[w.Rank]; !is {
			on[w.Rank] = w.For
		}
	}
	seen := map[int32]bool{}
	for _, w := range d.Blocked {
		var path cycle
		for at := w.Rank; ; at = on[at] {
			if i := slices.Index(path, at); i >= 0 {
				return path[i:]
			}
			if _, is := on[at]; !is || seen[at] {
				break
			}
			seen[at] = true
			path = append(path, at)
		}
	}
	return nil
}

type cycle []int32

// String returns "rank 0 for rank 1 for rank 0".
func (c cycle) String() string {
	var b strings.Builder
	for i, r := range c {
		if i == maxNamed && len(c) > maxNamed+1 {
			fmt.Fprintf(&b, "%d more for ", len(c)-maxNamed)
			break
		}
		fmt.Fprintf(&b, "rank %d for ", r)
	}
	fmt.Fprintf(&b, "rank %d", c[0])
	return b.String()
}

// Leftover is the error of a run that ended with messages that were not received, or receives without a message.
type Leftover struct{ Left []string }

// Error names some of them.
func (l *Leftover) Error() string { return "left over at the end: " + list(l.Left) }

func list(all []string) string {
	text := strings.Join(all[:min(maxNamed, len(all))], "; ")
	if n := len(all) - maxNamed; n > 0 {
		text += fmt.Sprintf("; and on %d more ranks", n)
	}
	return text
}

// checkFinished returns the error of a run that has no more events.
func (c *workers) checkFinished() error {
	ranks := c.engines[0].ranks
	d := &Deadlock{Ranks: len(ranks)}
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
		return &Leftover{d.Left}
	}
	return nil
}

// blocked returns the operations of r that wait, by row.
func (r *rank) blocked() (all []Blocked) {
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
	slices.SortFunc(all, func(a, b Blocked) int { return int(a.Row - b.Row) })
	if g := r.graph; g != nil && g.left > 0 && len(all) == 0 {
		all = append(all, Blocked{r.id, int64(slices.IndexFunc(g.remaining, func(n int32) bool { return n > 0 })), r.id, "operations that depend on themselves"})
	}
	return all
}

// waitsFor describes what a task waits for.
func (r *rank) waitsFor(s *task) Blocked {
	b := Blocked{Rank: r.id, Row: s.row, For: None}
	if r.e.opt.CoSimulator != nil {
		b.Row = r.e.opt.CoSimulator.Row(r.id)
	}
	if s.phase == suspended {
		b.What, b.For = r.e.opt.CoSimulator.WaitsFor(r.id)
		return b
	}
	if s.op.Kind == Probe {
		b.For, b.What = s.op.Peer, "to probe "+message(s.op.Peer, s.op.Tag, s.op.Group)
		return b
	}
	if s.op.Kind == WaitAny {
		b.What = fmt.Sprintf("one of %d requests to end", len(r.anyRequests))
		return b
	}
	b.For, b.What = r.describePending(s, s.pending)
	return b
}

// describePending describes what ends a pending operation of a task. It returns the rank that has to do it, or None.
func (r *rank) describePending(s *task, on int32) (other int32, what string) {
	p := &r.e.pendingOps.items[on]
	switch {
	case p.kind == Isend:
		return p.from, fmt.Sprintf("rank %d to receive its message of %d bytes%s%s", p.from, p.bytes, withTag(p.tag), inGroup(p.group))
	case p.kind == Collective:
		return None, "a collective that it began to end"
	case s.op.Kind == Collective:
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
		p := &r.e.pendingOps.items[i]
		if p.waiter != 0 {
			return
		}
		if n++; first == nil || p.order < first.order {
			first = p
		}
	}
	for i := range r.inbox.slots {
		for p := max(0, -r.inbox.slots[i].first); p > 0; p = r.e.pendingOps.items[p].next {
			look(p)
		}
	}
	if w := r.inbox.wild; w != nil {
		for _, p := range w.receives { // orders differ, so that the first does not depend on the order of the map
			for ; p != 0; p = r.e.pendingOps.items[p].next {
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
	case group == None:
		return ""
	case group < None:
		return " of a collective"
	}
	return fmt.Sprintf(" in group %d", group)
}
