package cache

import (
	"math/rand/v2"
	"slices"

	"spoor/traces/trace"
)

// hierarchy holds the simulated levels of one description for one order.
type hierarchy struct {
	feeds  []*feed
	of     [][]*level // by level of the description: one, or one for each processor
	places map[seenBy]*places
}

// seenBy identifies lines that are numbered together: lines of one size that the levels of one
// processor, or of all, see.
type seenBy struct {
	shift uint
	proc  int // or everyone
}

const everyone = -1

// newHierarchy creates the levels of a description, of which references of some sides use lines, and private ones for each of procs processors.
// If the caches of a level hold more than dense lines in total, their sets are allocated at first
// use.
func newHierarchy(s Spec, sides []Side, procs int, classify bool, seed uint64, dense int64) *hierarchy {
	h := &hierarchy{of: make([][]*level, len(s.Levels)), places: map[seenBy]*places{}}
	for i := range s.Levels {
		n := 1
		if s.Levels[i].Private {
			n = procs
		}
		for range n {
			h.of[i] = append(h.of[i], &level{description: &s.Levels[i], traits: traitsOf(&s.Levels[i]), shift: s.Levels[i].Line.Shift()})
		}
	}
	for _, tlb := range []bool{false, true} {
		h.connect(s, tlb, sides, procs)
	}
	for _, f := range h.feeds {
		f.stack()
	}
	for i, instances := range h.of {
		for p, l := range instances {
			var numbered *places
			if classify {
				by := seenBy{l.shift, everyone}
				if len(instances) > 1 {
					by.proc = p
				}
				numbered = h.placesOf(by)
			}
			l.fill(seed+uint64(i)<<32+uint64(p), dense/int64(len(instances)), numbered)
		}
	}
	for _, f := range h.feeds {
		f.hand()
	}
	return h
}

// placesOf returns the line numbers for s.
func (h *hierarchy) placesOf(s seenBy) *places {
	if h.places[s] == nil {
		h.places[s] = newPlaces()
	}
	return h.places[s]
}

// at returns the instance of level i that a processor uses.
func (h *hierarchy) at(i, proc int) *level { return h.of[i][proc%len(h.of[i])] }

// connect links the levels on the paths of all processors and creates their feed.
func (h *hierarchy) connect(s Spec, tlb bool, sides []Side, procs int) {
	f := &feed{stages: []*batch{newBatch()}}
	numbers := map[*level]int32{}
	anyPrivate := false
	for p := range procs {
		ports := [ops]int32{none, none, none}
		for _, side := range []Side{data, instr} {
			first := h.link(s, tlb, side, p)
			if first == nil || !s.enters(tlb, side) || !slices.Contains(sides, side) {
				continue
			}
			anyPrivate = anyPrivate || first.description.Private
			n, ok := numbers[first]
			if !ok {
				n = int32(len(f.ports))
				numbers[first] = n
				f.ports = append(f.ports, newPort(first))
			}
			if side == data {
				ports[loads], ports[stores] = n, n
			} else {
				ports[ifetches] = n
			}
		}
		if p == 0 || anyPrivate {
			f.of = append(f.of, ports)
		}
	}
	for i := range s.Levels {
		f.coupled = f.coupled || s.Levels[i].TLB == tlb && s.Levels[i].Inclusion == Inclusive
	}
	if len(f.ports) > 0 {
		h.feeds = append(h.feeds, f)
	}
}

func newPort(l *level) port {
	p := port{level: l, shift: l.shift, last: empty}
	if l.description.passes() {
		p.forget = 1<<64 - 1
	}
	return p
}

// link links the levels on one side's path of a processor. It returns the first level.
func (h *hierarchy) link(s Spec, tlb bool, side Side, proc int) (first *level) {
	var path []*level
	for i := range s.Levels {
		l := h.at(i, proc)
		if d := l.description; d.TLB != tlb || !d.Side.serves(side) {
			continue
		}
		for _, a := range path {
			if l.description.Inclusion == Inclusive && !contains(l.above, a) {
				l.above = append(l.above, a)
			}
		}
		if len(path) > 0 {
			path[len(path)-1].next = l
		}
		path = append(path, l)
	}
	if len(path) == 0 {
		return nil
	}
	return path[0]
}

func contains(levels []*level, l *level) bool {
	for _, x := range levels {
		if x == l {
			return true
		}
	}
	return false
}

// traitsOf returns the traits of a description.
func traitsOf(d *Level) traits {
	policy, _ := findPolicy(d.Policy) // the description was checked
	t := traits{inclusive: d.Inclusion == Inclusive, exclusive: d.Inclusion == Exclusive,
		through: d.WriteThrough, allocate: !d.NoAllocate, later: policy.make == nil}
	t.plain = !t.exclusive && !t.through && t.allocate && !t.later && !d.WithOPT
	return t
}

// fill allocates the level's array, at once if it has at most dense lines. If lines are numbered,
// it also prepares the classification of misses.
func (l *level) fill(seed uint64, dense int64, numbered *places) {
	d := l.description
	if numbered != nil && l.canClassify() && d.Sets*d.Ways <= dense {
		l.classifiedLRU = newClassifiedLRU(newGeometry(d.Sets, d.Ways), numbered)
		return
	}
	if numbered != nil {
		l.classes = newClasses(l, numbered, !l.loses())
	}
	l.ahead = missRoom
	if l.coupled() {
		l.ahead = 1
	}
	if !l.later {
		policy, _ := findPolicy(d.Policy)
		const stream = 0x5eed // one of PCG's streams; any will do
		draw := rand.New(rand.NewPCG(seed, stream))
		l.array = roomy(newGeometry(d.Sets, d.Ways), dense, func(g geometry) array { return policy.make(g, draw) })
	}
	if l.later || d.WithOPT {
		l.record = newRecord()
	}
}

// canClassify reports whether the moments of lines determine the level's contents. A fully
// associative level needs no second cache to find causes.
func (l *level) canClassify() bool {
	d := l.description
	return l.swept && d.Policy == lruPolicy.Name && d.Sets > 1 && d.Ways <= packedWays
}

// loses reports whether an inclusive level takes lines from this one.
func (l *level) loses() bool {
	for n := l.next; n != nil; n = n.next {
		if n.description.Inclusion == Inclusive {
			return true
		}
	}
	return false
}

func (h *hierarchy) add(refs *trace.Refs, of []trace.Proc) error {
	for _, f := range h.feeds {
		f.add(refs, of)
	}
	return h.failed()
}

// failed returns the error that stops the levels.
func (h *hierarchy) failed() error {
	for _, instances := range h.of {
		for _, l := range instances {
			if l.record != nil && l.record.err != nil {
				return l.record.err
			}
			if p := l.numbered(); p != nil && p.err != nil {
				return p.err
			}
		}
	}
	return nil
}

// end simulates the remaining uses, including OPT.
func (h *hierarchy) end() error {
	for _, f := range h.feeds {
		f.flush()
	}
	if err := h.failed(); err != nil {
		return err
	}
	h.places = nil
	for _, instances := range h.of {
		for _, l := range instances {
			if err := l.end(); err != nil {
				return err
			}
		}
	}
	return nil
}

// end replays the record of OPT and releases everything except the counts.
func (l *level) end() error {
	l.array, l.classifiedLRU, l.classes = nil, nil, nil
	if l.record == nil {
		return nil
	}
	var counts Counts
	if err := l.record.replay(newGeometry(l.description.Sets, l.description.Ways), &counts); err != nil {
		return err
	}
	if l.later {
		l.Counts.add(&counts)
	}
	l.OPTMisses = total(counts.Misses)
	l.record = nil
	return nil
}
