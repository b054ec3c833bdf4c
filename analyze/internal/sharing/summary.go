package sharing

import (
	"cmp"
	"slices"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// shownArrays is the number of arrays in the summary of each line size: those with most false
// sharing, then with most true sharing.
const shownArrays = 10

// Names of rows of the summary.
const (
	allArrays = "(all)"
	unnamed   = "(unnamed)"
)

// summarise adds up processors: all arrays together, then the worst ones. Private arrays with the
// same name are joined.
func summarise(s *shard, meta []trace.Arg) *store.Table {
	var rows []row
	for _, sim := range s.sims {
		all := row{proc: allProcs, sim: sim}
		var arrays []row
		at := map[string]int{}
		for region, t := range sim.tallies {
			r := row{sim: sim, region: int32(region)}
			for p := range t {
				r.add(&t[p])
			}
			all.add(&r.counts)
			if i, ok := at[r.name()]; ok {
				arrays[i].add(&r.counts)
			} else if r.words > 0 || r.fills > 0 {
				at[r.name()] = len(arrays)
				arrays = append(arrays, r)
			}
		}
		slices.SortStableFunc(arrays, func(a, b row) int {
			return cmp.Or(cmp.Compare(b.falses, a.falses), cmp.Compare(b.trues, a.trues), cmp.Compare(b.uses(), a.uses()))
		})
		rows = append(append(rows, all), arrays[:min(len(arrays), shownArrays)]...)
	}
	return summaryTable(rows, meta, s.moved())
}

func summaryTable(rows []row, meta []trace.Arg, moved bool) *store.Table {
	var c columns
	column(&c, rows, "line", "B", (*row).line)
	column(&c, rows, "array", "", func(r *row) string {
		switch {
		case r.proc == allProcs:
			return allArrays
		case r.region == outside:
			return unnamed
		}
		return r.name()
	})
	column(&c, rows, "uses", "", func(r *row) uint64 { return r.uses() })
	column(&c, rows, "shared", "", func(r *row) float64 { return ratio(r.sharedUses, r.uses()) })
	column(&c, rows, "shared_words", "", func(r *row) float64 { return ratio(r.sharedWords, r.words) })
	column(&c, rows, "cold", "", func(r *row) uint64 { return r.cold() })
	column(&c, rows, "true_sharing", "", func(r *row) uint64 { return r.trues })
	column(&c, rows, "false_sharing", "", func(r *row) uint64 { return r.falses })
	column(&c, rows, "false_ratio", "", func(r *row) float64 { return ratio(r.falses, r.misses()) })
	column(&c, rows, "upgrades", "", func(r *row) uint64 { return r.upgrades })
	if moved {
		column(&c, rows, "flush_misses", "", func(r *row) uint64 { return r.flushed })
		column(&c, rows, "prefetch_fills", "", func(r *row) uint64 { return r.fills })
	}
	return &store.Table{Name: "sharing summary", Meta: slices.Clone(meta), Columns: c}
}
