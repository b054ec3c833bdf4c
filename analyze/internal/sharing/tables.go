package sharing

import (
	"cmp"
	"maps"
	"slices"

	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// allProcs stands for all processors together.
const allProcs int32 = -1

// columns are the columns of a table, in order.
type columns []store.Column

// column adds a column with one value for each row.
func column[R any, T int32 | int64 | uint64 | float64 | string](c *columns, rows []R, name, unit string, of func(*R) T) {
	data := make([]T, len(rows))
	for i := range rows {
		data[i] = of(&rows[i])
	}
	*c = append(*c, store.Column{Name: name, Unit: unit, Data: data})
}

// row holds the counts of an array for one processor, or for all.
type row struct {
	proc   int32
	sim    *simulation
	region int32
	counts
}

func (r *row) line() int64  { return int64(r.sim.line) }
func (r *row) name() string { return r.sim.regions.names[r.region].name }
func (r *row) owner() int32 { return int32(r.sim.regions.names[r.region].owner) }

// sharingTable returns a row for each array that a processor uses, by line size.
func sharingTable(s *shard, meta []trace.Arg) *store.Table {
	var rows []row
	for _, sim := range s.sims {
		for region, t := range sim.tallies {
			for p := range t {
				if t[p].words > 0 || t[p].fills > 0 {
					rows = append(rows, row{int32(p), sim, int32(region), t[p]})
				}
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.proc, b.proc), cmp.Compare(a.sim.line, b.sim.line))
	})
	var c columns
	column(&c, rows, "proc", "", func(r *row) int32 { return r.proc })
	column(&c, rows, "line", "B", (*row).line)
	column(&c, rows, "array", "", (*row).name)
	column(&c, rows, "owner", "", (*row).owner)
	countColumns(&c, rows)
	if s.moved() {
		column(&c, rows, "flush_misses", "", func(r *row) uint64 { return r.flushed })
		column(&c, rows, "prefetch_fills", "", func(r *row) uint64 { return r.fills })
	}
	return &store.Table{Name: "sharing", Meta: meta, Columns: c}
}

func countColumns(c *columns, rows []row) {
	for _, field := range []struct {
		name string
		of   func(*row) uint64
	}{
		{"loads", func(r *row) uint64 { return r.loads }},
		{"stores", func(r *row) uint64 { return r.stores }},
		{"shared", func(r *row) uint64 { return r.sharedUses }},
		{"words", func(r *row) uint64 { return r.words }},
		{"shared_words", func(r *row) uint64 { return r.sharedWords }},
		{"pure_cold", func(r *row) uint64 { return r.pure }},
		{"cold_true", func(r *row) uint64 { return r.coldTrue }},
		{"cold_false", func(r *row) uint64 { return r.coldFalse }},
		{"true_sharing", func(r *row) uint64 { return r.trues }},
		{"false_sharing", func(r *row) uint64 { return r.falses }},
		{"upgrades", func(r *row) uint64 { return r.upgrades }},
		{"silent_upgrades", func(r *row) uint64 { return r.silent }},
	} {
		column(c, rows, field.name, "", field.of)
	}
}

// rate is the share of accesses that are shared.
type rate struct {
	proc         int32
	granule      int64
	uses, shared uint64
	moved        uint64 // from other processors
}

func ratio(part, of uint64) float64 {
	if of == 0 {
		return 0
	}
	return float64(part) / float64(of)
}

// rateTable returns the shared-data access rates of words and lines, by processor and for all (-1).
func rateTable(s *shard, meta []trace.Arg) *store.Table {
	var rows []rate
	have := map[unit.Bytes]bool{}
	for _, sim := range s.sims {
		if !have[sim.word] {
			rows = append(rows, sim.rates(sim.word, func(c *counts, f flow) rate {
				return rate{uses: c.words, shared: c.sharedWords, moved: f.words}
			})...)
		}
		have[sim.word] = true
		if !have[sim.line] {
			rows = append(rows, sim.rates(sim.line, func(c *counts, f flow) rate {
				return rate{uses: c.uses(), shared: c.sharedUses, moved: f.lines}
			})...)
		}
		have[sim.line] = true
	}
	slices.SortFunc(rows, func(a, b rate) int { return cmp.Or(cmp.Compare(a.proc, b.proc), cmp.Compare(a.granule, b.granule)) })
	var c columns
	column(&c, rows, "proc", "", func(r *rate) int32 { return r.proc })
	column(&c, rows, "granule", "B", func(r *rate) int64 { return r.granule })
	column(&c, rows, "uses", "", func(r *rate) uint64 { return r.uses })
	column(&c, rows, "shared", "", func(r *rate) uint64 { return r.shared })
	column(&c, rows, "rate", "", func(r *rate) float64 { return ratio(r.shared, r.uses) })
	column(&c, rows, "moved", "", func(r *rate) uint64 { return r.moved })
	column(&c, rows, "moved_rate", "", func(r *rate) float64 { return ratio(r.moved, r.uses) })
	return &store.Table{Name: "sharing_rate", Meta: meta, Columns: c}
}

// rates are those of each processor and of all.
func (s *simulation) rates(granule unit.Bytes, of func(*counts, flow) rate) []rate {
	all := rate{proc: allProcs, granule: int64(granule)}
	rows := make([]rate, 0, len(s.phases.at)+1)
	for p := range s.phases.at {
		sum := s.total(p)
		r := of(&sum, s.matrix.received(int32(p)))
		r.proc, r.granule = int32(p), int64(granule)
		rows = append(rows, r)
		all.uses += r.uses
		all.shared += r.shared
		all.moved += r.moved
	}
	return append(rows, all)
}

// matrixTable returns what moves between each pair of caches.
func matrixTable(s *shard, meta []trace.Arg) *store.Table {
	type move struct {
		sim      *simulation
		from, to int32
		flow
	}
	var rows []move
	for _, sim := range s.sims {
		first := len(rows)
		sim.matrix.all(func(from, to int32, f flow) { rows = append(rows, move{sim, from, to, f}) })
		slices.SortFunc(rows[first:], func(a, b move) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	}
	var c columns
	column(&c, rows, "line", "B", func(m *move) int64 { return int64(m.sim.line) })
	column(&c, rows, "from", "", func(m *move) int32 { return m.from })
	column(&c, rows, "to", "", func(m *move) int32 { return m.to })
	column(&c, rows, "lines", "lines", func(m *move) uint64 { return m.lines })
	column(&c, rows, "bytes", "B", func(m *move) uint64 { return m.lines * uint64(m.sim.line) })
	column(&c, rows, "words", "words", func(m *move) uint64 { return m.words })
	column(&c, rows, "used", "B", func(m *move) uint64 { return m.words * uint64(m.sim.word) })
	return &store.Table{Name: "sharing_matrix", Meta: meta, Columns: c}
}

// runsTable returns the histograms of runs.
func runsTable(s *shard, meta []trace.Arg) *store.Table {
	type run struct {
		line        int64
		kind        string
		least, most uint64
		runs, sum   uint64
	}
	var rows []run
	for _, sim := range s.sims {
		for kind, h := range sim.runs {
			for length, n := range h.exact {
				if n > 0 {
					rows = append(rows, run{int64(sim.line), runNames[kind], uint64(length), uint64(length), n, n * uint64(length)})
				}
			}
			for bits, b := range h.longer {
				if b.runs > 0 {
					rows = append(rows, run{int64(sim.line), runNames[kind], 1<<(bits-1) + 1, 1 << bits, b.runs, b.sum})
				}
			}
		}
	}
	var c columns
	column(&c, rows, "line", "B", func(r *run) int64 { return r.line })
	column(&c, rows, "kind", "", func(r *run) string { return r.kind })
	column(&c, rows, "least", "", func(r *run) uint64 { return r.least })
	column(&c, rows, "most", "", func(r *run) uint64 { return r.most })
	column(&c, rows, "runs", "", func(r *run) uint64 { return r.runs })
	column(&c, rows, "sum", "", func(r *run) uint64 { return r.sum })
	return &store.Table{Name: "sharing_runs", Meta: meta, Columns: c}
}

// linesTable returns the number of lines by kind of sharing and number of processors.
func linesTable(s *shard, meta []trace.Arg) *store.Table {
	type group struct {
		sim *simulation
		kindKey
		kindCounts
	}
	var rows []group
	for _, sim := range s.sims {
		keys := slices.SortedFunc(maps.Keys(sim.kinds), func(a, b kindKey) int {
			return cmp.Or(cmp.Compare(a.region, b.region), cmp.Compare(a.kind, b.kind), cmp.Compare(a.users, b.users), cmp.Compare(a.writers, b.writers))
		})
		for _, k := range keys {
			rows = append(rows, group{sim, k, sim.kinds[k]})
		}
	}
	var c columns
	column(&c, rows, "line", "B", func(g *group) int64 { return int64(g.sim.line) })
	column(&c, rows, "array", "", func(g *group) string { return g.sim.regions.names[g.region].name })
	column(&c, rows, "owner", "", func(g *group) int32 { return int32(g.sim.regions.names[g.region].owner) })
	column(&c, rows, "kind", "", func(g *group) string { return kindNames[g.kind] })
	column(&c, rows, "users", "", func(g *group) int32 { return g.users })
	column(&c, rows, "writers", "", func(g *group) int32 { return g.writers })
	column(&c, rows, "lines", "lines", func(g *group) uint64 { return g.lines })
	column(&c, rows, "uses", "", func(g *group) uint64 { return g.uses })
	column(&c, rows, "true_sharing", "", func(g *group) uint64 { return g.trues })
	column(&c, rows, "false_sharing", "", func(g *group) uint64 { return g.falses })
	return &store.Table{Name: "sharing_lines", Meta: meta, Columns: c}
}

// phasesTable returns the counts between barriers.
func phasesTable(s *shard, meta []trace.Arg) *store.Table {
	type part struct {
		sim   *simulation
		proc  int32
		phase int64
		phaseCounts
	}
	var rows []part
	for _, sim := range s.sims {
		for p := range sim.phases.at {
			for i, span := range sim.phases.counts {
				if span[p] != (phaseCounts{}) {
					rows = append(rows, part{sim, int32(p), int64(i) << sim.phases.shift, span[p]})
				}
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.proc, b.proc), cmp.Compare(a.sim.line, b.sim.line))
	})
	var c columns
	column(&c, rows, "proc", "", func(r *part) int32 { return r.proc })
	column(&c, rows, "line", "B", func(r *part) int64 { return int64(r.sim.line) })
	column(&c, rows, "phase", "", func(r *part) int64 { return r.phase })
	column(&c, rows, "phases", "", func(r *part) int64 { return 1 << r.sim.phases.shift })
	column(&c, rows, "uses", "", func(r *part) uint64 { return r.uses })
	column(&c, rows, "cold", "", func(r *part) uint64 { return r.cold })
	column(&c, rows, "true_sharing", "", func(r *part) uint64 { return r.trues })
	column(&c, rows, "false_sharing", "", func(r *part) uint64 { return r.falses })
	column(&c, rows, "upgrades", "", func(r *part) uint64 { return r.upgrades })
	if s.moved() {
		column(&c, rows, "flush_misses", "", func(r *part) uint64 { return r.flushed })
	}
	return &store.Table{Name: "sharing_phases", Meta: meta, Columns: c}
}
