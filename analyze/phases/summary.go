package phases

import (
	"slices"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// summaryWays are the associativities of the summary.
var summaryWays = []int{1, 2, 4, 8}

// summarise sums the phases of each processor for printing.
func summarise(procs []rows, shapes []shape, meta []trace.Arg) *store.Table {
	totals := make([][]uint64, len(procs))
	for p := range procs {
		totals[p] = procs[p].total(len(shapes))
	}
	var s sums
	for first := 0; first < len(shapes); {
		end := first + 1
		for end < len(shapes) && shapes[end].sets > 0 {
			end++
		}
		for p, total := range totals {
			windows := procs[p].windows
			for i := first + 1; i < end; i++ {
				for _, ways := range summaryWays {
					var c Counts
					c.addShape(total, first, ways)
					c.addShape(total, i, ways)
					s.add(trace.Proc(p), windows[len(windows)-1].phase+1, shapes[i], ways, &c)
				}
			}
		}
		first = end
	}
	return s.table(meta)
}

// addShape adds the counts of one shape.
func (c *Counts) addShape(total []uint64, shape, ways int) {
	for i, n := range total[shape<<shapeBits : (shape+1)<<shapeBits] {
		x := counter{count: n, event: rowKey(i).event(), distance: int8(rowKey(i).distance())}
		x.apply(c, ways)
	}
}

type sums struct {
	proc                                              []int32
	phases, line, sets, ways                          []int64
	instr, uses, misses, upgrades, writebacks, supply []uint64
}

func (s *sums) add(proc trace.Proc, phases int64, of shape, ways int, c *Counts) {
	s.proc = append(s.proc, int32(proc))
	s.phases = append(s.phases, phases)
	s.line = append(s.line, of.line)
	s.sets = append(s.sets, of.sets)
	s.ways = append(s.ways, int64(ways))
	s.instr = append(s.instr, uint64(c.Instr))
	s.uses = append(s.uses, c.Loads+c.Stores)
	s.misses = append(s.misses, c.LoadMisses+c.StoreMisses)
	s.upgrades = append(s.upgrades, c.Upgrades)
	s.writebacks = append(s.writebacks, c.Writebacks)
	s.supply = append(s.supply, c.Supplies)
}

func (s *sums) table(meta []trace.Arg) *store.Table {
	return &store.Table{Name: "phases summary", Meta: slices.Clone(meta), Columns: []store.Column{
		{Name: "proc", Data: s.proc}, {Name: "phases", Data: s.phases}, {Name: "line", Unit: "B", Data: s.line},
		{Name: "sets", Data: s.sets}, {Name: "ways", Data: s.ways}, {Name: "instr", Data: s.instr},
		{Name: "uses", Data: s.uses}, {Name: "misses", Data: s.misses}, {Name: "upgrades", Data: s.upgrades},
		{Name: "writebacks", Data: s.writebacks}, {Name: "supplies", Data: s.supply},
	}}
}
