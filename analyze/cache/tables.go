package cache

import (
	"slices"
	"strconv"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// rows becomes the table. It has a row for each level.
type rows struct {
	analysis *Analysis
	proc     []int32
	caches   []string
	level    []*Level
	counts   []Counts
}

func (r *rows) add(p trace.Proc, s *Spec, level int, c Counts) {
	r.proc = append(r.proc, int32(p))
	r.caches = append(r.caches, s.String())
	r.level = append(r.level, &s.Levels[level])
	r.counts = append(r.counts, c)
}

// column returns one value of each row.
func column[T any](r *rows, of func(l *Level, c *Counts) T) []T {
	out := make([]T, len(r.counts))
	for i := range out {
		out[i] = of(r.level[i], &r.counts[i])
	}
	return out
}

func (r *rows) count(name string, of func(c *Counts) uint64) store.Column {
	return store.Column{Name: name, Data: column(r, func(_ *Level, c *Counts) uint64 { return of(c) })}
}

// hasOPT reports whether OPT is counted for the level, alone or beside its policy.
func (l *Level) hasOPT() bool { return l.WithOPT || l.Policy == optPolicy.Name }

func (r *rows) shape() []store.Column {
	return []store.Column{
		{Name: "level", Data: column(r, func(l *Level, _ *Counts) string { return l.Name })},
		{Name: "size", Unit: "B", Data: column(r, func(l *Level, _ *Counts) int64 { return int64(l.Size()) })},
		{Name: "ways", Data: column(r, func(l *Level, _ *Counts) int64 { return l.Ways })},
		{Name: "line", Unit: "B", Data: column(r, func(l *Level, _ *Counts) int64 { return int64(l.Line) })},
		{Name: "policy", Data: column(r, func(l *Level, _ *Counts) string { return l.Policy })},
	}
}

// traffic returns the columns of bytes read from and written to the next level.
func (r *rows) traffic() []store.Column {
	bytes := func(name string, of func(c *Counts, line uint64) uint64) store.Column {
		return store.Column{Name: name, Unit: "B", Data: column(r, func(l *Level, c *Counts) int64 {
			if l.TLB {
				return -1
			}
			return int64(of(c, uint64(l.Line)))
		})}
	}
	return []store.Column{bytes("bytes_read", (*Counts).read), bytes("bytes_written", (*Counts).written)}
}

// moves returns the columns of prefetches and flushes, if there are any.
func (r *rows) moves() []store.Column {
	if !slices.ContainsFunc(r.counts, func(c Counts) bool { return c.Prefetches+c.Flushed > 0 }) {
		return nil
	}
	return []store.Column{
		r.count("prefetches", func(c *Counts) uint64 { return c.Prefetches }),
		r.count("prefetch_fills", func(c *Counts) uint64 { return c.PrefetchFills }),
		r.count("flushed", func(c *Counts) uint64 { return c.Flushed }),
	}
}

func (r *rows) causes() []store.Column {
	if !r.analysis.Classify {
		return nil
	}
	return []store.Column{
		r.count("compulsory", func(c *Counts) uint64 { return c.Compulsory }),
		r.count("capacity", func(c *Counts) uint64 { return c.Capacity }),
		r.count("conflict", func(c *Counts) uint64 { return c.Conflict }),
	}
}

func (r *rows) opt() []store.Column {
	if !slices.ContainsFunc(r.level, (*Level).hasOPT) {
		return nil
	}
	return []store.Column{{Name: "opt_misses", Data: column(r, func(l *Level, c *Counts) int64 {
		if !l.hasOPT() {
			return -1
		}
		return int64(c.OPTMisses)
	})}}
}

func (r *rows) meta() []trace.Arg {
	return append(slices.Clone(r.analysis.Meta), trace.Arg{Key: "cache_seed", Value: strconv.FormatUint(r.analysis.Seed, 10)})
}

func (r *rows) table() *store.Table {
	t := &store.Table{Name: "cache", Meta: r.meta(), Columns: []store.Column{{Name: "caches", Data: r.caches}, {Name: "proc", Data: r.proc}}}
	t.Columns = append(t.Columns, r.shape()...)
	for o, name := range opNames {
		t.Columns = append(t.Columns,
			r.count(name+"_hits", func(c *Counts) uint64 { return c.Uses[o] - c.Misses[o] }),
			r.count(name+"_misses", func(c *Counts) uint64 { return c.Misses[o] }))
	}
	t.Columns = append(t.Columns,
		r.count("split_misses", func(c *Counts) uint64 { return c.Split }),
		r.count("evictions", func(c *Counts) uint64 { return c.Evictions }),
		r.count("invalidations", func(c *Counts) uint64 { return c.Invalidations }),
		r.count("writebacks", func(c *Counts) uint64 { return c.Writebacks }),
		r.count("writethroughs", func(c *Counts) uint64 { return c.Writethroughs }))
	t.Columns = append(t.Columns, r.moves()...)
	t.Columns = append(t.Columns, r.traffic()...)
	t.Columns = append(t.Columns, r.causes()...)
	if r.analysis.Classify {
		t.Columns = append(t.Columns, r.count("full_misses", func(c *Counts) uint64 { return c.FullMisses }))
	}
	t.Columns = append(t.Columns, r.opt()...)
	return t
}

// opNames has the names of operations in columns.
var opNames = [ops]string{loads: "load", stores: "store", ifetches: "ifetch"}

// missesByOp returns the columns of the misses of each operation that the trace has.
func (r *rows) missesByOp() (out []store.Column) {
	for o, name := range opNames {
		if slices.ContainsFunc(r.counts, func(c Counts) bool { return c.Uses[o] > 0 }) {
			out = append(out, r.count(name+"_misses", func(c *Counts) uint64 { return c.Misses[o] }))
		}
	}
	return out
}

// summary returns the table for people. It has descriptions only if there are several.
func (r *rows) summary() *store.Table {
	t := &store.Table{Name: "cache summary", Meta: r.meta()}
	if len(r.analysis.Specs) > 1 {
		t.Columns = append(t.Columns, store.Column{Name: "caches", Data: r.caches})
	}
	t.Columns = append(t.Columns, store.Column{Name: "proc", Data: r.proc})
	t.Columns = append(t.Columns, r.shape()...)
	t.Columns = append(t.Columns,
		r.count("uses", func(c *Counts) uint64 { return total(c.Uses) }),
		r.count("misses", func(c *Counts) uint64 { return total(c.Misses) }))
	t.Columns = append(t.Columns, r.missesByOp()...)
	t.Columns = append(t.Columns,
		store.Column{Name: "ratio", Data: column(r, func(_ *Level, c *Counts) float64 {
			return float64(total(c.Misses)) / float64(max(1, total(c.Uses)))
		})},
		r.count("writebacks", func(c *Counts) uint64 { return c.Writebacks }))
	t.Columns = append(t.Columns, r.traffic()...)
	t.Columns = append(t.Columns, r.causes()...)
	t.Columns = append(t.Columns, r.opt()...)
	return t
}
