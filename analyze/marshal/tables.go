package marshal

import (
	"cmp"
	"errors"
	"slices"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// row is a class of one processor at one line size.
type row struct {
	proc trace.Proc
	line unit.Bytes
	class
	tally
}

// Merge returns the table marshal and its summary.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	classes := 0
	for _, s := range shards {
		classes += s.(*shard).tallies.Len()
	}
	rows := make([]row, 0, classes*len(a.Lines))
	for _, s := range shards {
		for i, line := range a.Lines {
			of, err := s.(*shard).rows(i, line)
			if err != nil {
				return analysis.Result{}, err
			}
			rows = append(rows, of...)
		}
	}
	full := fullTable(rows, a.Meta)
	summary, err := summarise(rows, a.Meta)
	r := analysis.Result{Tables: []*store.Table{full}, Full: full, Summary: summary}
	if len(rows) == 0 {
		r.Warnings = append(r.Warnings, errors.New("marshal: the trace has no messages; for programs with shared memory use --run sharing"))
	}
	return r, err
}

// rows returns the classes at one line size, sorted. Addresses are modulo that size.
func (s *shard) rows(i int, line unit.Bytes) ([]row, error) {
	all := make([]row, 0, s.tallies.Len())
	for _, r := range s.tallies.Rows() {
		c, t := r.Key, r.Value
		if c.offset != unknown {
			c.offset %= int64(line)
		}
		one := *t
		one.sizes = []lineSum{t.sizes[i]}
		if !s.refs {
			one.measured = 0
		}
		all = append(all, row{s.proc, line, c, one})
	}
	return joined(all, func(a, b *row) int {
		return cmp.Or(cmp.Compare(a.proc, b.proc), cmp.Compare(a.line, b.line), a.class.compare(b.class))
	})
}

func (c class) compare(d class) int {
	return cmp.Or(cmp.Compare(c.kind, d.kind), cmp.Compare(c.bytes, d.bytes), cmp.Compare(c.count, d.count),
		cmp.Compare(c.block, d.block), cmp.Compare(c.stride, d.stride), cmp.Compare(c.offset, d.offset))
}

// joined sorts rows and adds up equal ones.
func joined(all []row, compare func(a, b *row) int) ([]row, error) {
	slices.SortFunc(all, func(a, b row) int {
		return cmp.Or(compare(&a, &b), cmp.Compare(a.sizes[0].expected, b.sizes[0].expected)) // sums of floats depend on their order
	})
	out := all[:0]
	for _, r := range all {
		if n := len(out); n > 0 && compare(&out[n-1], &r) == 0 {
			if err := out[n-1].add(&r.tally); err != nil {
				return nil, err
			}
			continue
		}
		out = append(out, r)
	}
	return out, nil
}

// bounds returns the paper's bounds for a message of the class, or unknown.
func (r *row) bounds() (lower, upper int64) {
	l := Layout{Count: r.count, Block: min(r.block, r.class.bytes), Stride: max(r.stride, -r.stride)}
	switch {
	case l.Stride == r.block && r.class.bytes < r.count*r.block && (r.stride > 0 || r.class.bytes%r.block == 0): // a row that is not full is a row
		l.Count, l.Block = 1, r.class.bytes
	case r.count < 1 || r.count > 1 && r.class.bytes/r.count < r.block: // the rest, or a layout that is not full
		return unknown, unknown
	}
	low, high, err := l.Bounds(r.line)
	if err != nil {
		return unknown, unknown
	}
	return int64(low), int64(high)
}

// column applies a function to every row.
func column[T any](rows []row, of func(*row) T) []T {
	out := make([]T, len(rows))
	for i := range rows {
		out[i] = of(&rows[i])
	}
	return out
}

func fullTable(rows []row, meta []trace.Arg) *store.Table {
	return &store.Table{Name: "marshal", Meta: meta, Columns: []store.Column{
		{Name: "proc", Data: column(rows, func(r *row) int32 { return int32(r.proc) })},
		{Name: "line", Unit: "B", Data: column(rows, func(r *row) int64 { return int64(r.line) })},
		{Name: "kind", Data: column(rows, func(r *row) string { return r.kind.String() })},
		{Name: "bytes", Unit: "B", Data: column(rows, func(r *row) int64 { return r.class.bytes })},
		{Name: "count", Data: column(rows, func(r *row) int64 { return r.count })},
		{Name: "block", Unit: "B", Data: column(rows, func(r *row) int64 { return r.block })},
		{Name: "stride", Unit: "B", Data: column(rows, func(r *row) int64 { return r.stride })},
		{Name: "offset", Unit: "B", Data: column(rows, func(r *row) int64 { return r.offset })},
		{Name: "messages", Data: column(rows, func(r *row) uint64 { return r.messages })},
		{Name: "total", Unit: "B", Data: column(rows, func(r *row) uint64 { return r.tally.bytes })},
		{Name: "packed", Unit: "lines", Data: column(rows, func(r *row) uint64 { return r.sizes[0].packed })},
		{Name: "expected", Unit: "lines", Data: column(rows, func(r *row) float64 { return r.sizes[0].expected })},
		{Name: "lower", Unit: "lines", Data: column(rows, func(r *row) int64 { low, _ := r.bounds(); return low })},
		{Name: "upper", Unit: "lines", Data: column(rows, func(r *row) int64 { _, high := r.bounds(); return high })},
		{Name: "placed", Data: column(rows, func(r *row) uint64 { return r.placed })},
		{Name: "mlt", Unit: "lines", Data: column(rows, func(r *row) uint64 { return r.sizes[0].touched })},
		{Name: "measured", Data: column(rows, func(r *row) uint64 { return r.measured })},
		{Name: "used", Unit: "lines", Data: column(rows, func(r *row) uint64 { return r.sizes[0].used })},
	}}
}

// summarise adds up all processors, by kind, for people.
func summarise(rows []row, meta []trace.Arg) (*store.Table, error) {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].sizes = slices.Clone(rows[i].sizes)
	}
	rows, err := joined(rows, func(a, b *row) int { return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.kind, b.kind)) })
	each := func(of func(*row) (sum float64, of uint64)) []float64 {
		return column(rows, func(r *row) float64 {
			sum, n := of(r)
			return sum / float64(max(1, n))
		})
	}
	return &store.Table{Name: "marshal summary", Meta: slices.Clone(meta), Columns: []store.Column{
		{Name: "line", Unit: "B", Data: column(rows, func(r *row) int64 { return int64(r.line) })},
		{Name: "kind", Data: column(rows, func(r *row) string { return r.kind.String() })},
		{Name: "messages", Data: column(rows, func(r *row) uint64 { return r.messages })},
		{Name: "bytes", Unit: "B", Data: each(func(r *row) (float64, uint64) { return float64(r.tally.bytes), r.messages })},
		{Name: "packed", Unit: "lines", Data: each(func(r *row) (float64, uint64) { return float64(r.sizes[0].packed), r.messages })},
		{Name: "expected", Unit: "lines", Data: each(func(r *row) (float64, uint64) { return r.sizes[0].expected, r.messages })},
		{Name: "placed", Data: column(rows, func(r *row) uint64 { return r.placed })},
		{Name: "mlt", Unit: "lines", Data: each(func(r *row) (float64, uint64) { return float64(r.sizes[0].touched), r.placed })},
		{Name: "measured", Data: column(rows, func(r *row) uint64 { return r.measured })},
		{Name: "used", Unit: "lines", Data: each(func(r *row) (float64, uint64) { return float64(r.sizes[0].used), r.measured })},
	}}, err
}
