package memsys

import (
	"fmt"

	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// PRAM is the ideal machine of [sivasubramaniam1995, sec. 3.3]: all processors reach one memory at unit cost, without
// latency, contention or a cost of synchronization. The replay charges the unit, Memory.Latency. What remains of a
// program's time are its serial part and its imbalance. A reference of any size costs one unit.
type PRAM struct{}

var _ Target = PRAM{}

// Name returns "pram".
func (PRAM) Name() string { return "pram" }

// New returns a PRAM.
func (PRAM) New(c Config) (touch.System, error) {
	if err := c.checkNodes(); err != nil {
		return nil, err
	}
	if len(c.Caches) > 0 {
		return nil, fmt.Errorf("target pram has no caches")
	}
	return &pram{counts: make([]touch.Counts, c.Processors), lookahead: make([]int, c.Processors)}, nil
}

// pram is a System in which no touch costs anything.
type pram struct {
	counts    []touch.Counts
	lookahead []int // result of the last Lookahead, by processor
	touched   bool
}

// pramBlock is larger than any reference, so that references are not split.
const pramBlock = unit.Bytes(1) << 61

func (s *pram) count(p trace.Proc, store bool) {
	s.touched = true
	if store {
		s.counts[p].Stores++
	} else {
		s.counts[p].Loads++
	}
}

func (s *pram) Access(_ unit.Picos, p trace.Proc, _ uint64, store bool) touch.Cost {
	s.count(p, store)
	return touch.Cost{}
}

// Lookahead finds all references before the next prefetch or flush.
func (s *pram) Lookahead(p trace.Proc, b *trace.Refs, from, to int) (rows int, touches uint64) {
	rows = rowsBeforeOrdered(b.Op[from:to])
	for _, op := range b.Op[from : from+rows] {
		if op.Data() {
			touches++
		}
	}
	s.lookahead[p] = rows
	return rows, touches
}

// Commit counts what Lookahead has found.
func (s *pram) Commit(p trace.Proc, b *trace.Refs, from int) (refs int, ok bool) {
	for _, op := range b.Op[from : from+s.lookahead[p]] {
		if op.Data() {
			refs++
			s.count(p, op == trace.Store)
		}
	}
	return refs, true
}

func (s *pram) Flush(unit.Picos, trace.Proc, uint64) touch.Cost { return touch.Cost{} }

func (s *pram) PrefetchLine(unit.Picos, trace.Proc, uint64) touch.Cost { return touch.Cost{} }

func (s *pram) HasCaches() bool { return false }

func (s *pram) Drain(unit.Picos, trace.Proc) touch.Cost { return touch.Cost{} }

func (s *pram) OnInvalidate(touch.InvalidateFunc) {}

func (s *pram) Line() unit.Bytes { return pramBlock }

func (s *pram) Counts(p trace.Proc) touch.Counts { return s.counts[p] }

func (s *pram) Copy(at unit.Picos, _ int, _ unit.Picos) unit.Picos { return at }

// SharedUsage counts one block at most, because a PRAM has no lines.
func (s *pram) SharedUsage() (u touch.SharedUsage) {
	if s.touched {
		u.Lines = 1
	}
	return u
}
