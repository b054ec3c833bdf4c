package cache

import (
	"fmt"
	"math"

	"spoor/traces/trace"
)

// Beyond is a reference that goes on to what lies beyond the caches: a whole line of the last level that it
// passed, with the operation that wanted it; or a flush as it came.
type Beyond struct {
	Row  int // of the references given, the one that caused it
	Addr uint64
	Size uint16
	Op   trace.Op
}

// A Filter is the caches of one processor, and finds what is left for the memory or caches beyond them: what the
// last levels ask for and, if wanted, the dirty lines that they give up, as stores.
//
// Dirty lines come right before what their reference asks for. Prefetches, which the caches do not see, are left out, and so are
// references that no level serves (see [Grammar]). Flushes go on.
type Filter struct {
	*feed
	writeBacks bool
	refs       uint64 // that used lines
	row        int
	asked      []Beyond // by the use at hand
	out        []Beyond

	Left       [1 + trace.Flush]uint64 // references left out, by operation
	WriteBacks uint64                  // of what went on
}

// NewFilter makes the caches, empty. A description with a TLB or OPT, or with lines larger than a reference can
// be, is an error.
func NewFilter(s Spec, writeBacks bool, seed uint64) (*Filter, error) {
	for i := range s.Levels {
		if err := s.Levels[i].checkFilter(); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Levels[i].Name, err)
		}
	}
	h := newHierarchy(s, 1, false, seed, mostDense)
	f := &Filter{feed: h.feeds[0], writeBacks: writeBacks}
	for _, instances := range h.of {
		if l := instances[0]; l.next == nil {
			l.next = &level{shift: l.shift, memory: &memory{f, uint16(l.description.Line)}}
		}
	}
	return f, nil
}

func (l *Level) checkFilter() error {
	switch {
	case l.TLB:
		return fmt.Errorf("a TLB keeps no references back; leave it out")
	case l.WithOPT || l.Policy == optPolicy.Name:
		return fmt.Errorf("what opt evicts is known only at the end; use another policy")
	case l.Line > math.MaxUint16:
		return fmt.Errorf("lines of %v are larger than a reference can be, 32KiB", l.Line)
	}
	return nil
}

// Add takes the next references and returns what goes on, in order, which is valid until the next call.
func (f *Filter) Add(refs *trace.Refs) []Beyond {
	f.out = f.out[:0]
	sizes, kinds := refs.Size[:len(refs.Addr)], refs.Op[:len(refs.Addr)]
	ports := &f.of[0]
	for i, addr := range refs.Addr {
		o := opOf(kinds[i])
		if o >= ops || ports[o] == none {
			f.pass(i, addr, sizes[i], kinds[i])
			continue
		}
		p := &f.ports[ports[o]]
		first, last := addr>>(p.shift&63), (addr+uint64(sizes[i])-1)>>(p.shift&63)
		k := keyOf(first, o)
		if first == last && (k == p.last || k|1 == p.last) {
			continue // a hit that changes nothing
		}
		f.row = i
		f.refs++
		for f.enter(ports[o], k, o); k>>1 != last; {
			k += 2
			f.enter(ports[o], k, o)
		}
	}
	return f.out
}

// pass is for references that no level serves.
func (f *Filter) pass(i int, addr uint64, size uint16, op trace.Op) {
	if op == trace.Flush {
		f.out = append(f.out, Beyond{i, addr, size, op})
	} else {
		f.Left[op]++
	}
}

// enter simulates a use of a line.
func (f *Filter) enter(number int32, k key, o op) {
	if f.coupled && number != f.latest {
		f.ports[f.latest].last = empty
	}
	f.latest = number
	p := &f.ports[number]
	p.last = p.after(k)
	p.level.serve(k>>1<<(p.shift&63), f.refs, o, o.ask())
	f.out = append(f.out, f.asked...)
	f.asked = f.asked[:0]
}

// memory is what lies beyond a last level.
type memory struct {
	filter *Filter
	line   uint16
}

func (m *memory) request(addr uint64, o op) {
	f := m.filter
	f.asked = append(f.asked, Beyond{f.row, addr, m.line, trace.Load + trace.Op(o)})
}

// writeback takes a dirty line. One of a level before the last may be a part of a line of the last.
func (m *memory) writeback(addr uint64) {
	if f := m.filter; f.writeBacks {
		f.WriteBacks++
		f.out = append(f.out, Beyond{f.row, addr &^ (uint64(m.line) - 1), m.line, trace.Store})
	}
}
