package store

import (
	"errors"
	"fmt"

	"spoor/traces/trace"
)

// ErrIsTable is the error of Open for the file of a table.
var ErrIsTable = errors.New("not a trace")

// Column is one column of a Table. The type of Data is []int32, []int64, []uint64, []float64
// or []string.
type Column struct {
	Name string
	Unit string // "s", "B", "lines", ...; empty for names and plain counts
	Data any
}

// Table is a table of results: columns of equal length, and facts that hold for the whole
// table. It fits in memory.
type Table struct {
	Name    string      // kind of table: "reuse", "prediction", ...
	Meta    []trace.Arg // facts in a fixed order: program, inputs, options
	Columns []Column
}

// Rows returns the number of rows of t.
func (t *Table) Rows() int {
	if len(t.Columns) == 0 {
		return 0
	}
	return columnLen(t.Columns[0].Data)
}

// Fact returns the value of key in t.Meta, or "" if there is none.
func (t *Table) Fact(key string) string {
	for _, a := range t.Meta {
		if a.Key == key {
			return a.Value
		}
	}
	return ""
}

// Data returns the column of t with the given name. Its elements must have type T.
func Data[T int32 | int64 | uint64 | float64 | string](t *Table, name string) ([]T, error) {
	for _, c := range t.Columns {
		if c.Name != name {
			continue
		}
		if d, ok := c.Data.([]T); ok {
			return d, nil
		}
		return nil, fmt.Errorf("column %s of the %s table holds %T", name, t.Name, c.Data)
	}
	return nil, fmt.Errorf("the %s table has no column %s", t.Name, name)
}

func columnLen(data any) int {
	switch d := data.(type) {
	case []int32:
		return len(d)
	case []int64:
		return len(d)
	case []uint64:
		return len(d)
	case []float64:
		return len(d)
	case []string:
		return len(d)
	}
	panic(fmt.Sprintf("store: a column cannot hold %T", data))
}

// ColumnOf returns the column of one property of rows.
func ColumnOf[R any, T int32 | int64 | uint64 | float64 | string](rows []R, name, unit string, of func(R) T) Column {
	data := make([]T, len(rows))
	for i, r := range rows {
		data[i] = of(r)
	}
	return Column{Name: name, Unit: unit, Data: data}
}
