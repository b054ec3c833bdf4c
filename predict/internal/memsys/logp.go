package memsys

import (
	"fmt"
	"math/bits"

	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// LogP is a machine of processors without caches, each with a part of the memory. Its network is abstracted by L and
// g [sivasubramaniam1995, sec. 3.1]. A load from another node's memory is a request and a reply with the data. A
// store is the data and an acknowledgement. The processor waits for the answer. References are split into blocks of
// the largest power of two that fits into Messages.Data.
//
// The time of the memory access itself is the same for all touches. It is part of the ideal time, as the first
// cache's latency is on machines with caches, and the replay charges it.
type LogP struct{}

var _ Target = LogP{}

// Name returns "logp".
func (LogP) Name() string { return "logp" }

// New returns a LogP machine.
func (LogP) New(c Config) (touch.System, error) {
	if err := c.checkNodes(); err != nil {
		return nil, err
	}
	if len(c.Caches) > 0 {
		return nil, fmt.Errorf("target logp has no caches; remove them or use target clogp")
	}
	if c.Messages.Data < minLine {
		return nil, fmt.Errorf("messages carry %v of data; they must carry at least %v", c.Messages.Data, minLine)
	}
	if c.Homes == nil {
		c.Homes = trace.NewHomeMap(trace.Header{Procs: c.Processors})
	}
	c.Homes.Add(trace.Region{Name: "barriers", Base: touch.BarrierWord, Bytes: uint64(c.Messages.Data), Owner: 0})
	n, err := newNodes(&c)
	if err != nil {
		return nil, err
	}
	return &logp{nodes: n, shift: c.block().Shift(), counts: make([]touch.Counts, c.Processors), lookahead: make([]int, c.Processors), lines: coherence.NewTable(0)}, nil
}

// block returns the size of the unit that is requested from homes.
func (c *Config) block() unit.Bytes {
	if len(c.Caches) > 0 {
		return c.line()
	}
	return 1 << (bits.Len64(uint64(c.Messages.Data)) - 1)
}

// logp is a System of processors without caches.
type logp struct {
	*nodes
	shift     uint // log2 of the blocks
	counts    []touch.Counts
	lines     coherence.Table // without states: only which lines there are
	lookahead []int           // result of the last Lookahead, by processor
}

func (s *logp) Access(now unit.Picos, p trace.Proc, line uint64, store bool) touch.Cost {
	s.lines.Lookup(line)
	c := &s.counts[p]
	ask, answer := s.messages.Control, s.messages.Data
	if store {
		c.Stores++
		ask, answer = answer, ask
	} else {
		c.Loads++
	}
	from := s.Of(p)
	home := s.homes.Of(line, from)
	if home == from {
		return touch.Cost{}
	}
	c.RemoteFetches++
	return s.send(s.send(s.begin(now), from, home, ask), home, from, answer).cost(now)
}

// Lookahead finds references to lines whose home is known to be the own node.
func (s *logp) Lookahead(p trace.Proc, b *trace.Refs, from, to int) (rows int, touches uint64) {
	to = from + rowsBeforeOrdered(b.Op[from:to])
	for rows = 0; rows < to-from; rows++ {
		if i := from + rows; b.Op[i].Data() {
			lines := s.localLines(p, b.Addr[i]>>s.shift, (b.Addr[i]+uint64(b.Size[i])-1)>>s.shift)
			if lines == 0 {
				break
			}
			touches += lines
		}
	}
	s.lookahead[p] = rows
	return rows, touches
}

// localLines returns the number of lines from first to last if the home of all is known to be the node of p, else 0.
func (s *logp) localLines(p trace.Proc, first, last uint64) uint64 {
	node := s.Of(p)
	for line := first; line <= last; line++ {
		if home, ok := s.homes.Known(line); !ok || home != node {
			return 0
		}
	}
	return last - first + 1
}

// Commit counts what Lookahead has found.
func (s *logp) Commit(p trace.Proc, b *trace.Refs, from int) (refs int, ok bool) {
	c := &s.counts[p]
	for i := from; i < from+s.lookahead[p]; i++ {
		if !b.Op[i].Data() {
			continue
		}
		refs++
		for line := b.Addr[i] >> s.shift; line <= (b.Addr[i]+uint64(b.Size[i])-1)>>s.shift; line++ {
			s.lines.Lookup(line)
			if b.Op[i] == trace.Store {
				c.Stores++
			} else {
				c.Loads++
			}
		}
	}
	return refs, true
}

// Drain returns at once: every touch has been waited for.
func (s *logp) Drain(unit.Picos, trace.Proc) touch.Cost { return touch.Cost{} }

// OnInvalidate does nothing: there are no caches.
func (s *logp) OnInvalidate(touch.InvalidateFunc) {}

func (s *logp) Line() unit.Bytes { return 1 << s.shift }

func (s *logp) Counts(p trace.Proc) touch.Counts { return s.counts[p] }

func (s *logp) Copy(at unit.Picos, node int, hold unit.Picos) unit.Picos {
	return s.copy(at, node, hold)
}

func (s *logp) SharedUsage() touch.SharedUsage {
	all := s.usage()
	all.Lines = uint64(s.lines.Count)
	return all
}

// PrefetchLine does nothing: there are no caches.
func (s *logp) PrefetchLine(unit.Picos, trace.Proc, uint64) touch.Cost { return touch.Cost{} }
