package weigh

import "slices"

// splitHeaders gives a header of their own to outer loops that begin with an inner loop. Both have the same first
// block in the machine code, so that they would be one natural loop. Their back edges come from different loops of
// the source.
func (m *matcher) splitHeaders() {
	for _, h := range slices.Clone(m.g.blocks) {
		for m.splitHeader(h) {
			m.g.domTree = m.g.dominators()
		}
	}
}

// splitHeader inserts an empty block before the innermost loop of header h, and reports whether it did. The block
// gets all edges to h except the back edges of that loop.
func (m *matcher) splitHeader(h *block) bool {
	back := map[*edge]regionCopy{}
	var inner regionCopy
	for _, e := range h.pred {
		if !m.g.domTree.dominates(h.id, e.from.id) {
			continue
		}
		s := m.lastLoop(e.from)
		if s.region == nil {
			return false
		}
		back[e] = s
		if inner.region == nil || s.within(inner) {
			inner = s
		}
	}
	outside := slices.ContainsFunc(h.pred, func(e *edge) bool {
		s, ok := back[e]
		return ok && s != inner && inner.within(s)
	})
	if h.id == 0 || !outside {
		return false
	}
	m.g.insertBefore(h, func(e *edge) bool { return back[e] != inner })
	return true
}

// insertBefore inserts an empty block that leads to b, and gets those edges to b that moves selects.
func (g *graph) insertBefore(b *block, moves func(*edge) bool) {
	v := &block{id: len(g.blocks)}
	g.blocks = append(g.blocks, v)
	var stay []*edge
	for _, e := range b.pred {
		if moves(e) {
			e.to = v
			v.pred = append(v.pred, e)
		} else {
			stay = append(stay, e)
		}
	}
	v.succ = []*edge{{from: v, to: b}}
	b.pred = append(stay, v.succ[0])
}

// lastLoop returns the source loop around the most reliable instruction of b, the last one if several are.
func (m *matcher) lastLoop(b *block) (loop regionCopy) {
	most := none
	for _, x := range b.code {
		c, line := m.scopes.at(x)
		if c == nil || x.evidence == none || x.evidence < most {
			continue
		}
		if s, _ := c.loopAt(line); s.region != nil {
			loop, most = s, x.evidence
		}
	}
	return loop
}
