package symbols

import (
	"spoor/traces/store"
	"spoor/traces/trace"
)

// column is one column of the file.
type column struct {
	name, unit string
	write      func([]Row) any
	read       func([]Row, *store.Table) error
}

// field returns the column of a field of rows. In the file it has type T.
func field[T int32 | int64 | uint64 | string, F ~int32 | ~int64 | ~uint64 | ~string](name, unit string, of func(*Row) *F, to func(F) T, from func(T) F) column {
	return column{name, unit,
		func(rows []Row) any {
			data := make([]T, len(rows))
			for i := range rows {
				data[i] = to(*of(&rows[i]))
			}
			return data
		},
		func(rows []Row, t *store.Table) error {
			data, err := store.Data[T](t, name)
			for i, v := range data {
				*of(&rows[i]) = from(v)
			}
			return err
		}}
}

func text(name string, of func(*Row) *string) column {
	same := func(s string) string { return s }
	return field(name, "", of, same, same)
}

func number(name, unit string, of func(*Row) *uint64) column {
	same := func(n uint64) uint64 { return n }
	return field(name, unit, of, same, same)
}

func line(name string, of func(*Row) *int32) column {
	same := func(n int32) int32 { return n }
	return field(name, "", of, same, same)
}

func proc(name string, of func(*Row) *trace.Proc) column {
	return field(name, "", of, func(p trace.Proc) int32 { return int32(p) }, func(n int32) trace.Proc { return trace.Proc(n) })
}

// columns are the columns of the file.
var columns = []column{
	field("kind", "", func(r *Row) *Kind { return &r.Kind }, func(k Kind) string { return string(k) }, func(s string) Kind { return Kind(s) }),
	number("addr", "B", func(r *Row) *uint64 { return &r.Addr }),
	number("bytes", "B", func(r *Row) *uint64 { return &r.Bytes }),
	text("module", func(r *Row) *string { return &r.Module }),
	text("name", func(r *Row) *string { return &r.Name }),
	text("in", func(r *Row) *string { return &r.In }),
	text("file", func(r *Row) *string { return &r.File }),
	line("line", func(r *Row) *int32 { return &r.Line }),
	text("in_file", func(r *Row) *string { return &r.InFile }),
	line("in_line", func(r *Row) *int32 { return &r.InLine }),
	text("type", func(r *Row) *string { return &r.Type }),
	field("count", "", func(r *Row) *int64 { return &r.Count }, func(n int64) int64 { return n }, func(n int64) int64 { return n }),
	number("site", "B", func(r *Row) *uint64 { return &r.Site }),
	proc("proc", func(r *Row) *trace.Proc { return &r.Begin.Proc }),
	number("begin", "instr", func(r *Row) *uint64 { return &r.Begin.Instr }),
	proc("end_proc", func(r *Row) *trace.Proc { return &r.End.Proc }),
	number("end", "instr", func(r *Row) *uint64 { return &r.End.Instr }),
}

// tableOf returns the table of rows.
func tableOf(rows []Row, meta []trace.Arg) *store.Table {
	t := &store.Table{Name: tableName, Meta: meta}
	for _, c := range columns {
		t.Columns = append(t.Columns, store.Column{Name: c.name, Unit: c.unit, Data: c.write(rows)})
	}
	return t
}

// rowsOf returns the rows of a table.
func rowsOf(t *store.Table) ([]Row, error) {
	rows := make([]Row, t.Rows())
	for _, c := range columns {
		if err := c.read(rows, t); err != nil {
			return nil, err
		}
	}
	return rows, nil
}
