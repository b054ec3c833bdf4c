package memsys

import (
	"fmt"
	"strings"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// Config is what a target needs to know of a machine.
type Config struct {
	Processors int        // that take part: idle ones have nothing in their caches
	Size       unit.Bytes // of each private cache
	Line       unit.Bytes
	Ways       int
	Latency    unit.Picos // of a memory access on an idle bus, beyond the cache latency
	Occupancy  unit.Picos // for which a memory access holds the bus
	Invalidate unit.Picos // for which an upgrade takes and holds the bus
}

// Limits of what is simulated. The smallest line keeps two bits of a line's word
// free for its state.
const (
	minLine       unit.Bytes = 4
	maxLines                 = 1 << 27 // in all caches together: 1 GiB of words
	maxTime                  = unit.Picos(1e12)
	maxProcessors            = 1 << 16
)

// Sets is the number of sets of each cache.
func (c Config) Sets() int { return int(c.Size / c.Line / unit.Bytes(c.Ways)) }

// check says what is impossible about c.
func (c Config) check() error {
	switch {
	case c.Processors < 1 || c.Processors > maxProcessors:
		return fmt.Errorf("%d processors; from 1 to %d can be simulated", c.Processors, maxProcessors)
	case !c.Line.IsPowerOfTwo() || c.Line < minLine:
		return fmt.Errorf("a cache line of %v; it must be a power of two from %v", c.Line, minLine)
	case c.Ways < 1:
		return fmt.Errorf("a cache of %d ways; it needs at least one", c.Ways)
	case c.Size < c.Line || c.Size/c.Line < unit.Bytes(c.Ways) || c.Size%c.Line != 0 || c.Size/c.Line%unit.Bytes(c.Ways) != 0:
		return fmt.Errorf("a cache of %v is not a multiple of its %d ways of %v", c.Size, c.Ways, c.Line)
	case !unit.Bytes(c.Sets()).IsPowerOfTwo():
		return fmt.Errorf("a cache of %v in %d ways of %v has %d sets; it must be a power of two", c.Size, c.Ways, c.Line, c.Sets())
	case c.Size/c.Line > maxLines/unit.Bytes(c.Processors):
		return fmt.Errorf("%d caches of %v have more than the %d lines that can be simulated", c.Processors, c.Size, maxLines)
	}
	return c.checkTimes()
}

func (c Config) checkTimes() error {
	for _, t := range []struct {
		name string
		time unit.Picos
	}{{"latency", c.Latency}, {"occupancy", c.Occupancy}, {"invalidate", c.Invalidate}} {
		if t.time < 0 || t.time > maxTime {
			return fmt.Errorf("a memory %s of %v; it must be from 0 to %v", t.name, t.time, maxTime)
		}
	}
	return nil
}

// New is the memory system of m with empty caches for the processors of a trace,
// which may be fewer than m has.
func New(m *machine.Machine, processors int) (System, error) {
	target, err := named(string(m.System.Target))
	if err != nil {
		return nil, err
	}
	if have := m.System.Processors * m.System.Nodes; processors > have {
		return nil, fmt.Errorf("the trace has %d processors and the machine %d", processors, have)
	}
	c, err := configOf(m, processors)
	if err != nil {
		return nil, err
	}
	return target.New(c)
}

// named is the target called name.
func named(name string) (Target, error) {
	var names []string
	for _, t := range All {
		if t.Name() == name {
			return t, nil
		}
		names = append(names, t.Name())
	}
	return nil, fmt.Errorf("there is no simulator of target %q; there is one of %s", name, strings.Join(names, ", "))
}

// configOf is what the targets need to know of m.
func configOf(m *machine.Machine, processors int) (Config, error) {
	if n := len(m.Caches); n != 1 {
		return Config{}, fmt.Errorf("the machine has %d levels of caches; exactly one private level can be simulated", n)
	}
	cache, memory := m.Caches[0], m.Memory
	return Config{Processors: processors, Size: cache.Size, Line: cache.Line, Ways: cache.Ways,
		Latency: m.At(memory.Latency).Picos(), Occupancy: m.At(memory.Occupancy).Picos(),
		Invalidate: m.At(memory.Invalidate).Picos()}, nil
}
