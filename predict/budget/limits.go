package budget

import (
	"fmt"
	"math/bits"
	"strings"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// Limits are what machines must meet. A zero is no limit.
type Limits struct {
	PowerOfTwo    bool // processors
	MaxNodes      int
	MinProcessors int
	MaxProcessors int
	MinMemory     unit.Bytes   // of each node
	MinTotal      unit.Bytes   // memory of all nodes
	Deadline      unit.Seconds // for the run
}

// limit is one of them that is set.
type limit struct {
	name string // as the command has it
	met  func(c *machine.Catalogue, p machine.Parts) bool
}

// list is the limits of machines, which do not depend on time or money.
func (l Limits) list() (all []limit) {
	add := func(set bool, name string, met func(*machine.Catalogue, machine.Parts) bool) {
		if set {
			all = append(all, limit{name, met})
		}
	}
	add(l.PowerOfTwo, "--power-of-two", func(_ *machine.Catalogue, p machine.Parts) bool {
		return bits.OnesCount(uint(p.Nodes*p.Processors)) == 1
	})
	add(l.MaxNodes > 0, fmt.Sprintf("--max-nodes %d", l.MaxNodes), func(_ *machine.Catalogue, p machine.Parts) bool {
		return p.Nodes <= l.MaxNodes
	})
	add(l.MinProcessors > 0, fmt.Sprintf("--min-processors %d", l.MinProcessors), func(_ *machine.Catalogue, p machine.Parts) bool {
		return p.Nodes*p.Processors >= l.MinProcessors
	})
	add(l.MaxProcessors > 0, fmt.Sprintf("--max-processors %d", l.MaxProcessors), func(_ *machine.Catalogue, p machine.Parts) bool {
		return p.Nodes*p.Processors <= l.MaxProcessors
	})
	add(l.MinMemory > 0, fmt.Sprintf("--min-memory %v", l.MinMemory), func(c *machine.Catalogue, p machine.Parts) bool {
		return c.Nodes[p.Node].Memories[p.Memory].Size >= l.MinMemory
	})
	add(l.MinTotal > 0, fmt.Sprintf("--min-total-memory %v", l.MinTotal), func(c *machine.Catalogue, p machine.Parts) bool {
		return float64(c.Nodes[p.Node].Memories[p.Memory].Size)*float64(p.Nodes) >= float64(l.MinTotal)
	})
	return all
}

// infeasible says why no machine is left: which limits leave some if they are dropped, or what the cheapest costs.
func (p *Problem) infeasible() error {
	limits := p.Limits.list()
	if c, found := p.cheapest(limits); found {
		return fmt.Errorf("a budget of %s buys nothing that meets all limits: the cheapest is %s for %s", p.money(p.Budget), p.Catalogue.Name(c.Parts), p.money(c.Paid))
	}
	var names, guilty []string
	for i, l := range limits {
		names = append(names, l.name)
		rest := append(append([]limit{}, limits[:i]...), limits[i+1:]...)
		if _, found := p.cheapest(rest); found {
			guilty = append(guilty, l.name)
		}
	}
	switch {
	case len(limits) == 0:
		return fmt.Errorf("the catalogue has nothing to choose from")
	case len(guilty) == 0:
		return fmt.Errorf("no machine of the catalogue meets %s, whatever the money; dropping one of them does not help", strings.Join(names, ", "))
	}
	return fmt.Errorf("no machine of the catalogue meets %s, whatever the money; without %s there would be some", strings.Join(names, ", "), strings.Join(guilty, ", or without "))
}

// cheapest is the cheapest machine within limits.
func (p *Problem) cheapest(limits []limit) (least Candidate, found bool) {
	p.all(limits, func(c Candidate) bool {
		if !found || c.Paid < least.Paid {
			least, found = c, true
		}
		return c.Paid < least.Paid // more nodes cost more
	})
	return least, found
}

// all passes each machine within limits on, without its time, until the function says that more nodes are of no interest.
func (p *Problem) all(limits []limit, use func(Candidate) bool) {
	for at, s := range p.Catalogue.Series() {
		p.ofSeries(at, s, limits, use)
	}
}

func (p *Problem) ofSeries(at int, s machine.Parts, limits []limit, use func(Candidate) bool) {
	for most := p.Catalogue.Most(s); s.Nodes <= most; s.Nodes++ {
		if !p.keeps(s) || !met(limits, p.Catalogue, s) {
			continue
		}
		c := Candidate{Parts: s, at: at}
		c.Paid, c.Worth = p.price(s)
		if !use(c) {
			return
		}
	}
}

func met(limits []limit, c *machine.Catalogue, p machine.Parts) bool {
	for _, l := range limits {
		if !l.met(c, p) {
			return false
		}
	}
	return true
}

// money is an amount as the catalogue has it.
func (p *Problem) money(d unit.Dollars) string {
	d = unit.Dollars(cents(float64(d)))
	if p.Catalogue.Hourly {
		return d.String() + "/h"
	}
	return d.String()
}
