package phases

import (
	"slices"

	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// shownWays are the associativities that people see.
var shownWays = []int{1, 2, 4, 8}

// summarise adds the phases of each processor up, for people.
func summarise(full *store.Table, lines []unit.Bytes, meta []trace.Arg) (*store.Table, error) {
	var s sums
	for _, line := range lines {
		p, err := Load(full, line)
		if err != nil {
			return nil, err
		}
		for proc := range p.Procs() {
			for _, n := range p.Sets() {
				for _, ways := range shownWays {
					if err := s.add(p, trace.Proc(proc), n, ways); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return s.table(meta), nil
}

type sums struct {
	proc                                              []int32
	phases, line, sets, ways                          []int64
	instr, uses, misses, upgrades, writebacks, supply []uint64
}

func (s *sums) add(p *Profile, proc trace.Proc, sets int64, ways int) error {
	var sum Counts
	for phase := range p.Phases() {
		c, err := p.Counts(proc, phase, sets, ways)
		if err != nil {
			return err
		}
		sum.Instr += c.Instr
		sum.Loads += c.Loads + c.Stores
		sum.LoadMisses += c.LoadMisses + c.StoreMisses
		sum.Upgrades += c.Upgrades
		sum.Writebacks += c.Writebacks
		sum.Supplies += c.Supplies
	}
	s.proc = append(s.proc, int32(proc))
	s.phases = append(s.phases, int64(p.Phases()))
	s.line = append(s.line, p.line)
	s.sets = append(s.sets, sets)
	s.ways = append(s.ways, int64(ways))
	s.instr = append(s.instr, uint64(sum.Instr))
	s.uses = append(s.uses, sum.Loads)
	s.misses = append(s.misses, sum.LoadMisses)
	s.upgrades = append(s.upgrades, sum.Upgrades)
	s.writebacks = append(s.writebacks, sum.Writebacks)
	s.supply = append(s.supply, sum.Supplies)
	return nil
}

func (s *sums) table(meta []trace.Arg) *store.Table {
	return &store.Table{Name: "phases summary", Meta: slices.Clone(meta), Columns: []store.Column{
		{Name: "proc", Data: s.proc}, {Name: "phases", Data: s.phases}, {Name: "line", Unit: "B", Data: s.line},
		{Name: "sets", Data: s.sets}, {Name: "ways", Data: s.ways}, {Name: "instr", Data: s.instr},
		{Name: "uses", Data: s.uses}, {Name: "misses", Data: s.misses}, {Name: "upgrades", Data: s.upgrades},
		{Name: "writebacks", Data: s.writebacks}, {Name: "supplies", Data: s.supply},
	}}
}
