package cache

import (
	"fmt"
	"math"

	"spoor/traces/trace"
)

// NextLevelRef is a reference that the next level of memory sees. It is a whole line of the last
// level that it missed, with the operation that requested the line. A flush is passed on unchanged.
type NextLevelRef struct {
	Row  int // index of the reference that caused it
	Addr uint64
	Size uint16
	Op   trace.Op
}

// Filter simulates the caches of one processor and returns the references to the next level of
// memory: the requests of the last level and, if wanted, its evicted dirty lines as stores.
//
// The store of a dirty line comes right before the request or the flush that removes it. References
// that no level serves are omitted (see levels.txt). Prefetches that hit are omitted, and flushes are
// passed on.
type Filter struct {
	*feed
	levels      []*level // from the first
	prefetching bool     // requests are those of a prefetch
	writeBacks  bool
	refs        uint64 // references that used lines
	row         int
	requested   []NextLevelRef // requests of the current use
	out         []NextLevelRef

	Left       [1 + trace.Flush]uint64 // omitted references, by operation
	WriteBacks uint64                  // stores of dirty lines in the output
}

// NewFilter creates empty caches. A TLB, OPT, or lines larger than a reference can be are errors.
func NewFilter(s Spec, writeBacks bool, seed uint64) (*Filter, error) {
	for i := range s.Levels {
		if err := s.Levels[i].checkFilter(); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Levels[i].Name, err)
		}
	}
	h := newHierarchy(s, []Side{data, instr}, 1, false, seed, mostDense)
	f := &Filter{feed: h.feeds[0], writeBacks: writeBacks}
	for _, instances := range h.of {
		l := instances[0]
		f.levels = append(f.levels, l)
		if l.next == nil {
			l.next = &level{shift: l.shift, memory: &memory{f, uint16(l.description.Line)}}
		}
	}
	return f, nil
}

func (l *Level) checkFilter() error {
	switch {
	case l.TLB:
		return fmt.Errorf("a TLB does not filter references; omit it")
	case l.WithOPT || l.Policy == optPolicy.Name:
		return fmt.Errorf("opt knows its evictions only at the end of the trace; use another policy")
	case l.Line > math.MaxUint16:
		return fmt.Errorf("lines of %v are larger than a reference can be, 32KiB", l.Line)
	}
	return nil
}

// Add simulates the next references and returns those that the next level sees, in order. The
// result is valid until the next call.
func (f *Filter) Add(refs *trace.Refs) []NextLevelRef {
	f.out = f.out[:0]
	sizes, kinds := refs.Size[:len(refs.Addr)], refs.Op[:len(refs.Addr)]
	ports := &f.of[0]
	for i, addr := range refs.Addr {
		o := opOf(kinds[i])
		if kinds[i].Moves() {
			f.move(i, addr, sizes[i], kinds[i])
			continue
		}
		if ports[o] == none {
			f.Left[kinds[i]]++
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

// move handles a prefetch or a flush. A prefetch brings lines in as a load does; those that miss are
// prefetches of the next level. A flush removes lines, is written behind those that are dirty, and
// goes on to the next level.
func (f *Filter) move(i int, addr uint64, size uint16, op trace.Op) {
	f.row = i
	f.settle()
	if op == trace.Flush {
		for _, l := range f.levels {
			f.flushRange(l, addr, addr+uint64(size)-1, nil)
		}
		f.out = append(f.out, NextLevelRef{i, addr, size, op})
		return
	}
	number := f.of[0][loads]
	if number == none {
		f.Left[op]++
		return
	}
	f.refs++
	f.prefetching = true
	shift := f.ports[number].shift
	for line, last := addr>>shift, (addr+uint64(size)-1)>>shift; line <= last; line++ {
		f.enter(number, keyOf(line, loads), loads)
	}
	f.prefetching = false
}

// enter simulates a use of a line.
func (f *Filter) enter(number int32, k key, o op) {
	if f.coupled && number != f.latest {
		f.ports[f.latest].last = empty
	}
	f.latest = number
	p := &f.ports[number]
	p.last = p.after(k)
	p.level.serve(k>>1<<(p.shift&63), f.refs, o, o.request())
	f.out = append(f.out, f.requested...)
	f.requested = f.requested[:0]
}

// memory is what follows a last level.
type memory struct {
	filter *Filter
	line   uint16
}

func (m *memory) request(addr uint64, o op) {
	f := m.filter
	by := trace.Load + trace.Op(o)
	if f.prefetching {
		by = trace.Prefetch
	}
	f.requested = append(f.requested, NextLevelRef{f.row, addr, m.line, by})
}

// writeback receives a dirty line. A line of a level before the last may be a part of a line of the
// last.
func (m *memory) writeback(addr uint64) {
	if f := m.filter; f.writeBacks {
		f.WriteBacks++
		f.out = append(f.out, NextLevelRef{f.row, addr &^ (uint64(m.line) - 1), m.line, trace.Store})
	}
}
