// Package columns reads the columns of tables by name and unit. The first column that is missing is the error.
package columns

import (
	"fmt"
	"strings"
	"unicode"

	"spoor/traces/store"
)

// Clean makes one printable line of a name out of a trace.
func Clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// Reader reads columns of a table and keeps the first error.
type Reader struct {
	Table *store.Table
	Err   error
}

// Text reads a column of texts.
func (r *Reader) Text(name string) []string { return column[string](r, name) }

// Whole reads a column of integers of any width.
func (r *Reader) Whole(name string) []int64 {
	for _, c := range r.Table.Columns {
		if c.Name != name {
			continue
		}
		switch d := c.Data.(type) {
		case []int64:
			return d
		case []int32:
			return widened(d)
		case []uint64:
			return widened(d)
		}
	}
	return column[int64](r, name)
}

// Nanos reads a column of times in nanoseconds.
func (r *Reader) Nanos(name string) []float64 { return r.Measured(name, "ns") }

// Measured reads a column of numbers and insists on their unit.
func (r *Reader) Measured(name, unit string) []float64 {
	for _, c := range r.Table.Columns {
		if c.Name == name && c.Unit != unit && r.Err == nil {
			r.Err = fmt.Errorf("column %s of the %s table is in %q, not in %q", name, r.Table.Name, c.Unit, unit)
		}
	}
	return column[float64](r, name)
}

func column[T int32 | int64 | uint64 | float64 | string](r *Reader, name string) []T {
	d, err := store.Data[T](r.Table, name)
	if err != nil && r.Err == nil {
		r.Err = err
	}
	return d
}

func widened[T int32 | uint64](d []T) []int64 {
	wide := make([]int64, len(d))
	for i, v := range d {
		wide[i] = int64(v)
	}
	return wide
}
