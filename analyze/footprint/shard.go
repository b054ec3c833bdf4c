package footprint

import (
	"errors"
	"fmt"
	"slices"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// shard divides the order into windows.
type shard struct {
	window Window
	clock  []uint64    // by processor: time of its latest reference or event
	refs   trace.OpSet // references that use blocks
	count  uint64      // of these in the open window
	end    uint64      // end of the open window, in time or references
	spaces []*space
}

// Add processes the next chunk of the interleaved order.
func (s *shard) Add(p *analysis.Chunk) error {
	if e := p.Event; e != nil {
		s.clock[p.Proc] = uint64(p.Time)
		if e.Kind == trace.Barrier && s.window.End == Barriers {
			s.close()
		}
	}
	if len(p.RefProcs) == 0 {
		return nil
	}
	for _, space := range s.spaces {
		if err := space.begin(p); err != nil {
			return err
		}
	}
	for i := 0; i < len(p.RefProcs); {
		j, next := s.nextWindow(p, i)
		for _, space := range s.spaces {
			if err := space.add(p.RefProcs, j); err != nil {
				return err
			}
		}
		if i = j; next > 0 {
			s.close()
			s.end = next
		}
	}
	return nil
}

// LineSizes returns the sizes of blocks that are not composed of smaller ones.
func (s *shard) LineSizes() (sizes []unit.Bytes) {
	for _, space := range s.spaces {
		if space.coarser == nil {
			sizes = append(sizes, space.Size)
		}
	}
	return sizes
}

// nextWindow returns the index of the first reference, from i on, that is not in the open window. It also
// returns the end of the window of that reference; 0 if all references are in the open window.
func (s *shard) nextWindow(p *analysis.Chunk, i int) (j int, end uint64) {
	switch s.window.End {
	case Quanta:
		if len(s.clock) == 1 {
			return s.nextQuantum(p, i)
		}
		for ; i < len(p.RefProcs); i++ {
			q := &s.clock[p.RefProcs[i]]
			time := *q + uint64(p.Refs.Instr[i])
			if time > s.end {
				return i, (time + s.window.Length - 1) / s.window.Length * s.window.Length
			}
			*q = time
		}
	case References:
		for ; i < len(p.RefProcs); i++ {
			if !s.refs.Has(p.Refs.Op[i]) {
				continue
			}
			if s.count == s.end {
				s.count = 0
				return i, s.end
			}
			s.count++
		}
	}
	return len(p.RefProcs), 0
}

// nextQuantum does the same for quanta of a single processor.
func (s *shard) nextQuantum(p *analysis.Chunk, i int) (j int, end uint64) {
	now := &s.clock[0]
	if j = i; *now <= s.end { // an event may be later
		n, executed := analysis.PrefixWithin(p.Refs.Instr[i:], s.end-*now)
		j, *now = i+n, *now+executed
	}
	if j < len(p.Refs.Instr) {
		end = (*now + uint64(p.Refs.Instr[j]) + s.window.Length - 1) / s.window.Length * s.window.Length
	}
	return j, end
}

// close ends the open window.
func (s *shard) close() {
	for _, space := range s.spaces {
		space.close()
	}
}

// End closes the last window.
func (s *shard) End() error {
	s.close()
	for _, space := range s.spaces {
		space.end()
	}
	return nil
}

func (s *shard) warnings() (out []error) {
	for _, space := range s.spaces {
		if space.overflowed {
			out = append(out, fmt.Errorf("footprint: a window has too many uses of blocks of %v, so that turns are not simulated; use shorter windows", space.Size))
		}
	}
	if s.window.End == Quanta && slices.Max(s.clock) == 0 {
		out = append(out, errors.New("footprint: the trace counts no instructions, so that all of it is one quantum; use windows of references"))
	}
	return out
}
