package phases

import (
	"cmp"
	"fmt"
	"slices"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Counts holds the counts of one processor in one phase, with caches of one shape. Loads, Stores and the
// following fields count lines: a reference that crosses lines counts for each.
type Counts struct {
	Instr       unit.Instructions
	Loads       uint64
	Stores      uint64
	LoadMisses  uint64
	StoreMisses uint64
	Upgrades    uint64 // stores that hit a line that is not exclusive
	Alone       uint64 // of them, those of lines that no other processor stored last or has used since
	Writebacks  uint64 // exclusive lines that this processor evicted
	Supplies    uint64 // misses of this processor that another cache served
}

// add adds d to c.
func (c *Counts) add(d Counts) {
	c.Instr += d.Instr
	c.Loads += d.Loads
	c.Stores += d.Stores
	c.LoadMisses += d.LoadMisses
	c.StoreMisses += d.StoreMisses
	c.Upgrades += d.Upgrades
	c.Alone += d.Alone
	c.Writebacks += d.Writebacks
	c.Supplies += d.Supplies
}

// Profile is a phases table at one line size.
type Profile struct {
	Procs  int
	Window unit.Instructions // length of a window
	Sets   []int64           // simulated numbers of sets
	Ways   int               // maximum number of ways
	Alone  bool              // the table has Counts.Alone; older tables have not

	// Windows has the windows of each phase in which any processor executed instructions, as their numbers in the
	// traffic table. There is one phase more than barriers.
	Windows [][]int64

	line   int64
	phases [][][]window // by phase and window; by processor
}

// window holds the counters of a processor in one window.
type window []counter

// counter is a row without its keys.
type counter struct {
	count    uint64
	sets     int32
	distance int8
	event    event
}

// windowRows holds the counters of one window of a processor, which are adjacent in the table.
type windowRows struct {
	phase, window int64
	proc          int32
	counters      window
}

func (a *windowRows) compare(b *windowRows) int {
	return cmp.Or(cmp.Compare(a.phase, b.phase), cmp.Compare(a.window, b.window), cmp.Compare(a.proc, b.proc))
}

// Counts returns the counts of proc in phase with caches of sets x ways lines. If this shape was not
// simulated, the error lists the simulated ones.
func (p *Profile) Counts(proc trace.Proc, phase int, sets int64, ways int) (Counts, error) {
	if phase < 0 || phase >= len(p.phases) {
		return Counts{}, p.absent(proc, phase)
	}
	var sum Counts
	for w := range p.phases[phase] {
		c, err := p.WindowCounts(proc, phase, w, sets, ways)
		if err != nil {
			return Counts{}, err
		}
		sum.add(c)
	}
	return sum, nil
}

// WindowCounts returns the same for a window of a phase.
func (p *Profile) WindowCounts(proc trace.Proc, phase, at int, sets int64, ways int) (Counts, error) {
	switch {
	case proc < 0 || int(proc) >= p.Procs || phase < 0 || phase >= len(p.phases) || at < 0 || at >= len(p.phases[phase]):
		return Counts{}, p.absent(proc, phase)
	case ways < 1 || ways > p.Ways:
		return Counts{}, fmt.Errorf("the phases table has no caches of %d ways; it has 1 to %d", ways, p.Ways)
	case !slices.Contains(p.Sets, sets):
		return Counts{}, fmt.Errorf("the phases table has no caches of %d sets; it has %s; run analyze with --sets %d", sets, listOf(p.Sets, ""), sets)
	}
	var c Counts
	for i := range p.phases[phase][at][proc] {
		if x := &p.phases[phase][at][proc][i]; x.sets == 0 || int64(x.sets) == sets {
			x.apply(&c, ways)
		}
	}
	return c, nil
}

func (p *Profile) absent(proc trace.Proc, phase int) error {
	return fmt.Errorf("the phases table has no phase %d of processor %d; it has %d phases of %d processors", phase, proc, len(p.phases), p.Procs)
}

// apply adds a counter to the counts of an associativity, if it applies. A use at distance d misses for w <=
// d. All other events apply for w > d.
func (x *counter) apply(c *Counts, ways int) {
	misses := x.distance < 0 || int(x.distance) >= ways
	switch x.event {
	case instrEvent:
		c.Instr += unit.Instructions(x.count)
	case loadEvent:
		c.Loads += x.count
	case storeEvent:
		c.Stores += x.count
	case reuseLoadEvent:
		c.LoadMisses += x.count * toOne(misses)
	case reuseStoreEvent:
		c.StoreMisses += x.count * toOne(misses)
	case upgradePlusEvent:
		c.Upgrades += x.count * toOne(!misses)
	case upgradeMinusEvent:
		c.Upgrades -= x.count * toOne(!misses)
	case alonePlusEvent:
		c.Alone += x.count * toOne(!misses)
	case aloneMinusEvent:
		c.Alone -= x.count * toOne(!misses)
	case writebackPlusEvent:
		c.Writebacks += x.count * toOne(!misses)
	case writebackMinusEvent:
		c.Writebacks -= x.count * toOne(!misses)
	case supplyPlusEvent:
		c.Supplies += x.count * toOne(!misses)
	}
}

func toOne(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
