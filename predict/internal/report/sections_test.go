package report

import (
	"encoding/json"
	"encoding/xml"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spoor/calibrate/param"
	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/numeral"
	"spoor/predict/internal/report/paired"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// samples are small tables of every name that plots draw.
func samples(name string) map[string]*store.Table {
	of := func(table string, columns ...store.Column) *store.Table {
		return &store.Table{Name: table, Meta: []trace.Arg{{Key: "program", Value: name}, {Key: "budget", Value: "$9000"}}, Columns: columns}
	}
	c := func(name, unit string, data any) store.Column {
		return store.Column{Name: name, Unit: unit, Data: data}
	}
	none := func(n int) []float64 { return make([]float64, n) }
	words := func(n int) []string { return slices.Repeat([]string{name}, n) }
	budget := []store.Column{c("nodes", "", []int32{1, 2, 2}), c("each", "", []int32{4, 1, 1}), c("node", "", words(3)), c("cache", "", words(3)), c("memory", "", words(3)),
		c("network", "", []string{"-", "10m", "100m"}), c("price", "$", []float64{6000, 3000, 3500}), c("time", "s", []float64{1, 2, 2.5}),
		c("lo", "s", []float64{.9, 2, math.NaN()}), c("hi", "s", []float64{1.2, 2, math.NaN()}), c("behind", "%", []float64{0, 100, 150}), c("e_instr", "ns", []float64{10, 20, 25})}
	return map[string]*store.Table{
		"comm": of("comm", c("from", "", []int32{0, 1, 1}), c("to", "", []int32{1, 0, 0}), c("kind", "", words(3)), c("bytes", "B", []uint64{1000, 20, 30})),
		"sharing_matrix": of("sharing_matrix", c("line", "B", []int64{64, 64, 256}), c("from", "", []int32{-1, 1, 1}), c("to", "", []int32{1, 0, 0}),
			c("bytes", "B", []uint64{64, 128, 256})),
		"comm_networks": of("comm_networks", c("network", "", []string{"bus", name}), c("traffic_gap", "messages", []float64{4, 1}), c("bisection_gap", "messages", []float64{4, 0})),
		"working_set": of("working_set", c("proc", "", []int32{-1, -1, 0, 0, 1, 1}), c("line", "B", []int64{64, 64, 64, 64, 64, 64}), c("window", "uses", []uint64{1, 8, 1, 5, 1, 3}),
			c("footprint", "lines", []float64{1, 6, 1, 4, 1, 3})),
		"marshal": of("marshal", c("kind", "", []string{"send", "send", "recv"}), c("bytes", "B", []int64{640, 640, 64}), c("line", "B", []int64{64, 64, 64}), c("messages", "", []uint64{2, 2, 1}), c("placed", "", []uint64{2, 2, 0}),
			c("mlt", "lines", []uint64{20, 20, 0}), c("expected", "lines", []float64{21, 21, 7})),
		"fit": of("fit", c("experiment", "", words(4)), c("state", "", []string{"", "", "", ""}), c("model", "", []string{"S1", "S1", "M1", name}), c("method", "", words(4)),
			c("bytes", "B", []int64{8, 80, 8, 8}), c("rows", "", []int64{1, 2, 1, 0}), c("cols", "", []int64{2, 10, 2, 0}), c("stride", "B", []int64{8, 400, 8, 0}),
			c("measured", "s", []float64{1e-6, 3e-6, 1e-6, 1e-6}), c("predicted", "s", []float64{2e-6, 3e-6, 1e-6, math.NaN()})),
		"simulation": of("simulation", c("program", "", words(2)), c("trace", "", words(2)), c("machine", "", words(2)), c("processors", "", []int32{2, 4}),
			c("time", "s", []float64{1.6, 2.3}), c("e_instr", "ns", []float64{math.NaN(), 2.3e6}), c("instructions", "", []uint64{0, 1000}), c("messages", "", []uint64{3, 0}), c("miss_ratio", "", []float64{0, math.NaN()}),
			c("ideal", "s", []float64{1, 2}), c("memory_latency", "s", none(2)), c("memory_contention", "s", none(2)), c("sync", "s", none(2)),
			c("overhead", "s", none(2)), c("message_latency", "s", []float64{.1, .2}), c("message_contention", "s", []float64{0, .1}),
			c("wait", "s", []float64{.5, 0}), c("end", "s", none(2))),
		"simulated phases": of("simulated phases", c("program", "", words(4)), c("machine", "", words(4)), c("proc", "", []int32{0, 0, 1, 1}), c("phase", "", []int32{0, 1, 0, 1}),
			c("ideal", "s", []float64{1, 2, 1, 1}), c("memory_latency", "s", []float64{1, 0, 0, 1}), c("memory_contention", "s", none(4)), c("sync", "s", []float64{0, 0, 1, 0})),
		"simulated slices": of("simulated slices", c("program", "", words(3)), c("machine", "", words(3)), c("processors", "", []int32{2, 2, 2}), c("proc", "", []int32{0, 0, 1}),
			c("slice", "", []int32{0, 1, 0}), c("begin", "s", []float64{0, 2, 0}), c("ideal", "s", []float64{2, 0, .5}), c("overhead", "s", []float64{0, .5, 1}),
			c("memory_latency", "s", none(3)), c("memory_contention", "s", none(3)), c("sync", "s", none(3)),
			c("message_latency", "s", []float64{0, 0, .25}), c("message_contention", "s", none(3)), c("wait", "s", []float64{0, 1, .25})),
		"critical path": of("critical path", c("program", "", words(3)), c("machine", "", words(3)), c("processors", "", []int32{2, 2, 2}), c("proc", "", []int32{0, 0, 1}),
			c("part", "", []string{"ideal", "message_latency", "ideal"}), c("time", "s", []float64{3, 1, 4})),
		"windtunnel": of("windtunnel", c("targets", "", []int32{8, 8, 8}), c("hosts", "", []int32{1, 2, 4}), c("host", "", []string{"uni", name, name}),
			c("speedup", "", []float64{1, 1.9, 3}), c("lo", "", []float64{1, 1.8, math.NaN()}), c("hi", "", []float64{1, 2, math.NaN()}), c("cost_performance", "$", []float64{10, 8, 9})),
		"budget": of("budget", budget...),
	}
}

// tablesStudy is one of all tables that plots draw.
func tablesStudy(t *testing.T, name string) *Study {
	t.Helper()
	dir := t.TempDir()
	for _, p := range plots {
		for _, table := range p.tables {
			sample := samples(name)[table]
			if sample == nil {
				t.Fatalf("no sample of a %s table: plots need one, in samples", table)
			}
			if err := store.WriteTable(filepath.Join(dir, table+".arrow"), sample); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every plot draws its tables, with and without script, whatever names are in them.
func TestPlotsDrawTheirTables(t *testing.T) {
	for _, name := range []string{"a program", evilName} {
		page := withoutScripts(render(t, tablesStudy(t, name), "tables"))
		for _, p := range plots {
			if !strings.Contains(page, `<section id="`+p.id+`">`) {
				t.Errorf("%s has no section", p.id)
			}
		}
		if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
			t.Error("the page shows something that is no number")
		}
		drawings, data := regexp.MustCompile(`(?s)<svg xmlns.*?</svg>`).FindAllString(page, -1), regexp.MustCompile(`(?s)<script type="application/json">(.*?)</script>`).FindAllStringSubmatch(page, -1)
		if len(drawings) < len(plots) || len(data) != len(drawings) {
			t.Errorf("%d drawings, %d charts", len(drawings), len(data))
		}
		for i := range data {
			var c chart.Chart
			if err := json.Unmarshal([]byte(data[i][1]), &c); err != nil {
				t.Errorf("chart %d: %v", i, err)
			}
			if err := xml.Unmarshal([]byte(drawings[i]), new(struct{})); err != nil {
				t.Errorf("drawing %d: %v", i, err)
			}
		}
	}
}

// A column that is missing, or a number that no figure could show, is an error with the file's name.
func TestPlotsRefuseWhatTheyCannotDraw(t *testing.T) {
	for _, p := range plots {
		for _, table := range p.tables {
			whole := samples("x")[table]
			for i, c := range whole.Columns {
				cut := *whole
				cut.Columns = slices.Delete(slices.Clone(whole.Columns), i, i+1)
				_, err := p.draw([]found{{Table: &cut, path: "some/file.arrow", program: "x"}})
				used := err != nil
				if used && (!strings.Contains(err.Error(), "some/file.arrow") || !strings.Contains(err.Error(), c.Name)) {
					t.Errorf("%s without %s: %v", table, c.Name, err)
				}
			}
		}
	}
}

// All together are 6 lines, processor 0 has most, 4: in bytes.
func TestWorkingSets(t *testing.T) {
	figures, err := workingSets.draw([]found{{Table: samples("x")["working_set"], program: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var points [][]chart.Point
	for _, s := range figures[0].Chart.Series {
		names, points = append(names, s.Name), append(points, s.Points)
	}
	if want := []string{"all processors together", "the processor that uses most"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if want := [][]chart.Point{{chart.At(1, 64), chart.At(8, 384)}, {chart.At(1, 64), chart.At(5, 256)}}; !reflect.DeepEqual(points, want) {
		t.Errorf("got %v, want %v", points, want)
	}
}

// A program without messages asks nothing of networks, and there is nothing to draw.
func TestNoPlotOfNothing(t *testing.T) {
	for _, p := range []tablePlot{networkGaps, workingSets, sharingMatrix, messageMatrix} {
		for _, name := range p.tables {
			empty := *samples("x")[name]
			empty.Columns = slices.Clone(empty.Columns)
			for i, c := range empty.Columns {
				empty.Columns[i].Data = reflect.ValueOf(c.Data).Slice(0, 0).Interface()
			}
			if figures, err := p.draw([]found{{Table: &empty, program: "x"}}); err != nil || len(figures) > 0 {
				t.Errorf("%s: %d figures, %v", name, len(figures), err)
			}
		}
	}
}

// Of 3000 $, 3500 $ and 6000 $, with 2, 2.5 and 1 s, the second is behind the first; up to 9000 $ the last is the best.
func TestBudgetFront(t *testing.T) {
	figures, err := budgetFront.draw([]found{{Table: samples("x")["budget"], program: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := figures[0].Chart.Series[0].Points, []chart.Point{chart.At(3000, 2), chart.At(6000, 1), chart.At(9000, 1)}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var got []string
	for _, row := range figures[0].Table.Rows {
		got = append(got, strings.Join([]string{row[0], row[2], row[5]}, " "))
	}
	// 150 % behind the best of all is (100 + 150) / (100 + 100) = 1.25 times the best for less.
	if want := []string{"3000 20 –", "3500 20 25", "6000 10 100"}; !reflect.DeepEqual(got, want) {
		t.Errorf("steps: got %q, want %q", got, want)
	}
	if d := figures[0].Chart.Decision; d.Offers[0].Lo != 9 || d.Offers[0].Hi != 12 || !math.IsNaN(float64(d.Error)) {
		t.Errorf("got %+v", d)
	}
}

// Decisions whose money or error is no number are refused, with what is wrong.
func TestBudgetRefusesFacts(t *testing.T) {
	for _, fact := range []trace.Arg{{Key: "budget", Value: "much"}, {Key: "model_error", Value: "small"}, {Key: "model_error", Value: "-1"}} {
		table := samples("x")["budget"]
		table.Meta = append([]trace.Arg{fact}, table.Meta...)
		if _, err := budgetFront.draw([]found{{Table: table, path: "some/file.arrow"}}); err == nil || !strings.Contains(err.Error(), fact.Value) {
			t.Errorf("%v: %v", fact, err)
		}
	}
}

// The least cost of several hosts, 8 $, is on two; that of one is alone on its line.
func TestWindtunnelMarksTheMinimum(t *testing.T) {
	figures, err := windtunnelCurves.draw([]found{{Table: samples("x")["windtunnel"], program: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]chart.Point{}
	for _, s := range figures[1].Chart.Series {
		got[s.Name] = s.Marked[0]
	}
	if want := map[string]chart.Point{"uni": chart.At(1, 10), "x": chart.At(2, 8)}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Two processors have the same message, of 20 lines counted at 2 places, 10.5 expected of each; where the third lies nobody knows.
func TestLinesTouched(t *testing.T) {
	figures, err := linesTouched.draw([]found{{Table: samples("x")["marshal"], program: "scan l=1"}})
	if err != nil {
		t.Fatal(err)
	}
	s := figures[0].Chart.Series
	if len(s) != 2 || s[1].Name != "scan" || !reflect.DeepEqual(s[1].Points, []chart.Point{chart.At(10.5, 10)}) || !slices.Equal(s[1].Notes, []string{"scan l=1, send of 640 B"}) {
		t.Errorf("got %+v", s)
	}
	if got, want := figures[0].Table.Rows, [][]string{{"scan l=1", "send", "640 B", "10.5", "10", "−4.8"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// S1 is off by 1 us of 1 us and right at 3 us: squares of 1 of the 2 around the mean of 2 us.
func TestFittedTimes(t *testing.T) {
	figures, err := fittedTimes.draw([]found{{Table: samples("x")["fit"]}})
	if err != nil {
		t.Fatal(err)
	}
	times, ratios := figures[0].Chart.Series[1], figures[1].Chart.Series[1]
	if want := []chart.Point{chart.At(1, 2), chart.At(3, 3)}; times.Name != "S1" || !reflect.DeepEqual(times.Points, want) {
		t.Errorf("times: got %+v", times)
	}
	if want := []chart.Point{chart.At(1, 2), chart.At(3, 1)}; !reflect.DeepEqual(ratios.Points, want) || ratios.Notes[1] != "2 × 10 items, rows 400 B apart, 0.0\u00a0%" {
		t.Errorf("ratios: got %+v", ratios)
	}
	if got, want := figures[1].Table.Rows[0], []string{"S1", "2", "0.5", "50", "100"}; !slices.Equal(got, want) {
		t.Errorf("errors: got %q, want %q", got, want)
	}
	bad := samples("x")["fit"]
	bad.Columns[8].Data = []float64{1, 0, 1, 1}
	if _, err := fittedTimes.draw([]found{{Table: bad, path: "some/file.arrow"}}); err == nil || !strings.Contains(err.Error(), "some/file.arrow: row 1") {
		t.Errorf("a time of 0: %v", err)
	}
}

// Rows of several kinds of one pair are one cell: 20 and 30 B from 1 to 0, in column 0 and row 1.
func TestMatrixAddsUp(t *testing.T) {
	figures, err := messageMatrix.draw([]found{{Table: samples("x")["comm"], program: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := figures[0].Chart.Series[0].Points, []chart.Point{chart.At(1, 0, 1000), chart.At(0, 1, 50)}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, bad := range [][]int64{{-1}, {1 << 40}} {
		if _, err := newMatrix("from", "to", "B", "sent", bad, []int64{0}, []int64{1}); err == nil {
			t.Errorf("processor %d was taken", bad[0])
		}
	}
}

// Processor 0 computes 1 s and waits 1 s for memory, then computes 2 s.
func TestTimeline(t *testing.T) {
	figures, err := timeline.draw([]found{{Table: samples("x")["simulated phases"]}})
	if err != nil {
		t.Fatal(err)
	}
	c := figures[0].Chart
	if got, want := c.Series[0].Points[:2], []chart.Point{chart.At(0, 0, 1000), chart.At(0, 2000, 4000)}; !reflect.DeepEqual(got, want) {
		t.Errorf("ideal: got %v, want %v", got, want)
	}
	if got, want := c.Series[3].Points, []chart.Point{chart.At(1, 1000, 2000)}; !reflect.DeepEqual(got, want) {
		t.Errorf("synchronization: got %v, want %v", got, want)
	}
}

// The table of programs has a column for what is known of some program, and a row for a program of which something is.
func TestProgramTableLeavesOutWhatNobodyKnows(t *testing.T) {
	known := fakeTrace("known", 2, 1.5, 10)
	counts := new(param.Set)
	if err := counts.Add(param.Param{Name: "instructions", Value: 7, Lo: math.NaN(), Hi: math.NaN(), Unit: "1"}); err != nil {
		t.Fatal(err)
	}
	if got := newProgramTable([]Trace{{Program: "a"}, {Program: "b", Params: new(param.Set)}}); got != nil {
		t.Errorf("of nothing: %+v", got)
	}
	got := newProgramTable([]Trace{{Program: "a"}, {Program: "counted", Params: counts}})
	if len(got.Groups) != 1 || !slices.Equal(got.Heads, []string{"instructions"}) || got.Locality {
		t.Errorf("of a count: %+v", got)
	}
	got = newProgramTable([]Trace{{Program: "counted", Params: counts}, known})
	if len(got.Groups) != 2 || len(got.Heads) != len(traceColumns) || !got.Locality || got.Groups[0].Rows[0].Cells[1].Text != numeral.Unknown {
		t.Errorf("of both: %+v", got)
	}
}

// A simulation that nothing predicts has its bar; abstractions of a machine leave the bars to the machine.
func TestSplitsOfSimulationsAlone(t *testing.T) {
	s := &Study{Comparison: &paired.Comparison{}}
	for _, m := range []string{"cube", "cube-logp"} {
		s.rows = append(s.rows, paired.Row{Program: "p", Machine: m, Processors: 2, EInstr: 1, Split: paired.Split{Ideal: 1}})
	}
	if p := (&page{Study: s}); len(p.alone()) != 2 {
		t.Errorf("got %v", p.alone())
	}
	if err := s.Abstract([]string{"cube"}); err != nil {
		t.Fatal(err)
	}
	if got := (&page{Study: s}).alone(); len(got) != 1 || got[0].Simulated.Machine != "cube" {
		t.Errorf("got %v", got)
	}
	if page := withoutScripts(render(t, s, "x")); !strings.Contains(page, `<section id="split">`) || strings.Contains(page, `class="cards"`) {
		t.Error("no bars, or a summary of no predictions")
	}
}
