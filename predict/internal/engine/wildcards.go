package engine

import (
	"cmp"
	"slices"

	"spoor/predict/internal/engine/program"
)

// wildcards finds the partners of receives from any sender or with any tag, in constant time. It exists only in ranks
// that post such receives.
type wildcards struct {
	receives map[selector]int32 // the first posted receive of each selector, which leads to the next
	views    [3]packetView
}

// selector is what a wildcard receive selects: from or tag is None, or both are.
type selector struct{ from, tag, group int32 }

// packetView holds the unmatched packets by one form of selectors, in the order in which they were stored. It is empty
// until a receive of that form looks for a packet. It may hold packets that have been matched since then.
type packetView struct {
	used    bool
	packets map[selector][]storedPacket
	size    int
}

// storedPacket is an unmatched packet, as long as its stored is that of the packet.
type storedPacket struct {
	stored uint64
	packet int32
}

// formsOf returns the selectors that select messages of a sender, tag and group, by the number of their view.
func formsOf(from, tag, group int32) [3]selector {
	return [3]selector{{program.None, program.None, group}, {program.None, tag, group}, {from, program.None, group}}
}

// viewOf returns the number of the view of a selector.
func viewOf(s selector) int {
	switch {
	case s.tag >= 0:
		return 1
	case s.from >= 0:
		return 2
	}
	return 0
}

// selectorOf returns the selector of a wildcard receive.
func selectorOf(p *pendingOp) selector {
	return selector{max(p.from, program.None), max(p.tag, program.None), p.group}
}

// wildcards returns those of r.
func (r *rank) wildcards() *wildcards {
	if r.inbox.wild == nil {
		r.inbox.wild = &wildcards{receives: map[selector]int32{}}
	}
	return r.inbox.wild
}

// postWildcard stores a wildcard receive until its packet comes.
func (r *rank) postWildcard(n int32) {
	posted, ops := r.wildcards().receives, r.e.pendingOps.Items
	s := selectorOf(&ops[n])
	if first := posted[s]; first == 0 {
		posted[s] = n
	} else {
		ops[ops[first].last].next = n
		ops[first].last = n
	}
}

// matchWild returns the wildcard receive that takes a packet before the receive found, or 0.
func (r *rank) matchWild(m *packet, found int32) int32 {
	posted, ops := r.inbox.wild.receives, r.e.pendingOps.Items
	first, from := found, selector{}
	for _, s := range formsOf(m.from, m.tag, m.group) {
		if n := posted[s]; n != 0 && (first == 0 || int32(ops[n].order-ops[first].order) < 0) {
			first, from = n, s
		}
	}
	if first == found {
		return 0
	}
	if next := ops[first].next; next == 0 {
		delete(posted, from)
	} else {
		posted[from] = next
		ops[next].last = ops[first].last
	}
	return first
}

// storeForWildcards adds an unmatched packet to the views in use.
func (r *rank) storeForWildcards(i int32) {
	m := &r.e.packets.Items[i]
	for number, s := range formsOf(m.from, m.tag, m.group) {
		v := &r.inbox.wild.views[number]
		if !v.used {
			continue
		}
		if v.size > 2*(int(r.inbox.unmatched)+len(r.inbox.slots)) { // most are matched
			r.fill(v, number) // also with this packet
			continue
		}
		v.add(s, storedPacket{m.stored, i})
	}
}

func (v *packetView) add(s selector, p storedPacket) {
	v.packets[s] = append(v.packets[s], p)
	v.size++
}

// fill makes v hold the unmatched packets.
func (r *rank) fill(v *packetView, number int) {
	var all []storedPacket
	for _, s := range r.inbox.slots {
		for i := max(0, s.first); i != 0; i = r.e.packets.Items[i].next {
			all = append(all, storedPacket{r.e.packets.Items[i].stored, i})
		}
	}
	slices.SortFunc(all, func(a, b storedPacket) int { return cmp.Compare(a.stored, b.stored) })
	*v = packetView{used: true, packets: map[selector][]storedPacket{}}
	for _, p := range all {
		m := &r.e.packets.Items[p.packet]
		v.add(formsOf(m.from, m.tag, m.group)[number], p)
	}
}

// firstSelected returns the first unmatched packet that p selects, or 0.
func (r *rank) firstSelected(p *pendingOp) int32 {
	if p.from >= 0 && p.tag >= 0 {
		at, _ := r.channel(p.from, p.tag, p.group)
		return max(0, r.inbox.slots[at].first)
	}
	s := selectorOf(p)
	v := &r.wildcards().views[viewOf(s)]
	if !v.used {
		r.fill(v, viewOf(s))
	}
	queue := v.packets[s]
	for len(queue) > 0 && r.e.packets.Items[queue[0].packet].stored != queue[0].stored {
		queue = queue[1:]
		v.size--
	}
	if len(queue) == 0 {
		delete(v.packets, s)
		return 0
	}
	v.packets[s] = queue
	return queue[0].packet
}

// oldestUnmatched returns the unmatched packet that was stored first.
func (r *rank) oldestUnmatched() (oldest *packet) {
	for _, s := range r.inbox.slots {
		if s.first > 0 {
			if m := &r.e.packets.Items[s.first]; oldest == nil || m.stored < oldest.stored {
				oldest = m
			}
		}
	}
	return oldest
}
