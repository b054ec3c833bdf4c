package weigh

import "slices"

// A matcher assigns source regions to the blocks of one piece of machine code.
type matcher struct {
	g       *graph
	scopes  *functionCopies
	loops   []*loop
	classes []*controlClass
}

// match finds the source loop of each machine loop, and the region of each class.
func match(g *graph, s *functionCopies) *matcher {
	g.domTree = g.dominators()
	m := &matcher{g: g, scopes: s}
	m.splitHeaders()
	m.loops = g.loops()
	for _, l := range m.loops {
		if l.trips = l.constantTrips(); l.trips == 0 {
			l.sourceLoop = m.sourceLoop(l)
			l.jumps = l.sourceLoop.region == nil && m.isJumpLoop(l)
		}
	}
	m.classes = g.classes(m.loops)
	for _, c := range m.classes {
		c.region = m.chooseRegion(c)
	}
	m.resolve()
	for _, b := range g.blocks {
		b.thenBranch = m.thenBranch(b)
	}
	return m
}

// thenBranch returns the first branch of the if statement whose condition ends b.
func (m *matcher) thenBranch(b *block) regionCopy {
	last := b.last()
	c, line := m.scopes.at(last)
	if last.op != branch || c == nil || line < 1 || line >= len(c.file.regions.at) {
		return regionCopy{}
	}
	then := c.file.regions.at[line].thenBranch
	if then == nil || then.fn != c.fn.fn {
		return regionCopy{}
	}
	return regionCopy{c, then}
}

// regionOf returns the region of an instruction by its line, for code in machine loop l.
func (m *matcher) regionOf(x instruction, l regionCopy) regionCopy {
	c, line := m.scopes.at(x)
	if c == nil {
		return regionCopy{}
	}
	return c.regionAt(line, l)
}

// sourceLoop returns the source loop with the most evidence in l, without inner loops of l. It must be inside the
// source loop of the loop around l.
func (m *matcher) sourceLoop(l *loop) regionCopy {
	var v votes
	var around regionCopy
	if l.parent != nil {
		around = l.parent.sourceLoop
	}
	for _, b := range m.g.blocks {
		if b.loop != l {
			continue
		}
		for _, x := range b.code {
			c, line := m.scopes.at(x)
			if c == nil || x.evidence == none {
				continue
			}
			s, clause := c.loopAt(line)
			e := x.evidence
			switch {
			case b == l.header && x.op == branch && b.exits():
				e = sure
			case clause:
				e = hint // perhaps of code before the loop
			}
			if s.region != nil && s != around && (around.region == nil || s.within(around)) {
				v.add(s, e)
			}
		}
	}
	if i := v.best(); i >= 0 {
		return v.regions[i]
	}
	return regionCopy{}
}

// isJumpLoop reports whether most of the evidence in l, without inner loops, is code after a label of a goto.
func (m *matcher) isJumpLoop(l *loop) bool {
	after, others := 0, 0
	for _, b := range m.g.blocks {
		if b.loop != l {
			continue
		}
		for _, x := range b.code {
			switch s := m.regionOf(x, regionCopy{}); {
			case x.evidence == none || s.region == nil:
			case s.region.again != nil:
				after++
			default:
				others++
			}
		}
	}
	return after > others
}

// loopAt returns the innermost loop around a line. For a range clause, that is the clause's own loop.
func (c *functionCopy) loopAt(line int) (loop regionCopy, clause bool) {
	if line < 1 || line >= len(c.file.regions.at) {
		return regionCopy{}, false
	}
	p := c.file.regions.at[line]
	r := p.region
	if p.loopBody != nil {
		r = p.loopBody
	}
	if r == nil || r.fn != c.fn.fn {
		return regionCopy{}, false
	}
	return regionCopy{c, r}.loop(), p.loopBody != nil
}

// chooseRegion returns the region of a class. The regions of dominating classes are already known.
func (m *matcher) chooseRegion(c *controlClass) regionCopy {
	first := c.first()
	if root := m.scopes.all[m.g.root]; first.id == 0 && first.loop == nil && root != nil {
		c.fixed = true
		return regionCopy{root, root.fn}
	}
	around, unknown := first.loop.enclosingSource()
	v := m.evidence(c, around, unknown)
	if first.loop != nil && !unknown && !first.loop.jumps && first.loop.header.class == c {
		if s, ok := m.headerRegion(c, around, v); ok {
			c.fixed = true
			return s
		}
	}
	i := v.best()
	if i < 0 {
		return regionCopy{}
	}
	return v.outermost(i)
}

// enclosingSource returns the source loop of the innermost machine loop that has one, starting with l. It also
// reports whether it skipped machine loops without a known source.
func (l *loop) enclosingSource() (s regionCopy, unknown bool) {
	for ; l != nil; l = l.parent {
		if l.sourceLoop.region != nil {
			return l.sourceLoop, unknown
		}
		unknown = unknown || !l.jumps
	}
	return regionCopy{}, unknown
}

// resolve removes regions from classes that are executed less often. If two classes have the same region and
// neither dominates the other, a class keeps the region only if it post-dominates the other.
func (m *matcher) resolve() {
	for changed := true; changed; {
		changed = false
		for _, c := range m.classes {
			if c.region.region != nil && !c.fixed && slices.ContainsFunc(m.classes, func(o *controlClass) bool { return m.runsMoreOften(o, c) }) {
				c.rejected = append(c.rejected, c.region)
				c.region = m.chooseRegion(c)
				changed = true
			}
		}
	}
}

// runsMoreOften reports whether o has the region of c, and c does not post-dominate o.
func (m *matcher) runsMoreOften(o, c *controlClass) bool {
	if o == c || o.region != c.region {
		return false
	}
	l := c.first().loop
	return o.first().loop != l || !m.g.postDomTrees[l].dominates(c.first().id, o.first().id)
}

// evidence counts the votes of a class. It counts votes for regions in the source loop around, or on an exit path
// of a loop inside it, unless a dominating class has the region. In a machine loop without a known source, it
// counts only votes for copies that unknown code calls.
func (m *matcher) evidence(c *controlClass, around regionCopy, unknown bool) *votes {
	v := &votes{}
	for _, b := range c.blocks {
		for _, x := range b.code {
			s := m.regionOf(x, around)
			if x.evidence == none || s.region == nil || unknown && !s.hasUnknownCaller() {
				continue
			}
			if s.loop() != around && !m.exitsLoop(c, s.loop()) {
				continue
			}
			if !m.hasDominator(c, s) && !slices.Contains(c.rejected, s) {
				v.add(s, x.evidence)
			}
		}
	}
	return v
}

// exitsLoop reports whether c is on an exit path of source loop l. Code that only leads to a return or break is not
// part of the machine loop.
func (m *matcher) exitsLoop(c *controlClass, l regionCopy) bool {
	if l.region == nil {
		return false
	}
	return slices.ContainsFunc(m.loops, func(o *loop) bool {
		return o.sourceLoop == l && !o.blocks[c.first()] && m.g.domTree.dominates(o.header.id, c.first().id)
	})
}

// hasDominator reports whether a class that dominates c has region s.
func (m *matcher) hasDominator(c *controlClass, s regionCopy) bool {
	tree := m.g.domTree
	for id := c.first().id; tree.parent[id] != id; {
		id = tree.parent[id]
		if a := m.g.blocks[id].class; a != nil && a != c && a.region == s {
			return true
		}
	}
	return false
}

// headerRegion returns the region of the class that contains a loop's header, and whether it is determined. It is
// the test of the loop, or the body if the loop has no test.
func (m *matcher) headerRegion(c *controlClass, around regionCopy, v *votes) (regionCopy, bool) {
	if !around.region.tests {
		return around, true
	}
	for k, s := range v.regions {
		if s.region.kind == testRegion && s.loop() == around && v.all[k] >= fair {
			return s, true
		}
	}
	for _, b := range c.blocks {
		if last := b.last(); last.op == branch && b.exits() && m.regionOf(last, around) == around {
			return regionCopy{}, true // the implicit test of a range loop
		}
	}
	return regionCopy{}, false
}

// exits reports whether b can be the last block of its loop.
func (b *block) exits() bool {
	for _, e := range b.succ {
		if !b.loop.blocks[e.to] {
			return true
		}
	}
	return false
}
