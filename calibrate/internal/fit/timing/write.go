package timing

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// Table returns d as a dataset with its facts and the given ones.
func (d *Data) Table(facts ...trace.Arg) *store.Table {
	t := &store.Table{Name: "timings", Meta: append(d.facts(), facts...)}
	for _, f := range fields {
		t.Columns = append(t.Columns, store.Column{Name: f.name, Unit: f.base, Data: d.column(f)})
	}
	return t
}

func (d *Data) facts() (facts []trace.Arg) {
	if d.Line != 0 {
		facts = append(facts, trace.Arg{Key: "line", Value: d.Line.String()})
	}
	if d.Page != 0 {
		facts = append(facts, trace.Arg{Key: "page", Value: d.Page.String()})
	}
	reps := "median"
	if d.Minimum {
		reps = "min"
	}
	return append(facts, trace.Arg{Key: "reps", Value: reps})
}

func (d *Data) column(f field) any {
	switch f.get(&Timing{}).(type) {
	case int64:
		return values[int64](d, f)
	case uint64:
		return values[uint64](d, f)
	case float64:
		return values[float64](d, f)
	}
	return values[string](d, f)
}

func values[T any](d *Data, f field) []T {
	out := make([]T, len(d.Timings))
	for i := range d.Timings {
		out[i] = f.get(&d.Timings[i]).(T)
	}
	return out
}

// WriteCSV writes d as CSV, without columns that have only default values.
func (d *Data) WriteCSV(w io.Writer) error {
	t := d.Table()
	var b bytes.Buffer
	for _, a := range t.Meta {
		fmt.Fprintf(&b, "# %s = %s\n", a.Key, a.Value)
	}
	t.Columns = slices.DeleteFunc(t.Columns, func(c store.Column) bool { return c.Name != "time" && c.Name != "bytes" && d.empty(c.Data) })
	out := csv.NewWriter(&b)
	row := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		if row[i] = c.Name; c.Unit != "" {
			row[i] += " [" + c.Unit + "]"
		}
	}
	err := out.Write(row)
	for r := 0; r < t.Rows() && err == nil; r++ {
		for i, c := range t.Columns {
			row[i] = text(c.Data, r)
		}
		err = out.Write(row)
	}
	out.Flush()
	if err = errors.Join(err, out.Error()); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// empty reports whether a column has only default values.
func (d *Data) empty(data any) bool {
	for r := range d.Timings {
		if s := text(data, r); s != "" && s != "0" {
			return false
		}
	}
	return true
}
