package cache

import (
	"math/rand/v2"
	"slices"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// naiveLine is a line that a set holds.
type naiveLine struct {
	line  uint64
	dirty bool
}

// A naiveSet is the definition of a policy for one set.
type naiveSet interface {
	// find is the line, nil if it is not there.
	find(line uint64) *naiveLine
	// used tells that the line, which is there, was used.
	used(line uint64)
	// add puts a line in that is not there, and returns the one that it replaces, if any.
	add(l naiveLine) (victim naiveLine, full bool)
	// remove takes a line out that is there.
	remove(line uint64)
}

// naiveOrder is LRU or FIFO: lines in the order in which they leave, the next one first.
type naiveOrder struct {
	ways  int
	lru   bool
	lines []*naiveLine
}

func (s *naiveOrder) at(line uint64) int {
	return slices.IndexFunc(s.lines, func(l *naiveLine) bool { return l.line == line })
}

func (s *naiveOrder) find(line uint64) *naiveLine {
	if i := s.at(line); i >= 0 {
		return s.lines[i]
	}
	return nil
}

func (s *naiveOrder) used(line uint64) {
	if s.lru {
		l := s.find(line)
		s.remove(line)
		s.lines = append(s.lines, l)
	}
}

func (s *naiveOrder) add(l naiveLine) (victim naiveLine, full bool) {
	if full = len(s.lines) == s.ways; full {
		victim = *s.lines[0]
		s.lines = s.lines[1:]
	}
	s.lines = append(s.lines, &l)
	return victim, full
}

func (s *naiveOrder) remove(line uint64) { s.lines = slices.Delete(s.lines, s.at(line), s.at(line)+1) }

// naiveRandom draws among the lines in the order in which their ways were filled.
type naiveRandom struct {
	naiveOrder
	draw *rand.Rand
}

func (s *naiveRandom) add(l naiveLine) (victim naiveLine, full bool) {
	if full = len(s.lines) == s.ways; !full {
		s.lines = append(s.lines, &l)
		return victim, full
	}
	at := s.draw.IntN(s.ways)
	victim = *s.lines[at]
	s.lines[at] = &l
	return victim, full
}

func (s *naiveRandom) remove(line uint64) {
	at, last := s.at(line), len(s.lines)-1
	s.lines[at] = s.lines[last]
	s.lines = s.lines[:last]
}

// naiveTree is PLRU as it is drawn: a half is a way or two halves, of which one is to leave.
type naiveTree struct {
	line  *naiveLine // of a way
	half  [2]*naiveTree
	older int
}

func newNaiveTree(ways int) *naiveTree {
	if ways == 1 {
		return &naiveTree{}
	}
	return &naiveTree{half: [2]*naiveTree{newNaiveTree(ways / 2), newNaiveTree(ways / 2)}}
}

// way visits the ways from the lowest until f is satisfied; then it is that way, and the halves on the path
// point away from it if touch is set.
func (t *naiveTree) way(f func(*naiveTree) bool, touch bool) *naiveTree {
	if t.half[0] == nil {
		if f(t) {
			return t
		}
		return nil
	}
	for i, h := range t.half {
		if w := h.way(f, touch); w != nil {
			if touch {
				t.older = 1 - i
			}
			return w
		}
	}
	return nil
}

func has(line uint64) func(*naiveTree) bool {
	return func(t *naiveTree) bool { return t.line != nil && t.line.line == line }
}

func (t *naiveTree) find(line uint64) *naiveLine {
	if w := t.way(has(line), false); w != nil {
		return w.line
	}
	return nil
}

func (t *naiveTree) used(line uint64)   { t.way(has(line), true) }
func (t *naiveTree) remove(line uint64) { t.way(has(line), false).line = nil }

func (t *naiveTree) add(l naiveLine) (victim naiveLine, full bool) {
	w := t.way(func(t *naiveTree) bool { return t.line == nil }, false)
	if full = w == nil; full {
		for w = t; w.half[0] != nil; w = w.half[w.older] {
		}
		victim = *w.line
	}
	w.line = &l
	t.used(l.line)
	return victim, full
}

// naiveLevel is one cache.
type naiveLevel struct {
	*Level
	Counts
	sets      []naiveSet
	next      *naiveLevel
	above     []*naiveLevel
	full      *naiveOrder // the fully associative one of the same size
	seen      map[uint64]bool
	requested []naiveUse
	lastRef   int
}

// naiveUse is what a level is requested, for OPT.
type naiveUse struct {
	naiveLine
	op   op
	ref  int
	mark bool // a write-back
	drop bool // a flush
	why  cause

	bytes uint64 // of what is written back
}

func newNaiveLevel(l *Level, seed uint64) *naiveLevel {
	n := &naiveLevel{Level: l, seen: map[uint64]bool{}, full: &naiveOrder{ways: int(l.Sets * l.Ways), lru: true}}
	draw := rand.New(rand.NewPCG(seed, 0x5eed))
	for range l.Sets {
		order := naiveOrder{ways: int(l.Ways), lru: l.Policy == "lru"}
		var s naiveSet = &order
		switch l.Policy {
		case "random":
			s = &naiveRandom{order, draw}
		case "plru":
			s = newNaiveTree(int(l.Ways))
		}
		n.sets = append(n.sets, s)
	}
	return n
}

func (n *naiveLevel) set(line uint64) naiveSet { return n.sets[line%uint64(n.Sets)] }

// cause is why a use misses, if it does; with bring, the fully associative cache takes the line, with leave it loses it.
func (n *naiveLevel) cause(line uint64, bring, leave bool) cause {
	why := conflict
	hit := n.full.find(line) != nil
	if !hit {
		n.FullMisses++
		why = capacity
		if !n.seen[line] {
			why = compulsory
		}
		n.seen[line] = true
	}
	switch {
	case hit && leave:
		n.full.remove(line)
	case hit:
		n.full.used(line)
	case bring:
		n.full.add(naiveLine{line: line})
	}
	return why
}

func (n *naiveLevel) miss(o op, ref int, why cause) {
	if o == ops {
		n.PrefetchFills++
		return
	}
	n.Misses[o]++
	if n.lastRef == ref {
		n.Split++
	}
	n.lastRef = ref
	n.blame(why)
}

// request requests for the line of an address, to fetch it or to write to it or both; dirty says that
// it comes with the duty to write it back.
func (n *naiveLevel) request(addr uint64, o op, ref int, fetch bool, bytes uint64) (isDirty bool) {
	if n == nil {
		return false
	}
	if o == ops {
		n.Prefetches++
	} else {
		n.Uses[o]++
	}
	full := n.FullMisses
	isWrite := bytes > 0
	line := addr / uint64(n.Line)
	gives := n.Inclusion == Exclusive && fetch
	brings := !gives && (fetch || !n.NoAllocate)
	why := n.cause(line, brings, gives)
	if o == ops {
		n.FullMisses = full
	}
	n.requested = append(n.requested, naiveUse{naiveLine{line, isWrite && !n.WriteThrough}, o, ref, false, false, why, 0})
	if n.Policy == "opt" {
		if isWrite && n.WriteThrough {
			n.Writethroughs++
			n.Through += bytes
		}
		return false
	}
	set := n.set(line)
	l := set.find(line)
	through := isWrite && (n.WriteThrough || l == nil && !brings)
	written := uint64(0)
	if through {
		written = bytes
		n.Writethroughs++
		n.Through += bytes
	}
	if l != nil {
		if gives {
			set.remove(line)
			return l.dirty
		}
		set.used(line)
		l.dirty = l.dirty || isWrite && !n.WriteThrough
		if through {
			n.next.request(addr, o, ref, false, bytes)
		}
		return false
	}
	n.miss(o, ref, why)
	if !brings {
		if !fetch {
			n.Around++
		}
		return n.next.request(addr, o, ref, fetch, bytes)
	}
	victim, evicts := set.add(naiveLine{line, isWrite && !n.WriteThrough})
	if n.next.request(addr, o, ref, true, written) {
		set.find(line).dirty = true
	}
	if evicts {
		n.evict(victim)
	}
	return false
}

// flush removes the lines that contain some of the bytes.
func (n *naiveLevel) flush(addr, size uint64) {
	for line := addr / uint64(n.Line); line <= (addr+size-1)/uint64(n.Line); line++ {
		if slices.ContainsFunc(n.requested, func(u naiveUse) bool { return u.line == line }) {
			n.requested = append(n.requested, naiveUse{naiveLine: naiveLine{line: line}, mark: true, drop: true})
		}
		if n.full.find(line) != nil {
			n.full.remove(line)
		}
		if l := n.set(line).find(line); n.Policy != "opt" && l != nil {
			v := *l
			n.set(line).remove(line)
			n.Flushed++
			n.invalidateAbove(&v)
			if v.dirty {
				n.Writebacks++
				n.next.writeback(line*uint64(n.Line), uint64(n.Line))
			}
		}
	}
}

func (n *naiveLevel) evict(v naiveLine) {
	n.Evictions++
	n.invalidateAbove(&v)
	if v.dirty {
		n.Writebacks++
	}
	switch {
	case n.next != nil && n.next.Inclusion == Exclusive:
		if !v.dirty {
			n.Clean++
		}
		n.next.take(v)
	case v.dirty:
		n.next.writeback(v.line*uint64(n.Line), uint64(n.Line))
	}
}

// invalidateAbove removes a line that leaves an inclusive level from the levels above.
func (n *naiveLevel) invalidateAbove(v *naiveLine) {
	if n.Inclusion == Inclusive {
		for _, a := range n.above {
			ratio := uint64(n.Line / a.Line)
			for line := v.line * ratio; line < (v.line+1)*ratio; line++ {
				if l := a.set(line).find(line); l != nil {
					a.set(line).remove(line)
					a.Invalidations++
					if l.dirty {
						a.Writebacks++
						v.dirty = true
					}
				}
			}
		}
	}
}

// take is what the level above evicts, in an exclusive one.
func (n *naiveLevel) take(v naiveLine) {
	if n.full.find(v.line) != nil {
		n.full.used(v.line)
	} else {
		n.full.add(v)
	}
	set := n.set(v.line)
	if l := set.find(v.line); l != nil { // another level above had it too
		set.used(v.line)
		l.dirty = l.dirty || v.dirty
		return
	}
	if victim, full := set.add(v); full {
		n.evict(victim)
	}
}

func (n *naiveLevel) writeback(addr, bytes uint64) {
	if n == nil {
		return
	}
	line := addr / uint64(n.Line)
	if !n.WriteThrough {
		n.requested = append(n.requested, naiveUse{naiveLine: naiveLine{line, true}, mark: true, bytes: bytes})
		if n.Policy == "opt" {
			return
		}
		if l := n.set(line).find(line); l != nil {
			l.dirty = true
			return
		}
	}
	n.Passed += bytes
	n.next.writeback(addr, bytes)
}

// written is how many of so many bytes an operation writes.
func written(kind trace.Op, bytes uint64) uint64 {
	if kind != trace.Store {
		return 0
	}
	return bytes
}

// opt is Belady's policy as written down: at a miss in a full set, look ahead for each of its lines.
func (n *naiveLevel) opt() (c Counts) {
	first := map[uint64]int{}
	for i, u := range n.requested {
		if _, ok := first[u.line]; !ok {
			first[u.line] = i
		}
	}
	nextUse := func(line uint64, from int) int {
		for i, u := range n.requested[from:] {
			if u.line == line && u.drop {
				break
			}
			if u.line == line && !u.mark {
				return from + i
			}
		}
		return len(n.requested) + first[line]
	}
	sets := make([][]naiveLine, n.Sets)
	missed := 0 // reference
	for i, u := range n.requested {
		set := &sets[u.line%uint64(n.Sets)]
		at := slices.IndexFunc(*set, func(l naiveLine) bool { return l.line == u.line })
		if u.drop {
			if at >= 0 {
				c.Flushed++
				if (*set)[at].dirty {
					c.Writebacks++
				}
				*set = slices.Delete(*set, at, at+1)
			}
			continue
		}
		if at >= 0 {
			(*set)[at].dirty = (*set)[at].dirty || u.dirty
		}
		if at < 0 && u.mark {
			c.Passed += u.bytes
		}
		if at >= 0 || u.mark {
			continue
		}
		if u.op == ops {
			c.PrefetchFills++
		} else {
			c.Misses[u.op]++
			c.blame(u.why)
			if missed == u.ref {
				c.Split++
			}
			missed = u.ref
		}
		if len(*set) == int(n.Ways) {
			far := 0
			for j := range *set {
				if nextUse((*set)[j].line, i) > nextUse((*set)[far].line, i) {
					far = j
				}
			}
			c.Evictions++
			if (*set)[far].dirty {
				c.Writebacks++
			}
			*set = slices.Delete(*set, far, far+1)
		}
		*set = append(*set, u.naiveLine)
	}
	return c
}

// naive simulates a description, one reference at a time, and returns the counts of its levels.
func naive(s Spec, src trace.Source, proc trace.Proc, seed uint64) ([]Counts, error) {
	procs, pieces := 1, analysis.Program(src, proc)
	if proc == trace.Interleaved {
		procs, pieces = src.Header().Procs, analysis.Interleave(src)
	}
	levels := make([][]*naiveLevel, len(s.Levels))
	for i := range s.Levels {
		for p := range procs {
			if p == 0 || s.Levels[i].Private {
				levels[i] = append(levels[i], newNaiveLevel(&s.Levels[i], seed+uint64(i)<<32+uint64(p)))
			} else {
				levels[i] = append(levels[i], levels[i][0])
			}
		}
	}
	naiveConnect(s, levels, procs)
	ref := 0
	for p, err := range pieces {
		if err != nil {
			return nil, err
		}
		for i, addr := range p.Refs.Addr {
			of := 0
			if p.RefProcs != nil {
				of = int(p.RefProcs[i])
			}
			ref++
			naiveRef(s, levels, of, ref, addr, uint64(p.Refs.Size[i]), p.Refs.Op[i])
		}
	}
	var out []Counts
	for _, instances := range levels {
		var sum Counts
		for i, n := range instances {
			if i == 0 || n != instances[0] {
				sum.add(n.counted())
			}
		}
		out = append(out, sum)
	}
	return out, nil
}

// counted is the counts after the end.
func (n *naiveLevel) counted() *Counts {
	c := n.Counts
	if n.Policy == "opt" {
		o := n.opt()
		c.add(&o)
		c.OPTMisses = total(c.Misses)
	} else if n.WithOPT {
		o := n.opt()
		c.OPTMisses = total(o.Misses)
	}
	return &c
}

func naiveConnect(s Spec, levels [][]*naiveLevel, procs int) {
	for p := range procs {
		for _, side := range []Side{data, instr} {
			for _, tlb := range []bool{false, true} {
				var above []*naiveLevel
				for i, l := range s.Levels {
					if l.TLB != tlb || !l.Side.serves(side) {
						continue
					}
					n := levels[i][p]
					if len(above) > 0 {
						above[len(above)-1].next = n
					}
					for _, a := range above {
						if !slices.Contains(n.above, a) {
							n.above = append(n.above, a)
						}
					}
					above = append(above, n)
				}
			}
		}
	}
}

func naiveRef(s Spec, levels [][]*naiveLevel, proc, ref int, addr, size uint64, kind trace.Op) {
	side, by := data, opOf(kind)
	switch kind {
	case trace.Ifetch:
		side = instr
	case trace.Prefetch:
		by = ops
	case trace.Flush:
		naiveFlush(s, levels, addr, size)
		return
	}
	for _, tlb := range []bool{false, true} {
		first := slices.IndexFunc(s.Levels, func(l Level) bool { return l.TLB == tlb && l.Side.serves(side) })
		if first < 0 || !s.enters(tlb, side) {
			continue
		}
		n := levels[first][proc]
		line := uint64(n.Line)
		for at := addr / line; at <= (addr+size-1)/line; at++ {
			n.request(at*line, by, ref, kind != trace.Store, written(kind, min(size, addr+size-at*line, at*line+line-addr, line)))
		}
	}
}

// naiveFlush removes lines from all levels of all processors, but not from TLBs.
func naiveFlush(s Spec, levels [][]*naiveLevel, addr, size uint64) {
	for i, instances := range levels {
		for p, n := range instances {
			if !s.Levels[i].TLB && (p == 0 || n != instances[0]) {
				n.flush(addr, size)
			}
		}
	}
}
