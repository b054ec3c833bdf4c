package budget

import (
	"fmt"
	"math/bits"
	"strings"

	"spoor/predict/internal/catalogue"
	"spoor/traces/unit"
)

// Limits are the requirements on machines. A zero is no limit.
type Limits struct {
	PowerOfTwo    bool // number of processors
	MaxNodes      int
	MinProcessors int
	MaxProcessors int
	MinMemory     unit.Bytes   // memory of each node
	MinTotal      unit.Bytes   // memory of all nodes
	Deadline      unit.Seconds // for the time of the run
	Jobs          float64      // runs in a month, one after the other
}

// month is a twelfth of a year of 365.25 days.
const month = unit.Seconds(365.25 * 24 * 3600 / 12)

// longest returns the longest time of a run, or 0: that of the deadline, or the share of a month.
func (l Limits) longest() unit.Seconds {
	switch share := month / unit.Seconds(l.Jobs); {
	case l.Jobs == 0:
		return l.Deadline
	case l.Deadline == 0:
		return share
	default:
		return min(l.Deadline, share)
	}
}

// timeFlags names the limits of the time.
func (l Limits) timeFlags() string {
	var flags []string
	if l.Deadline > 0 {
		flags = append(flags, fmt.Sprintf("--deadline %v", l.Deadline))
	}
	if l.Jobs > 0 {
		flags = append(flags, fmt.Sprintf("--jobs %.0f a month", l.Jobs))
	}
	return strings.Join(flags, " and ")
}

// limit is a requirement that is set.
type limit struct {
	name string // flag of the command
	met  func(c *catalogue.Catalogue, p catalogue.Parts) bool
}

// list returns the limits that do not depend on time or money.
func (l Limits) list() (all []limit) {
	add := func(set bool, name string, met func(*catalogue.Catalogue, catalogue.Parts) bool) {
		if set {
			all = append(all, limit{name, met})
		}
	}
	add(l.PowerOfTwo, "--power-of-two", func(_ *catalogue.Catalogue, p catalogue.Parts) bool {
		return bits.OnesCount(uint(p.Nodes*p.Processors)) == 1
	})
	add(l.MaxNodes > 0, fmt.Sprintf("--max-nodes %d", l.MaxNodes), func(_ *catalogue.Catalogue, p catalogue.Parts) bool {
		return p.Nodes <= l.MaxNodes
	})
	add(l.MinProcessors > 0, fmt.Sprintf("--min-processors %d", l.MinProcessors), func(_ *catalogue.Catalogue, p catalogue.Parts) bool {
		return p.Nodes*p.Processors >= l.MinProcessors
	})
	add(l.MaxProcessors > 0, fmt.Sprintf("--max-processors %d", l.MaxProcessors), func(_ *catalogue.Catalogue, p catalogue.Parts) bool {
		return p.Nodes*p.Processors <= l.MaxProcessors
	})
	add(l.MinMemory > 0, fmt.Sprintf("--min-memory %v", l.MinMemory), func(c *catalogue.Catalogue, p catalogue.Parts) bool {
		return c.Nodes[p.Node].Memories[p.Memory].Size >= l.MinMemory
	})
	add(l.MinTotal > 0, fmt.Sprintf("--min-total-memory %v", l.MinTotal), func(c *catalogue.Catalogue, p catalogue.Parts) bool {
		return float64(c.Nodes[p.Node].Memories[p.Memory].Size)*float64(p.Nodes) >= float64(l.MinTotal)
	})
	return all
}

// infeasible returns the reason why no machine is left: the price of the cheapest, or the limits that exclude
// all.
func (p *Problem) infeasible() error {
	limits := p.Limits.list()
	if c, found := p.cheapest(limits); found {
		return fmt.Errorf("no machine within the limits costs at most %s: the cheapest is %s for %s", p.money(p.Budget), p.Catalogue.Name(c.Parts), p.money(c.Paid))
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
		return fmt.Errorf("the catalogue has no machines")
	case len(guilty) == 0:
		return fmt.Errorf("no machine of the catalogue meets %s at any price; dropping one of these limits does not help", strings.Join(names, ", "))
	}
	return fmt.Errorf("no machine of the catalogue meets %s at any price; drop %s", strings.Join(names, ", "), strings.Join(guilty, " or "))
}

// cheapest returns the cheapest machine within limits.
func (p *Problem) cheapest(limits []limit) (least Candidate, found bool) {
	p.eachMachine(limits, func(c Candidate) bool {
		if !found || c.Paid < least.Paid {
			least, found = c, true
		}
		return c.Paid < least.Paid // more nodes cost more
	})
	return least, found
}

// eachMachine calls use for each machine within limits, without its time. In each series, it stops when use
// returns false.
func (p *Problem) eachMachine(limits []limit, use func(Candidate) bool) {
	for at, s := range p.Catalogue.Configurations() {
		p.eachInSeries(at, s, limits, use)
	}
}

func (p *Problem) eachInSeries(at int, s catalogue.Parts, limits []limit, use func(Candidate) bool) {
	for most := p.Catalogue.MaxNodes(s); s.Nodes <= most; s.Nodes++ {
		if !p.extendsOwned(s) || !met(limits, p.Catalogue, s) {
			continue
		}
		c := Candidate{Parts: s, at: at}
		c.Paid, c.Worth = p.price(s)
		if !use(c) {
			return
		}
	}
}

func met(limits []limit, c *catalogue.Catalogue, p catalogue.Parts) bool {
	for _, l := range limits {
		if !l.met(c, p) {
			return false
		}
	}
	return true
}

// money formats an amount in the unit of the catalogue.
func (p *Problem) money(d unit.Dollars) string {
	d = unit.Dollars(cents(float64(d)))
	if p.Catalogue.Hourly {
		return d.String() + "/h"
	}
	return d.String()
}
