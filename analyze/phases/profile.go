package phases

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Counts is what one processor did in one phase, with caches of one shape. Loads,
// Stores and what follows count lines: a reference that crosses lines counts for each.
type Counts struct {
	Instr       unit.Instructions
	Loads       uint64
	Stores      uint64
	LoadMisses  uint64
	StoreMisses uint64
	Upgrades    uint64 // stores that hit a line that is not exclusive
	Writebacks  uint64 // exclusive lines that this processor evicted
	Supplies    uint64 // misses of this processor that another one's cache served
}

// Profile is a phases table at one line size, ready to be asked.
type Profile struct {
	line   int64
	procs  int
	phases int
	plain  map[key]*Counts          // by processor and phase: what does not depend on the cache
	shapes map[key]*[MaxWays]Counts // with sets; by ways - 1: what does
	sets   []int64
}

// Load reads a phases table. A line size that it does not have is an error that
// lists those it has.
func Load(t *store.Table, line unit.Bytes) (*Profile, error) {
	r, err := readRows(t)
	if err != nil {
		return nil, err
	}
	p := &Profile{line: int64(line), plain: map[key]*Counts{}, shapes: map[key]*[MaxWays]Counts{}}
	if err := p.readSets(t); err != nil {
		return nil, err
	}
	var lines []int64
	for _, x := range r {
		if !slices.Contains(lines, x.line) {
			lines = append(lines, x.line)
		}
		if x.line == p.line {
			p.add(x)
		}
	}
	if !slices.Contains(lines, p.line) {
		return nil, fmt.Errorf("the phases table has no lines of %v; it has %s", line, listOf(lines, "B"))
	}
	return p, p.check()
}

// setsFact lists the numbers of sets simulated: a trace without data references has no
// rows that say so.
const setsFact = "sets"

func (p *Profile) readSets(t *store.Table) error {
	for _, text := range strings.Split(t.Fact(setsFact), ", ") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("the phases table's sets are %q, not a list of numbers", t.Fact(setsFact))
		}
		p.sets = append(p.sets, n)
	}
	return nil
}

// Procs is the number of processors.
func (p *Profile) Procs() int { return p.procs }

// Phases is the number of phases: one more than barriers.
func (p *Profile) Phases() int { return p.phases }

// Sets lists the numbers of sets that can be asked for.
func (p *Profile) Sets() []int64 { return p.sets }

// Counts is what proc did in phase with caches of sets by ways lines. A shape that was not
// simulated is an error that lists those that were.
func (p *Profile) Counts(proc trace.Proc, phase int, sets int64, ways int) (Counts, error) {
	k := key{proc: int32(proc), phase: int64(phase), line: p.line}
	plain := p.plain[k]
	if plain == nil {
		return Counts{}, fmt.Errorf("the phases table has no phase %d of processor %d; it has %d phases of %d processors", phase, proc, p.phases, p.procs)
	}
	if ways < 1 || ways > MaxWays {
		return Counts{}, fmt.Errorf("the phases table has no caches of %d ways; it has 1 to %d", ways, MaxWays)
	}
	if !slices.Contains(p.sets, sets) {
		return Counts{}, fmt.Errorf("the phases table has no caches of %d sets; it has %s; run analyze with --sets %d", sets, listOf(p.sets, ""), sets)
	}
	c := *plain
	k.sets = sets
	if shape := p.shapes[k]; shape != nil { // nil: the processor used no memory in the phase
		s := shape[ways-1]
		c.LoadMisses, c.StoreMisses, c.Upgrades, c.Writebacks, c.Supplies = s.LoadMisses, s.StoreMisses, s.Upgrades, s.Writebacks, s.Supplies
	}
	return c, nil
}

// add takes one row into the counts.
func (p *Profile) add(x row) {
	k := key{proc: x.proc, phase: x.phase, line: x.line}
	plain := p.plain[k]
	if plain == nil {
		plain = &Counts{}
		p.plain[k] = plain
	}
	switch x.event {
	case instrEvent:
		plain.Instr = unit.Instructions(x.count)
		p.procs, p.phases = max(p.procs, int(x.proc)+1), max(p.phases, int(x.phase)+1)
		return
	case loadEvent:
		plain.Loads = x.count
		return
	case storeEvent:
		plain.Stores = x.count
		return
	}
	k.sets = x.sets
	shape := p.shapes[k]
	if shape == nil {
		shape = &[MaxWays]Counts{}
		p.shapes[k] = shape
	}
	x.apply(shape)
}

// apply adds a row to the counts of all associativities that it concerns: a use at
// distance d misses for w <= d, all others concern w > d.
func (x *row) apply(shape *[MaxWays]Counts) {
	for i := range shape {
		c, d := &shape[i], x.distance
		switch misses := d < 0 || d > int64(i); x.event {
		case reuseLoadEvent:
			c.LoadMisses += x.count * toOne(misses)
		case reuseStoreEvent:
			c.StoreMisses += x.count * toOne(misses)
		case upgradePlusEvent:
			c.Upgrades += x.count * toOne(!misses)
		case upgradeMinusEvent:
			c.Upgrades -= x.count * toOne(!misses)
		case writebackPlusEvent:
			c.Writebacks += x.count * toOne(!misses)
		case writebackMinusEvent:
			c.Writebacks -= x.count * toOne(!misses)
		case supplyPlusEvent:
			c.Supplies += x.count * toOne(!misses)
		}
	}
}

func toOne(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// check holds the table to having every phase of every processor.
func (p *Profile) check() error {
	if len(p.plain) != p.procs*p.phases {
		return fmt.Errorf("the phases table has %d of the %d phases of %d processors", len(p.plain), p.procs*p.phases, p.procs)
	}
	return nil
}

func readRows(t *store.Table) (rows, error) {
	if t.Name != "phases" {
		return nil, fmt.Errorf("a %s table, not a phases table", t.Name)
	}
	proc, err1 := store.Data[int32](t, "proc")
	phase, err2 := store.Data[int64](t, "phase")
	line, err3 := store.Data[int64](t, "line")
	sets, err4 := store.Data[int64](t, "sets")
	names, err5 := store.Data[string](t, "event")
	distance, err6 := store.Data[int64](t, "distance")
	count, err7 := store.Data[uint64](t, "count")
	for _, err := range []error{err1, err2, err3, err4, err5, err6, err7} {
		if err != nil {
			return nil, err
		}
	}
	out := make(rows, len(proc))
	for i := range out {
		e := event(max(0, slices.Index(eventNames[:], names[i])))
		out[i] = row{key{proc[i], phase[i], line[i], sets[i]}, distance[i], count[i], e}
		if e == 0 || names[i] == "" || proc[i] < 0 || phase[i] < 0 || phase[i] > math.MaxInt32 || distance[i] < Invalidated || distance[i] > MaxWays {
			return nil, fmt.Errorf("row %d of the phases table: event %q at distance %d, processor %d, phase %d is impossible", i, names[i], distance[i], proc[i], phase[i])
		}
	}
	return out, nil
}

func listOf(values []int64, unit string) string {
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprintf("%d%s", v, unit))
	}
	return strings.Join(out, ", ")
}
