package fitting

import (
	"fmt"
	"math"
	"strings"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/internal/fit/loggp"
	"spoor/calibrate/internal/fit/study"
	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/packing"
	"spoor/calibrate/param"
	"spoor/traces/store"
)

// Params returns the parameters of all studies.
func (r *Fitted) Params() (*param.Set, error) {
	set := &param.Set{}
	for _, s := range r.transfer {
		for i := range s.Results {
			if err := r.resultParams(set, s, &s.Results[i]); err != nil {
				return nil, err
			}
		}
	}
	for _, s := range r.message {
		for _, v := range s.Values {
			name := v.Name
			if !strings.HasPrefix(name, "plogp_") {
				name = "loggp_" + name
			}
			if err := set.Add(param.Param{Name: name + r.suffix(s.State), Value: v.Value, Unit: v.Unit, Lo: v.Lo, Hi: v.Hi,
				N: uint64(s.Timings), Method: v.Method, Source: r.data.Source()}); err != nil {
				return nil, err
			}
		}
	}
	return set, nil
}

func (r *Fitted) resultParams(set *param.Set, s *study.Study, result *study.Result) error {
	prefix := ""
	if s.Experiment != packing.Transfer {
		prefix = string(s.Experiment) + "_"
	}
	method := fmt.Sprintf("%s, %s; ", result.Method.Name, result.Model.Equation())
	if result.Model.Layout {
		method += packing.SizesText(r.data.Line, r.data.Page)
	}
	for _, c := range result.Coefficients {
		p := param.Param{Name: prefix + result.Model.Name + "_" + c.Term.Symbol + result.Method.Suffix + r.suffix(s.State), Value: c.Value, Unit: c.Unit,
			Lo: c.Lo, Hi: c.Hi, N: uint64(s.Timings), Method: method + result.Interval, Source: r.data.Source()}
		if err := set.Add(p); err != nil {
			return err
		}
	}
	c := result.Capacity
	if c.Value == 0 {
		return nil
	}
	return set.Add(param.Param{Name: prefix + result.Model.Name + "_" + packing.Capacity + result.Method.Suffix + r.suffix(s.State), Value: float64(c.Value), Unit: "B",
		Lo: float64(c.Lo), Hi: float64(c.Hi), N: uint64(s.Timings), Source: r.data.Source(),
		Method: method + "the power of two that leaves the least squares; interval: those that an F test of 95 % does not tell from it"})
}

// suffix distinguishes parameters of several states.
func (r *Fitted) suffix(state string) string {
	if state == "" || r.options.State != "" || len(r.data.States()) < 2 {
		return ""
	}
	return "-" + state
}

// line is a row of the summary.
type line struct {
	experiment, state, model, method string
	judged                           string
	points                           int
	noise, gain                      float64
	errors                           fit.Errors
	parameters                       string
}

// lines returns the rows of all models.
func (r *Fitted) lines() (all []line) {
	for _, s := range r.transfer {
		first := map[string]float64{} // error ratio of S1 by method
		for _, result := range s.Results {
			if result.Refused != nil {
				continue
			}
			if result.Model.Name == packing.All[0].Name {
				first[result.Method.Name] = result.Errors.Ratio
			}
			gain := math.NaN()
			if ratio, known := first[result.Method.Name]; known {
				gain = ratio / result.Errors.Ratio
			}
			all = append(all, line{string(s.Experiment), s.State, result.Model.Name, result.Method.Name, s.Judged, s.Fitted, s.Floor, gain, result.Errors, coefficients(&result)})
		}
	}
	for _, s := range r.message {
		all = append(all, messageLines(s)...)
	}
	if r.local != nil {
		all = append(all, r.local.lines()...)
	}
	return all
}

func coefficients(r *study.Result) string {
	var list []string
	for _, c := range r.Coefficients {
		list = append(list, quantity(c.Term.Symbol, c.Value, c.Unit))
	}
	if r.Capacity.Value > 0 {
		list = append(list, fmt.Sprintf("%s = %v", packing.Capacity, r.Capacity.Value))
	}
	return strings.Join(list, ", ")
}

func quantity(name string, v float64, unit string) string {
	return fmt.Sprintf("%s = %.4g %s", name, v, unit)
}

// messageLines returns the rows of a study of messages. The first row has the parameters of LogGP.
func messageLines(s *loggp.Study) (all []line) {
	var list []string
	for _, v := range s.Values {
		list = append(list, quantity(v.Name, v.Value, v.Unit))
	}
	text := strings.Join(list, ", ")
	for _, e := range s.Errors {
		all = append(all, line{string(e.Experiment), s.State, e.Model, e.Equation, s.Judged, len(s.Table), s.Floor, math.NaN(), e.Errors, text})
		text = ""
	}
	if len(all) == 0 {
		nothing := fit.ErrorsOf(nil, nil, 0)
		all = append(all, line{"messages", s.State, "LogGP", "", "", len(s.Table), s.Floor, math.NaN(), nothing, text})
	}
	return all
}

// columnOf applies a function to every row.
func columnOf[R, T any](rows []R, of func(*R) T) []T {
	out := make([]T, len(rows))
	for i := range rows {
		out[i] = of(&rows[i])
	}
	return out
}

// Summary returns a table that compares all models.
func (r *Fitted) Summary() *store.Table {
	rows := r.lines()
	text := func(name string, of func(*line) string) store.Column {
		return store.Column{Name: name, Data: columnOf(rows, of)}
	}
	number := func(name, unit string, of func(*line) float64) store.Column {
		return store.Column{Name: name, Unit: unit, Data: columnOf(rows, of)}
	}
	return &store.Table{Name: "models", Columns: []store.Column{
		text("experiment", func(l *line) string { return l.experiment }),
		text("state", func(l *line) string { return l.state }),
		text("model", func(l *line) string { return l.model }),
		text("method", func(l *line) string { return l.method }),
		{Name: "points", Data: columnOf(rows, func(l *line) int64 { return int64(l.points) })},
		text("judged", func(l *line) string { return l.judged }),
		number("noise", "", func(l *line) float64 { return l.noise }),
		number("error_ratio", "", func(l *line) float64 { return l.errors.Ratio }),
		number("gain", "", func(l *line) float64 { return l.gain }),
		number("s_e", "s", func(l *line) float64 { return l.errors.SE }),
		number("ms_e", "s^2", func(l *line) float64 { return l.errors.MSE }),
		number("median", "%", func(l *line) float64 { return 100 * l.errors.Median }),
		number("p90", "%", func(l *line) float64 { return 100 * l.errors.P90 }),
		text("parameters", func(l *line) string { return l.parameters }),
	}}
}

// compared returns the predictions of models with residuals.
func (r *Fitted) compared() *store.Table {
	var rows []timing.Comparison
	for _, s := range r.transfer {
		rows = append(rows, s.Compared...)
	}
	for _, s := range r.message {
		rows = append(rows, s.Compared...)
	}
	type row = timing.Comparison
	text := func(name string, of func(*row) string) store.Column {
		return store.Column{Name: name, Data: columnOf(rows, of)}
	}
	whole := func(name, unit string, of func(*row) int64) store.Column {
		return store.Column{Name: name, Unit: unit, Data: columnOf(rows, of)}
	}
	number := func(name, unit string, of func(*row) float64) store.Column {
		return store.Column{Name: name, Unit: unit, Data: columnOf(rows, of)}
	}
	return &store.Table{Name: "fit", Meta: r.meta(), Columns: []store.Column{
		text("experiment", func(c *row) string { return string(c.Experiment) }),
		text("state", func(c *row) string { return c.State }),
		text("set", func(c *row) string { return string(c.Set) }),
		text("model", func(c *row) string { return c.Model }),
		text("method", func(c *row) string { return c.Method }),
		whole("bytes", "B", func(c *row) int64 { return int64(c.Bytes) }),
		whole("rows", "", func(c *row) int64 { return c.Rows }),
		whole("cols", "", func(c *row) int64 { return c.Cols }),
		whole("item", "B", func(c *row) int64 { return int64(c.Item) }),
		whole("stride", "B", func(c *row) int64 { return int64(c.Stride) }),
		{Name: "base", Unit: "B", Data: columnOf(rows, func(c *row) uint64 { return c.Base })},
		whole("count", "", func(c *row) int64 { return c.Count }),
		number("delay", "s", func(c *row) float64 { return float64(c.Delay) }),
		number("measured", "s", func(c *row) float64 { return c.Measured }),
		number("predicted", "s", func(c *row) float64 { return c.Predicted }),
		number("residual", "s", func(c *row) float64 { return c.Measured - c.Predicted }),
		number("error", "%", func(c *row) float64 { return 100 * (c.Predicted/c.Measured - 1) }),
	}}
}

// plogp returns the tables of PLogP by size, or nil if there are none.
func (r *Fitted) plogp() *store.Table {
	type row struct {
		state string
		loggp.Row
	}
	var rows []row
	for _, s := range r.message {
		for _, one := range s.Table {
			rows = append(rows, row{s.State, one})
		}
	}
	if rows == nil {
		return nil
	}
	t := &store.Table{Name: "plogp", Meta: r.meta(), Columns: []store.Column{
		{Name: "state", Data: columnOf(rows, func(c *row) string { return c.state })},
		{Name: "bytes", Unit: "B", Data: columnOf(rows, func(c *row) int64 { return c.Bytes })},
	}}
	for _, of := range []struct {
		name string
		get  func(*row) loggp.Estimated
	}{
		{"o_s", func(c *row) loggp.Estimated { return c.Send }}, {"o_r", func(c *row) loggp.Estimated { return c.Receive }},
		{"g", func(c *row) loggp.Estimated { return c.Gap }}, {"half_rtt", func(c *row) loggp.Estimated { return c.Half }},
		{"duplex", func(c *row) loggp.Estimated { return c.Duplex }},
	} {
		t.Columns = append(t.Columns,
			store.Column{Name: of.name, Unit: "s", Data: columnOf(rows, func(c *row) float64 { return of.get(c).Value })},
			store.Column{Name: of.name + "_lo", Unit: "s", Data: columnOf(rows, func(c *row) float64 { return of.get(c).Lo })},
			store.Column{Name: of.name + "_hi", Unit: "s", Data: columnOf(rows, func(c *row) float64 { return of.get(c).Hi })})
	}
	return t
}
