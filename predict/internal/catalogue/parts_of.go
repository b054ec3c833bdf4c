package catalogue

import (
	"fmt"
	"reflect"
	"slices"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// PartsOf returns the parts that m consists of. The error names the first part that is not in the catalogue.
func (c *Catalogue) PartsOf(m *machine.Machine) (Parts, error) {
	last := func() unit.Bytes { return m.Caches[max(0, len(m.Caches)-1)].Size }
	stages := []struct {
		same func(of *machine.Machine, p Parts) bool
		what func() string
	}{
		{func(of *machine.Machine, _ Parts) bool { return of.Processor == m.Processor }, func() string {
			return fmt.Sprintf("no node has a processor of %v with a cpi of %g", m.Processor.Clock, float64(m.Processor.CPI))
		}},
		{func(of *machine.Machine, _ Parts) bool { return slices.Equal(of.Caches, m.Caches) && m.Shared == nil }, func() string {
			return fmt.Sprintf("no node with this processor has these caches, the last of %v", last())
		}},
		{func(of *machine.Machine, _ Parts) bool { return of.Memory == m.Memory && sameDisk(of, m) }, func() string {
			return fmt.Sprintf("no node with this processor and these caches has a memory of %v with these times and placement, or not this disk", m.Memory.Size)
		}},
		{func(_ *machine.Machine, p Parts) bool { return p.Processors == m.System.Processors }, func() string {
			return fmt.Sprintf("no such node has %d processors", m.System.Processors)
		}},
		{func(of *machine.Machine, p Parts) bool {
			return (p.Network == NoNetwork) == (m.System.Nodes == 1) && sameNetwork(of, m)
		}, func() string {
			return "it has no such network"
		}},
		{func(_ *machine.Machine, p Parts) bool { return m.System.Nodes <= c.MaxNodes(p) }, func() string {
			return fmt.Sprintf("there are no %d such nodes in a cluster", m.System.Nodes)
		}},
	}
	all := c.Configurations()
	for i := range all {
		all[i].Nodes = m.System.Nodes
	}
	for _, s := range stages {
		all = slices.DeleteFunc(all, func(p Parts) bool { return !s.same(c.Machine(p), p) })
		if len(all) == 0 {
			return Parts{}, fmt.Errorf("%s", s.what())
		}
	}
	return all[0], nil
}

func sameDisk(a, b *machine.Machine) bool {
	if a.Disk == nil || b.Disk == nil {
		return a.Disk == b.Disk
	}
	return *a.Disk == *b.Disk
}

func sameNetwork(a, b *machine.Machine) bool {
	return b.System.Nodes == 1 || b.Network != nil && reflect.DeepEqual(a.Network, b.Network) && a.System.Block == b.System.Block
}
