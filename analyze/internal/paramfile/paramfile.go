// Package paramfile writes parameter files: what an analysis found, with units, intervals and origins.
package paramfile

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Estimate is a value with its 95 % interval.
type Estimate struct{ Value, Lo, Hi float64 }

// Param is a parameter with its unit, interval and origin.
type Param struct {
	Name string
	Estimate
	Unit   string // "1" for plain numbers
	N      uint64 // number of observations
	Method string
	Source string // the file and its digest
}

// Exact returns a parameter that was counted or chosen. Its interval has the width 0.
func Exact(name string, v float64, unit string, n uint64, method, source string) Param {
	return Param{name, Estimate{v, v, v}, unit, n, method, source}
}

// File returns the file DIR/<name>.params.toml. It has a comment that names the tool, and a
// TOML table for each parameter.
func File(name, tool string, params []Param) analysis.File {
	return analysis.File{Name: name + ".params.toml", Fill: func(out io.Writer) error {
		w := bufio.NewWriter(out)
		fmt.Fprintf(w, "# made by %s\n", oneLine(tool))
		for _, p := range params {
			fmt.Fprintf(w, "\n[%s]\nvalue = %s\nunit = %s\nlo = %s\nhi = %s\nn = %d\nmethod = %s\nsource = %s\n",
				p.Name, number(p.Value), quote(p.Unit), number(p.Lo), number(p.Hi), p.N, quote(p.Method), quote(p.Source))
		}
		return w.Flush()
	}}
}

// Table returns the parameters as a table, without their method and source.
func Table(name string, params []Param, meta []trace.Arg) *store.Table {
	var names, units []string
	var values, lows, highs []float64
	for _, p := range params {
		names, units = append(names, p.Name), append(units, p.Unit)
		values, lows, highs = append(values, p.Value), append(lows, p.Lo), append(highs, p.Hi)
	}
	return &store.Table{Name: name, Meta: meta, Columns: []store.Column{
		{Name: "name", Data: names}, {Name: "value", Data: values}, {Name: "unit", Data: units},
		{Name: "lo", Data: lows}, {Name: "hi", Data: highs},
	}}
}

// number formats v as the shortest float that reads back the same. TOML requires a point or an
// exponent.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// quote formats s as a TOML basic string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// oneLine replaces control characters with spaces, so that a comment stays one line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
