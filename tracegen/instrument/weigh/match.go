package weigh

import "slices"

// A matcher finds what the blocks of one piece of machine code are in the source.
type matcher struct {
	g       *graph
	scopes  *scopes
	loops   []*loop
	classes []*class
}

// match finds the source loop of each machine loop and the region of each class.
func match(g *graph, s *scopes) *matcher {
	g.before = g.dominators()
	m := &matcher{g: g, scopes: s}
	m.loops = g.loops()
	for _, l := range m.loops {
		if l.trips = l.constantTrips(); l.trips == 0 {
			l.source = m.sourceLoop(l)
		}
	}
	m.classes = g.classes(m.loops)
	for _, c := range m.classes {
		c.spot = m.region(c)
	}
	m.resolve()
	for _, b := range g.blocks {
		b.fork = m.fork(b)
	}
	return m
}

// fork returns the first branch of the if statement whose condition ends b.
func (m *matcher) fork(b *block) spot {
	last := b.last()
	c, line := m.scopes.at(last)
	if last.op != branch || c == nil || line < 1 || line >= len(c.file.regions.at) {
		return spot{}
	}
	then := c.file.regions.at[line].then
	if then == nil || then.fn != c.fn.fn {
		return spot{}
	}
	return spot{c, then}
}

// spot returns what has the count of an instruction, as its line tells, for code
// in machine loop l.
func (m *matcher) spot(x instruction, l spot) spot {
	c, line := m.scopes.at(x)
	if c == nil {
		return spot{}
	}
	return c.find(line, l)
}

// sourceLoop returns the source loop that most of the evidence in l, apart from
// loops within it, is directly in. It is within that of the loop around l.
func (m *matcher) sourceLoop(l *loop) spot {
	var v votes
	var around spot
	if l.parent != nil {
		around = l.parent.source
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
				e = hint // perhaps of what comes before the loop
			}
			if s.region != nil && s != around && (around.region == nil || s.within(around)) {
				v.add(s, e)
			}
		}
	}
	if i := v.best(); i >= 0 {
		return v.spots[i]
	}
	return spot{}
}

// loopAt returns the innermost loop around a line, for range clauses the one of
// which they are.
func (c *scope) loopAt(line int) (loop spot, clause bool) {
	if line < 1 || line >= len(c.file.regions.at) {
		return spot{}, false
	}
	p := c.file.regions.at[line]
	r := p.region
	if p.inside != nil {
		r = p.inside
	}
	if r == nil || r.fn != c.fn.fn {
		return spot{}, false
	}
	return spot{c, r}.loop(), p.inside != nil
}

// region returns the region of a class. Classes that dominate it have theirs.
func (m *matcher) region(c *class) spot {
	first := c.first()
	if root := m.scopes.all[m.g.root]; first.id == 0 && first.loop == nil && root != nil {
		c.decided = true
		return spot{root, root.fn}
	}
	around, unknown := first.loop.around()
	v := m.evidence(c, around, unknown)
	if first.loop != nil && !unknown && first.loop.header.class == c {
		if s, ok := m.header(c, around, v); ok {
			c.decided = true
			return s
		}
	}
	i := v.best()
	if i < 0 {
		return spot{}
	}
	return v.outermost(i)
}

// around returns the innermost source loop around a machine loop, itself included,
// and whether there are loops of code between them whose source is not known.
func (l *loop) around() (s spot, unknown bool) {
	for ; l != nil; l = l.parent {
		if l.source.region != nil {
			return l.source, unknown
		}
		unknown = true
	}
	return spot{}, unknown
}

// resolve takes regions from classes that are executed less often: of two classes
// with the same region, neither of which dominates the other, one is that region only
// if it post-dominates the other.
func (m *matcher) resolve() {
	for changed := true; changed; {
		changed = false
		for _, c := range m.classes {
			if c.spot.region != nil && !c.decided && slices.ContainsFunc(m.classes, func(o *class) bool { return m.beats(o, c) }) {
				c.lost = append(c.lost, c.spot)
				c.spot = m.region(c)
				changed = true
			}
		}
	}
}

// beats reports whether o has the region of c and c does not post-dominate o.
func (m *matcher) beats(o, c *class) bool {
	if o == c || o.spot != c.spot {
		return false
	}
	l := c.first().loop
	return o.first().loop != l || !m.g.after[l].above(c.first().id, o.first().id)
}

// evidence counts the votes of a class for regions that are in the source loop of
// its machine loop, or on the way out of one within, and that no class above it has.
// In a loop of code whose source is not known, only what that code calls can be.
func (m *matcher) evidence(c *class, around spot, unknown bool) *votes {
	v := &votes{}
	for _, b := range c.blocks {
		for _, x := range b.code {
			s := m.spot(x, around)
			if x.evidence == none || s.region == nil || unknown && !s.isHosted() {
				continue
			}
			if s.loop() != around && !m.leaves(c, s.loop()) {
				continue
			}
			if !m.taken(c, s) && !slices.Contains(c.lost, s) {
				v.add(s, x.evidence)
			}
		}
	}
	return v
}

// leaves reports whether c is on the way out of source loop l: what only leads to a
// return or break is not part of the machine loop.
func (m *matcher) leaves(c *class, l spot) bool {
	if l.region == nil {
		return false
	}
	return slices.ContainsFunc(m.loops, func(o *loop) bool {
		return o.source == l && !o.blocks[c.first()] && m.g.before.above(o.header.id, c.first().id)
	})
}

// taken reports whether a class above c has s.
func (m *matcher) taken(c *class, s spot) bool {
	tree := m.g.before
	for id := c.first().id; tree.parent[id] != id; {
		id = tree.parent[id]
		if a := m.g.blocks[id].class; a != nil && a != c && a.spot == s {
			return true
		}
	}
	return false
}

// header returns the region of the class that a loop's header is in, if it is
// decided: the test of the loop, or, if it has none, its body.
func (m *matcher) header(c *class, around spot, v *votes) (spot, bool) {
	if !around.region.tests {
		return around, true
	}
	for k, s := range v.spots {
		if s.region.kind == testRegion && s.loop() == around && v.all[k] >= fair {
			return s, true
		}
	}
	for _, b := range c.blocks {
		if last := b.last(); last.op == branch && b.exits() && m.spot(last, around) == around {
			return spot{}, true // the hidden test of a range loop
		}
	}
	return spot{}, false
}

// exits reports whether b can be the last of a loop.
func (b *block) exits() bool {
	for _, e := range b.succ {
		if !b.loop.blocks[e.to] {
			return true
		}
	}
	return false
}
