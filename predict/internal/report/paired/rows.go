package paired

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/numeral"
	"spoor/traces/store"
)

// The kinds of table that a study is made of.
const (
	PredictionTable = "prediction"
	SimulationTable = "simulation"
	CurveTable      = "curve"
)

// Causes are the names of the parts of a Split, in its order.
var Causes = [...]string{"ideal", "latency", "contention", "synchronization"}

// Split is E(Instr) by cause, each part in nanoseconds per instruction.
type Split struct{ Ideal, Latency, Contention, Sync float64 }

// Row is the predicted or simulated time of one program on one machine with one number of processors.
type Row struct {
	Program, Trace, Machine string
	MachineSHA              string // digest of the machine's description; "" in tables of older versions
	Processors              int
	Time                    float64 // of the run in seconds; 0 of predictions
	IdealTime               float64 // on a PRAM in seconds; 0: not known
	Passes                  bool    // of simulations: messages, or no references
	Model                   string  // "" for the simulation
	Target                  string  // kind of machine; of predictions only
	EInstr                  float64 // E(Instr) in nanoseconds; NaN of simulations without instructions
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
	switch t.Name {
	case SimulationTable:
		return simulations(t)
	case PredictionTable:
		return predictions(t)
	}
	if strings.HasSuffix(t.Name, " simulation") {
		return nil, errOld
	}
	return nil, fmt.Errorf("a %s table holds neither predictions nor simulations; give tables of predict cluster and predict replay", t.Name)
}

// errOld is the error of tables of simulations before their parts were in seconds.
var errOld = errors.New("an older version of predict wrote this table; simulate again")

// newRows returns a row for each row of r, with the columns that predictions and simulations have.
func newRows(r *columns.Reader) []Row {
	out := make([]Row, r.Table.Rows())
	program, trace, machine := r.Text("program"), r.Text("trace"), r.Text("machine")
	processors, e := r.Whole("processors"), r.Nanos("e_instr")
	if r.Err != nil {
		return nil
	}
	digests := machineDigests(r.Table)
	for i := range out {
		out[i] = Row{Program: columns.Clean(program[i]), Trace: columns.Clean(trace[i]), Machine: columns.Clean(machine[i]), MachineSHA: digests[i], Processors: int(processors[i]),
			EInstr: e[i], Lo: math.NaN(), Hi: math.NaN(), ParametersLo: math.NaN(), ParametersHi: math.NaN()}
	}
	return out
}

// predictions reads a prediction table.
func predictions(t *store.Table) ([]Row, error) {
	r := columns.Reader{Table: t}
	out := newRows(&r)
	split := [...][]float64{r.Nanos("ideal"), r.Nanos("latency"), r.Nanos("contention"), r.Nanos("sync")}
	model, limit, covers, warnings := r.Text("model"), r.Text("limit"), r.Text("interval"), r.Text(warningColumn(t))
	target := r.Text("target")
	lo, hi, parametersLo, parametersHi := r.Nanos("lo"), r.Nanos("hi"), r.Nanos("parameters_lo"), r.Nanos("parameters_hi")
	if r.Err != nil {
		return nil, r.Err
	}
	for i := range out {
		row := &out[i]
		row.Split = Split{split[0][i], split[1][i], split[2][i], split[3][i]}
		row.Model, row.Limit = columns.Clean(model[i]), columns.Clean(limit[i])
		row.Target = columns.Clean(target[i])
		row.Lo, row.Hi, row.Covers = lo[i], hi[i], columns.Clean(covers[i])
		row.ParametersLo, row.ParametersHi = parametersLo[i], parametersHi[i]
		row.Warnings = warningList(warnings[i])
		if err := row.check(true); err != nil {
			return nil, fmt.Errorf("row %d of the %s table: %w", i, t.Name, err)
		}
	}
	return out, nil
}

// partColumns are the columns of a simulation table with the parts of its time, by the part of Split that they add to.
var partColumns = [...][]string{{"ideal", "overhead"}, {"memory_latency", "message_latency"}, {"memory_contention", "message_contention"}, {"sync", "wait", "end"}}

// simulations reads a simulation table. E(Instr) and its parts are NaN if the trace counts no instructions.
func simulations(t *store.Table) ([]Row, error) {
	if _, err := store.Data[float64](t, "memory_latency"); err != nil {
		if _, old := store.Data[float64](t, "latency"); old == nil {
			return nil, errOld
		}
	}
	r := columns.Reader{Table: t}
	out := newRows(&r)
	time, instr, messages, missRatio := r.Measured("time", "s"), r.Whole("instructions"), r.Whole("messages"), r.Measured("miss_ratio", "")
	var parts [len(partColumns)][][]float64
	for k, names := range partColumns {
		for _, name := range names {
			parts[k] = append(parts[k], r.Measured(name, "s"))
		}
	}
	if r.Err != nil {
		return nil, r.Err
	}
	ideal := make([]float64, len(out))
	if _, err := store.Data[float64](t, "ideal_time"); err == nil {
		ideal = r.Measured("ideal_time", "s")
	}
	if r.Err != nil {
		return nil, r.Err
	}
	variant := variants(t)
	for i := range out {
		row := &out[i]
		row.Program += variant(i)
		row.Time, row.IdealTime, row.Instr = time[i], ideal[i], float64(instr[i])
		row.Passes = messages[i] > 0 || math.IsNaN(missRatio[i])
		var split [len(partColumns)]float64
		for k := range parts {
			for _, seconds := range parts[k] {
				split[k] += seconds[i] * 1e9 / row.Instr
			}
		}
		if row.Split = (Split{split[0], split[1], split[2], split[3]}); row.Instr == 0 {
			row.Instr, row.EInstr, row.Split = math.NaN(), math.NaN(), Split{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
		}
		if err := row.check(false); err != nil {
			return nil, fmt.Errorf("row %d of the %s table: %w", i, t.Name, err)
		}
	}
	return out, nil
}

// check verifies that a row has the values that figures and quotients need.
func (r Row) check(predicted bool) error {
	switch {
	case !predicted && (!(r.Time >= 0) || math.IsInf(r.Time, 0)):
		return fmt.Errorf("time is %v s", r.Time)
	case !predicted && math.IsNaN(r.EInstr) && r.Processors > 0 && r.Program != "" && r.Machine != "":
		return nil
	case !(r.EInstr > 0) || math.IsInf(r.EInstr, 0):
		return fmt.Errorf("e_instr is %v, which is no time per instruction", r.EInstr)
	case r.Processors < 1:
		return fmt.Errorf("%d processors", r.Processors)
	case r.Program == "" || r.Machine == "" || predicted && r.Model == "":
		return fmt.Errorf("program, machine and model need names")
	}
	for i, v := range r.Split.Parts() {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%s is %v ns", Causes[i], v)
		}
	}
	return nil
}

// Parts are the causes in the order in which they are stacked and listed.
func (s Split) Parts() [4]float64 { return [...]float64{s.Ideal, s.Latency, s.Contention, s.Sync} }

// HasInterval reports whether the prediction says how far off it may be.
func (r Row) HasInterval() bool { return r.Lo > 0 && r.Hi >= r.Lo && !math.IsInf(r.Hi, 0) }

// Place names machine and processors: "4 processors, du2000-smp-256k".
func (r Row) Place() string { return numeral.Plural(r.Processors, "processor") + ", " + r.Machine }

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
		if part = columns.Clean(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// Total is the sum of the parts.
func (s Split) Total() float64 { return s.Ideal + s.Latency + s.Contention + s.Sync }

// Words lists the parts by name.
func (s Split) Words() string {
	var words []string
	for i, v := range s.Parts() {
		words = append(words, Causes[i]+" "+numeral.Digits(v, 3))
	}
	return strings.Join(words, ", ")
}
