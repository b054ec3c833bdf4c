package logp

import (
	"fmt"

	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Row is a network with one of its gaps, for messages of so many bytes.
type Row struct {
	Name  string // of the machine
	Bytes unit.Bytes
	From  string // source of the gap
	Machine
}

// NetworkTable has a row for every network with every gap.
func NetworkTable(rows []Row, facts []trace.Arg) *store.Table {
	seconds := func(name string, of func(Row) unit.Picos) store.Column {
		return store.ColumnOf(rows, name, "s", func(r Row) float64 { return float64(of(r).Seconds()) })
	}
	return &store.Table{Name: "logp", Meta: facts, Columns: []store.Column{
		store.ColumnOf(rows, "machine", "", func(r Row) string { return r.Name }),
		store.ColumnOf(rows, "processors", "", func(r Row) int32 { return int32(r.Procs) }),
		store.ColumnOf(rows, "bytes", "B", func(r Row) uint64 { return uint64(r.Bytes) }),
		store.ColumnOf(rows, "gap_from", "", func(r Row) string { return r.From }),
		seconds("L", func(r Row) unit.Picos { return r.Latency }),
		seconds("o_s", func(r Row) unit.Picos { return r.Send }),
		seconds("o_r", func(r Row) unit.Picos { return r.Receive }),
		seconds("g", func(r Row) unit.Picos { return r.Gap }),
		store.ColumnOf(rows, "G", "s/B", func(r Row) float64 { return r.PerByte * 1e-12 }),
	}}
}

// BoundsTable has a row for every operation on every network.
func BoundsTable(rows []Row, facts []trace.Arg) (*store.Table, error) {
	type bound struct {
		Row
		name string
		time unit.Picos
	}
	var all []bound
	for _, r := range rows {
		for _, op := range Operations {
			time, err := op.Least(r.Machine, int64(r.Bytes))
			if err != nil {
				return nil, fmt.Errorf("bounding %s on machine %q: %w", op.Name, r.Name, err)
			}
			all = append(all, bound{r, op.Name, time})
		}
	}
	return &store.Table{Name: "logp_bounds", Meta: facts, Columns: []store.Column{
		store.ColumnOf(all, "machine", "", func(b bound) string { return b.Name }),
		store.ColumnOf(all, "processors", "", func(b bound) int32 { return int32(b.Procs) }),
		store.ColumnOf(all, "bytes", "B", func(b bound) uint64 { return uint64(b.Bytes) }),
		store.ColumnOf(all, "gap_from", "", func(b bound) string { return b.From }),
		store.ColumnOf(all, "operation", "", func(b bound) string { return b.name }),
		store.ColumnOf(all, "least", "s", func(b bound) float64 { return float64(b.time.Seconds()) }),
	}}, nil
}
