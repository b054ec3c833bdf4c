package report

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spoor/predict/internal/report/chart"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Processor 0 computes 2 s, then spends .5 s on messages and waits 1 s, of a second slice of 2 s; processor 1 is done after 2 s.
func TestMessageSlices(t *testing.T) {
	tables := []found{{Table: samples("x")["simulated slices"]}}
	figures, err := messageTimeline.draw(tables)
	if err != nil {
		t.Fatal(err)
	}
	c := figures[0].Chart
	if got, want := c.Series[0].Points, []chart.Point{chart.At(0, 0, 2000, 0, 1), chart.At(1, 0, 2000, 0, .25)}; !reflect.DeepEqual(got, want) {
		t.Errorf("ideal: got %v, want %v", got, want)
	}
	// The run ends after 1.5 s of the slice, so that its piece is as long.
	if got, want := c.Series[7].Points, []chart.Point{chart.At(0, 2000, 3500, 1./3, 1), chart.At(1, 0, 2000, .875, 1)}; !reflect.DeepEqual(got, want) {
		t.Errorf("wait: got %v, want %v", got, want)
	}
	if figures, err = messageRanks.draw(tables); err != nil {
		t.Fatal(err)
	}
	var sums [2]float64
	for _, s := range figures[0].Chart.Series {
		for _, p := range s.Points {
			sums[int(p[0])] += float64(p[1])
		}
	}
	if end := figures[0].Chart.Series[8]; sums != [2]float64{3500, 3500} || end.Name != "end" || end.Points[1][1] != 1500 {
		t.Errorf("sums %v, %+v", sums, end)
	}
}

// Simulations of one run say in what they differ, and two that do not are an error.
func TestMessageSettings(t *testing.T) {
	with := func(collectives string) found {
		table := *samples("x")["simulation"]
		table.Meta = []trace.Arg{{Key: "collectives", Value: collectives}, {Key: "semantics", Value: "spoor"}}
		return found{Table: &table, path: collectives}
	}
	figures, err := messageTime.draw([]found{with("ring"), with("linear")})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"2 processors, linear", "2 processors, ring", "4 processors, linear", "4 processors, ring"}
	if got := figures[0].Chart.Y.Categories; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := messageTime.draw([]found{with("ring"), with("ring")}); err == nil || !strings.Contains(err.Error(), "two simulations of x, 2 processors, x") {
		t.Errorf("of one simulation twice: %v", err)
	}
}

// Of 8 s of path, processor 0 computes 3 and waits 1 for a message, processor 1 computes 4.
func TestMessagePath(t *testing.T) {
	figures, err := messagePath.draw([]found{{Table: samples("x")["critical path"]}})
	if err != nil {
		t.Fatal(err)
	}
	c := figures[0].Chart
	if want := []string{"all", "0", "1"}; !slices.Equal(c.Y.Categories, want) {
		t.Errorf("bars %q, want %q", c.Y.Categories, want)
	}
	if got, want := c.Series[0].Points, []chart.Point{chart.At(0, .875), chart.At(1, .375), chart.At(2, .5)}; !reflect.DeepEqual(got, want) {
		t.Errorf("compute: got %v, want %v", got, want)
	}
	if got, want := c.Series[5].Points, []chart.Point{chart.At(0, .125), chart.At(1, .125), chart.At(2, 0)}; !reflect.DeepEqual(got, want) {
		t.Errorf("latency: got %v, want %v", got, want)
	}
}

// Rows that cannot be drawn are refused with the number of the row.
func TestMessagePlotsRefuseRows(t *testing.T) {
	for _, bad := range []struct {
		plot   tablePlot
		column string
		value  any
	}{
		{messageTimeline, "proc", []int32{0, 2, 1}}, {messageTimeline, "processors", []int32{2, 0, 2}}, {messageTimeline, "slice", []int32{0, 1 << 20, 0}},
		{messageTimeline, "begin", []float64{0, math.NaN(), 0}}, {messageTimeline, "wait", []float64{0, -1, 0}},
		{messagePath, "proc", []int32{0, -1, 0}}, {messagePath, "part", []string{"ideal", "sleep", "wait"}}, {messagePath, "time", []float64{1, math.Inf(1), 1}},
	} {
		t.Run(bad.column, func(t *testing.T) {
			table := samples("x")[bad.plot.tables[0]]
			for i, c := range table.Columns {
				if c.Name == bad.column {
					table.Columns[i].Data = bad.value
				}
			}
			if _, err := bad.plot.draw([]found{{Table: table, path: "some/file.arrow"}}); err == nil || !strings.Contains(err.Error(), "some/file.arrow: row 1") {
				t.Errorf("%s %v: %v", bad.column, bad.value, err)
			}
		})
	}
}

// 1000 processors in at most 32 rows are 31 blocks of 32 and one of 8.
func TestBlocks(t *testing.T) {
	b := newBlocks(1000, 32)
	if names := b.names(); b.count() != 32 || names[0] != "0–31" || names[31] != "992–999" || b.at(31) != 0 || b.at(999) != 31 || b.size(31) != 8 {
		t.Errorf("%d blocks: %v", b.count(), names)
	}
	for of := 1; of < 200; of++ {
		b, sum := newBlocks(of, 32), 0
		for i := range b.count() {
			sum += b.size(i)
		}
		if sum != of || b.count() > 32 || of <= 32 && b.count() != of || b.at(of-1) != b.count()-1 {
			t.Errorf("%d processors in %+v", of, b)
		}
	}
}

// Of the runs of a program that on most processors is drawn.
func TestLargest(t *testing.T) {
	var tables []found
	for _, procs := range []string{"2", "16", "4"} {
		tables = append(tables, found{&store.Table{Meta: []trace.Arg{{Key: "procs", Value: procs}}}, procs, "p"})
	}
	if got := largest(append(tables, found{&store.Table{}, "other", "q"})); len(got) != 2 || got[0].path != "16" || got[1].path != "other" {
		t.Errorf("got %v", got)
	}
}
