package report

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"spoor/traces/store"
)

// The kinds of table that a study is made of.
const (
	predictionTable = "prediction"
	simulationTable = "simulation"
	curveTable      = "curve"
)

// Split is E(Instr) by cause, each part in nanoseconds per instruction.
type Split struct{ Ideal, Latency, Contention, Sync float64 }

// Row is the predicted or simulated time of one program on one machine with one number of processors.
type Row struct {
	Program, Trace, Machine string
	MachineSHA              string // digest of the machine's description; "" in tables of older versions
	Processors              int
	Time                    float64 // of the run in seconds; 0 of predictions
	Model                   string  // "" for the simulation
	Target                  string  // kind of machine; of predictions only
	EInstr                  float64 // E(Instr) in nanoseconds
	Lo, Hi                  float64 // where EInstr may lie as far as Covers reaches, in nanoseconds; NaN if nobody says
	Covers                  string  // what is varied between Lo and Hi
	ParametersLo            float64 // the same without the error of the model, as measured on other programs
	ParametersHi            float64
	Split                   Split
	Instr                   float64  // instructions of all processors; of simulations only
	Limit                   string   // the term that binds
	Warnings                []string // what speaks against believing the row
}

// Rows reads a prediction or simulation table.
func Rows(t *store.Table) ([]Row, error) {
	if t.Name != simulationTable && t.Name != predictionTable {
		return nil, fmt.Errorf("a %s table holds neither predictions nor simulations; give tables of predict cluster and predict replay", t.Name)
	}
	r := reader{table: t}
	out := make([]Row, t.Rows())
	predicted := t.Name == predictionTable
	program, trace, machine := r.text("program"), r.text("trace"), r.text("machine")
	processors := r.whole("processors")
	e, split := r.nanos("e_instr"), [...][]float64{r.nanos("ideal"), r.nanos("latency"), r.nanos("contention"), r.nanos("sync")}
	var model, target, limit, covers, warnings []string
	var lo, hi, parametersLo, parametersHi []float64
	var instr []int64
	if !predicted {
		instr = r.whole("instructions")
	} else {
		model, limit, covers, warnings = r.text("model"), r.text("limit"), r.text("interval"), r.text(warningColumn(t))
		target = r.text("target")
		lo, hi, parametersLo, parametersHi = r.nanos("lo"), r.nanos("hi"), r.nanos("parameters_lo"), r.nanos("parameters_hi")
	}
	if r.err != nil {
		return nil, r.err
	}
	digests := machineDigests(t)
	for i := range out {
		row := Row{Program: clean(program[i]), Trace: clean(trace[i]), Machine: clean(machine[i]), MachineSHA: digests[i], Processors: int(processors[i]),
			EInstr: e[i], Lo: math.NaN(), Hi: math.NaN(), ParametersLo: math.NaN(), ParametersHi: math.NaN(),
			Split: Split{split[0][i], split[1][i], split[2][i], split[3][i]}}
		if predicted {
			row.Model, row.Limit = clean(model[i]), clean(limit[i])
			row.Target = clean(target[i])
			row.Lo, row.Hi, row.Covers = lo[i], hi[i], clean(covers[i])
			row.ParametersLo, row.ParametersHi = parametersLo[i], parametersHi[i]
			row.Warnings = warningList(warnings[i])
		}
		if !predicted {
			row.Instr = float64(instr[i])
			row.Time = row.EInstr * row.Instr / 1e9
		}
		if err := row.check(predicted); err != nil {
			return nil, fmt.Errorf("row %d of the %s table: %w", i, t.Name, err)
		}
		out[i] = row
	}
	return out, nil
}

// check verifies that a row has the values that figures and quotients need.
func (r Row) check(predicted bool) error {
	switch {
	case !(r.EInstr > 0) || math.IsInf(r.EInstr, 0):
		return fmt.Errorf("e_instr is %v, which is no time per instruction", r.EInstr)
	case r.Processors < 1:
		return fmt.Errorf("%d processors", r.Processors)
	case r.Program == "" || r.Machine == "" || predicted && r.Model == "":
		return fmt.Errorf("program, machine and model need names")
	}
	for i, v := range r.Split.parts() {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%s is %v ns", terms[i].name, v)
		}
	}
	return nil
}

// parts are the terms in the order in which they are stacked and listed.
func (s Split) parts() [4]float64 { return [...]float64{s.Ideal, s.Latency, s.Contention, s.Sync} }

// hasInterval reports whether the prediction says how far off it may be.
func (r Row) hasInterval() bool { return r.Lo > 0 && r.Hi >= r.Lo && !math.IsInf(r.Hi, 0) }

// place names machine and processors: "4 processors, du2000-smp-256k".
func (r Row) place() string { return plural(r.Processors, "processor") + ", " + r.Machine }

// warningColumn names the column with the warnings: tables of older versions call it reservations.
func warningColumn(t *store.Table) string {
	if _, err := store.Data[string](t, "reservations"); err == nil {
		return "reservations"
	}
	return "warnings"
}

func warningList(s string) []string {
	var list []string
	for part := range strings.SplitSeq(s, ";") {
		if part = clean(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// clean makes one printable line of a name out of a trace.
func clean(s string) string {
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

// reader reads columns of a table and keeps the first error.
type reader struct {
	table *store.Table
	err   error
}

func (r *reader) text(name string) []string { return column[string](r, name) }

// whole reads a column of integers of any width.
func (r *reader) whole(name string) []int64 {
	for _, c := range r.table.Columns {
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

// nanos reads a column of times in nanoseconds.
func (r *reader) nanos(name string) []float64 { return r.measured(name, "ns") }

// measured reads a column of numbers and insists on their unit.
func (r *reader) measured(name, unit string) []float64 {
	for _, c := range r.table.Columns {
		if c.Name == name && c.Unit != unit && r.err == nil {
			r.err = fmt.Errorf("column %s of the %s table is in %q, not in %q", name, r.table.Name, c.Unit, unit)
		}
	}
	return column[float64](r, name)
}

func column[T int32 | int64 | uint64 | float64 | string](r *reader, name string) []T {
	d, err := store.Data[T](r.table, name)
	if err != nil && r.err == nil {
		r.err = err
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

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
