package memsys

import (
	"fmt"
	"slices"

	"spoor/traces/unit"
)

// checkNodes returns an error if c is not valid. It does not check the caches.
func (c *Config) checkNodes() error {
	if c.Processors < 1 || c.Processors > maxProcessors {
		return fmt.Errorf("the machine has %d processors; the simulator supports 1 to %d", c.Processors, maxProcessors)
	}
	for _, t := range []struct {
		name string
		time unit.Picos
	}{{"directory latency", c.Directory.LookUp}, {"trap", c.Directory.Trap}} {
		if err := checkTime(t.name, t.time); err != nil {
			return err
		}
	}
	return c.Memory.check()
}

// check returns an error if c is not valid.
func (c *Config) check() error {
	if err := c.checkNodes(); err != nil {
		return err
	}
	if len(c.Caches) == 0 {
		return fmt.Errorf("the machine has no caches; the target needs at least one private level")
	}
	all := c.Caches
	if c.Shared != nil {
		all = append(slices.Clip(all), *c.Shared)
	}
	for _, cache := range all {
		if err := cache.check(c.Processors); err != nil {
			return err
		}
		if cache.Line != c.line() {
			return fmt.Errorf("the caches have lines of %v and of %v; all levels must have the same line size", c.line(), cache.Line)
		}
	}
	for _, o := range c.OtherNodes {
		if err := c.checkOther(o); err != nil {
			return err
		}
	}
	if c.TLB != nil {
		return c.TLB.check(c.line(), c.Processors)
	}
	return nil
}

// checkOther returns an error if a node of OtherNodes is not valid.
func (c *Config) checkOther(o Node) error {
	if o.Processors < 1 || len(o.Caches) == 0 {
		return fmt.Errorf("a node has %d processors and %d levels of caches; it needs at least one of each", o.Processors, len(o.Caches))
	}
	if l := c.layout(); len(l.Node) != c.Processors {
		return fmt.Errorf("the trace has %d processors, but unequal nodes must all be used, and they have %d", c.Processors, len(l.Node))
	}
	for _, cache := range o.Caches {
		if err := cache.check(c.Processors); err != nil {
			return err
		}
		if cache.Line != c.line() {
			return fmt.Errorf("the caches have lines of %v and of %v; all nodes must have the same line size", c.line(), cache.Line)
		}
	}
	return o.Memory.check()
}

func (c Cache) check(processors int) error {
	switch {
	case !c.Line.IsPowerOfTwo() || c.Line < minLine:
		return fmt.Errorf("the cache line is %v; it must be a power of two of at least %v", c.Line, minLine)
	case c.Ways < 1:
		return fmt.Errorf("the cache has %d ways; it needs at least one", c.Ways)
	case c.Size < c.Line || c.Size/c.Line < unit.Bytes(c.Ways) || c.Size%c.Line != 0 || c.Size/c.Line%unit.Bytes(c.Ways) != 0:
		return fmt.Errorf("a cache of %v is not a multiple of its %d ways of %v", c.Size, c.Ways, c.Line)
	case !unit.Bytes(c.Sets()).IsPowerOfTwo():
		return fmt.Errorf("a cache of %v with %d ways of %v has %d sets; the number of sets must be a power of two", c.Size, c.Ways, c.Line, c.Sets())
	case c.Size/c.Line > maxLines/unit.Bytes(processors):
		return fmt.Errorf("%d caches of %v have more than the %d lines that can be simulated", processors, c.Size, maxLines)
	}
	return checkTime("cache latency", c.Latency)
}

func (m Memory) check() error {
	for _, t := range []struct {
		name string
		time unit.Picos
	}{{"memory latency", m.Latency}, {"memory occupancy", m.Occupancy}, {"memory invalidate", m.Invalidate}} {
		if err := checkTime(t.name, t.time); err != nil {
			return err
		}
	}
	return nil
}

func checkTime(name string, t unit.Picos) error {
	if t < 0 || t > maxTime {
		return fmt.Errorf("the %s is %v; it must be from 0 to %v", name, t, maxTime)
	}
	return nil
}
