package report

import (
	"bytes"
	"encoding/xml"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/paired"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func render(t *testing.T, s *Study, title string) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteHTML(&b, title); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// withoutScripts is a page without its two scripts, which tests of the browser are of.
func withoutScripts(page string) string {
	for _, s := range chart.Scripts() {
		page = strings.Replace(page, "<script>"+string(s)+"</script>", "", 1)
	}
	return page
}

func TestSummaryFindsTheErrorsThatWentIn(t *testing.T) {
	c := quick.study().Comparison
	if len(c.Cases) != 4*2*3 || len(c.Unpaired) != 0 {
		t.Fatalf("%d cases, unpaired %q", len(c.Cases), c.Unpaired)
	}
	for i, model := range quick.models {
		s := c.Summary(i)
		off := math.Abs(quick.off[model])
		within := 0
		if off <= paired.Claim {
			within = len(c.Cases)
		}
		if s.Model != model || math.Abs(s.Mean-off) > 1e-12 || math.Abs(s.Worst-off) > 1e-12 || s.Within != within || s.Cases != len(c.Cases) {
			t.Errorf("%s: got %+v, want mean and worst %v, %d within", model, s, off, within)
		}
	}
}

// A study of simulations alone lacks no prediction.
func TestSimulationsAlone(t *testing.T) {
	c, err := paired.Compare([]paired.Row{{Program: "fft", Machine: "a", Processors: 4, EInstr: 1}, {Program: "fft", Machine: "b", Processors: 4, EInstr: 2}})
	if err != nil || len(c.Cases) != 0 || len(c.Unpaired) != 0 {
		t.Fatalf("%v, %+v", err, c)
	}
	if said := trust(&Study{Comparison: c, Simplified: &paired.Abstractions{}}); len(said) != 1 || !strings.Contains(said[0], "no prediction has a simulation to compare it with") {
		t.Errorf("%q", said)
	}
}

func TestRowsRefusesWhatNoFigureCouldShow(t *testing.T) {
	one := fake{programs: []string{"p"}, processors: []int32{1}, models: []string{"mva"}, off: map[string]float64{}}
	set := func(t *store.Table, name string, value any) {
		for i := range t.Columns {
			if t.Columns[i].Name == name {
				switch d := t.Columns[i].Data.(type) {
				case []float64:
					d[1] = value.(float64)
				case []int32:
					d[1] = value.(int32)
				case []string:
					d[1] = value.(string)
				}
			}
		}
	}
	for _, bad := range []struct {
		column string
		value  any
		want   string
	}{
		{"e_instr", math.NaN(), "row 1 of the prediction table: e_instr is NaN"},
		{"e_instr", 0.0, "row 1 of the prediction table: e_instr is 0"},
		{"e_instr", math.Inf(1), "row 1 of the prediction table: e_instr is +Inf"},
		{"latency", -1.0, "row 1 of the prediction table: latency is -1 ns"},
		{"sync", math.NaN(), "row 1 of the prediction table: synchronization is NaN ns"},
		{"processors", int32(0), "row 1 of the prediction table: 0 processors"},
		{"model", "", "row 1 of the prediction table: program, machine and model need names"},
	} {
		t.Run(bad.want, func(t *testing.T) {
			table := one.prediction()
			set(table, bad.column, bad.value)
			if _, err := paired.Rows(table); err == nil || !strings.Contains(err.Error(), bad.want) {
				t.Errorf("%s = %v: got %v, want %s", bad.column, bad.value, err, bad.want)
			}
		})
	}
	table := one.simulation()
	for i := range table.Columns {
		if table.Columns[i].Name == "ideal" {
			table.Columns[i].Unit = "ns"
		}
	}
	if _, err := paired.Rows(table); err == nil || !strings.Contains(err.Error(), `column ideal of the simulation table is in "ns"`) {
		t.Errorf("seconds: got %v", err)
	}
	table.Columns = table.Columns[1:]
	if _, err := paired.Rows(table); err == nil || !strings.Contains(err.Error(), "no column program") {
		t.Errorf("missing column: got %v", err)
	}
}

func TestSameStudySameBytes(t *testing.T) {
	first := render(t, quick.study(), "title")
	for range 3 {
		if again := render(t, quick.study(), "title"); again != first {
			t.Fatal("two pages of one study differ")
		}
	}
}

// A page must not load anything, and a phone must show it at its own width.
func TestPageIsSelfContained(t *testing.T) {
	page := withoutScripts(render(t, quick.study(), "title"))
	for _, bad := range []string{"<link", "<img", "<iframe", "@import", "url(", "src="} {
		t.Run(bad, func(t *testing.T) {
			if strings.Contains(page, bad) {
				t.Errorf("the page contains %s", bad)
			}
		})
	}
	for _, address := range regexp.MustCompile(`https?://[^"\s]+`).FindAllString(page, -1) {
		if address != "http://www.w3.org/2000/svg" {
			t.Errorf("the page speaks of %s", address)
		}
	}
	if !strings.Contains(page, "width=device-width") || !strings.Contains(page, "prefers-color-scheme:dark") {
		t.Error("no viewport or no dark colours")
	}
}

func TestNamesCannotInjectMarkup(t *testing.T) {
	const evil = evilName
	f := fake{programs: []string{evil}, processors: []int32{1, 2}, models: []string{evil}, off: map[string]float64{}}
	s := f.study()
	s.Commands = []string{evil}
	s.addSource(evil, &store.Table{Name: evil, Meta: []trace.Arg{{Key: evil, Value: evil}}})
	if err := s.Traces[0].describe(&store.Table{Meta: []trace.Arg{{Key: "program", Value: evil}, {Key: "trace", Value: evil}}}); err != nil {
		t.Fatal(err)
	}
	whole := render(t, s, evil)
	want := strings.Count(whole, `<script type="application/json">`)
	for _, s := range chart.Scripts() {
		want += strings.Count(string(s), "<script") + 1
	}
	if got := strings.Count(whole, "<script"); got != want {
		t.Errorf("%d scripts, want %d", got, want)
	}
	page := withoutScripts(whole)
	for _, bad := range []string{"<script>", "<img", "\x00", "\x1b", "\u2028"} {
		t.Run(bad, func(t *testing.T) {
			if strings.Contains(strings.ToLower(page), bad) {
				t.Errorf("the page contains %q", bad)
			}
		})
	}
	if got := strings.Count(page, "</style>"); got != 1 {
		t.Errorf("%d ends of the style", got)
	}
	if !strings.Contains(page, "&lt;script&gt;window.injected=1") {
		t.Error("the name itself is gone")
	}
}

// Every colour of a figure must follow the page into the dark, and every figure
// must be well-formed and described.
func TestFiguresAreThemedAndDescribed(t *testing.T) {
	page := render(t, quick.study(), "title")
	figures := regexp.MustCompile(`(?s)<svg xmlns.*?</svg>`).FindAllString(page, -1)
	if want := 1 + 3*len(quick.programs); len(figures) != want {
		t.Fatalf("%d figures, want %d", len(figures), want)
	}
	ids := map[string]bool{}
	for _, f := range figures {
		for _, bare := range regexp.MustCompile(`(?:fill|stroke):(#[0-9A-Fa-f]+|black)`).FindAllString(f, -1) {
			t.Errorf("a colour that stays in the dark: %s", bare)
		}
		if err := xml.Unmarshal([]byte(f), new(struct{})); err != nil {
			t.Errorf("not well-formed: %v", err)
		}
		if strings.Contains(f, "NaN") || strings.Contains(f, "Inf") {
			t.Error("a coordinate is no number")
		}
		label := regexp.MustCompile(`aria-labelledby="(\S+) (\S+)"`).FindStringSubmatch(f)
		if label == nil || ids[label[1]] || !strings.Contains(f, `<title id="`+label[1]) || !strings.Contains(f, `<desc id="`+label[2]) {
			t.Errorf("title or description missing or used twice: %v", label)
			continue
		}
		ids[label[1]] = true
	}
}

// A study may lack any of its parts, and numbers may be far apart or all equal.
func TestOddStudies(t *testing.T) {
	row := func(model string, e float64) paired.Row {
		return paired.Row{Program: "p", Machine: strings.Repeat("long machine name ", 9), Processors: 64, Model: model, EInstr: e, Split: paired.Split{Ideal: e}}
	}
	flat := fakeTrace("p", 1, 1.5, 10)
	for i := range flat.Curve {
		flat.Curve[i].Ratio = 0
	}
	one := fakeTrace("p", 1, 1.5, 10)
	one.Curve = one.Curve[:1]
	for name, s := range map[string]struct {
		rows   []paired.Row
		traces []Trace
	}{
		"nothing compared":    {[]paired.Row{row("mva", 1)}, nil},
		"exact":               {[]paired.Row{row("", 1), row("mva", 1)}, nil},
		"far apart":           {[]paired.Row{row("", 1e-12), row("mva", 1e12)}, nil},
		"never misses":        {nil, []Trace{flat}},
		"one size":            {nil, []Trace{one}},
		"no parameters":       {nil, []Trace{{Program: "p", Curve: one.Curve}}},
		"parameters, no more": {nil, []Trace{{Program: "p", Params: one.Params}}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := paired.Compare(s.rows)
			if err != nil {
				t.Fatal(err)
			}
			page := withoutScripts(render(t, &Study{Comparison: c, Traces: s.traces}, name))
			if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
				t.Error("the page shows something that is no number")
			}
		})
	}
}

func TestOpenReadsAFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, table *store.Table) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := store.WriteTable(path, table); err != nil {
			t.Fatal(err)
		}
	}
	write("b/fft.prediction.arrow", quick.prediction())
	write("a.simulation.arrow", quick.simulation())
	write("other.arrow", &store.Table{Name: "other", Columns: []store.Column{{Name: "x", Data: []int32{1}}}})
	s, err := Open(dir, filepath.Join(dir, "a.simulation.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Comparison.Cases) != 24 || len(s.Sources) != 2 {
		t.Errorf("%d cases from %d sources", len(s.Comparison.Cases), len(s.Sources))
	}
	if err := os.WriteFile(filepath.Join(dir, "cut.arrow"), []byte("ARROW1\x00\x00"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "cut.arrow") {
		t.Errorf("a cut table: got %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no analysis, prediction or simulation") {
		t.Errorf("an empty folder: got %v", err)
	}
}

// Two processors of unlike footprints, 3 and 8 lines: size 3 is on one curve
// only, and the shorter curve goes on as it ended.
func TestCurvesArePooled(t *testing.T) {
	got := pooled(map[int64][]misses{
		0: {{1, 40, 100}, {2, 20, 100}, {3, 3, 100}},
		1: {{8, 8, 300}, {1, 160, 300}, {2, 80, 300}, {4, 17, 300}},
	}, 64)
	want := []CurvePoint{{64, 200. / 400}, {128, 100. / 400}, {256, 20. / 400}, {512, 11. / 400}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMachinesAreShownAsDescribed(t *testing.T) {
	s := quick.study()
	if err := s.AddMachine("../../../data/machine/du2000-smp-256k.toml"); err != nil {
		t.Fatal(err)
	}
	page := render(t, s, "title")
	for _, want := range []string{"smp, 4 processors", "200 MHz, CPI 1", "256 KiB, 2 ways of 64 B, 1 cycle<", "64 MiB, 50 cycles", "UNVERIFIED"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(page, want) {
				t.Errorf("the page does not say %q", want)
			}
		})
	}
	if err := s.AddMachine("report_test.go"); err == nil {
		t.Error("a file that describes no machine was taken")
	}
}

// Both laws begin at 1 and fall; the capped one ends on the cold misses at the footprint.
func TestLaws(t *testing.T) {
	tr := fakeTrace("fft", 1, 1.5, 10)
	published, capped := tr.published(), tr.capped()
	if !published.known() || !capped.known() {
		t.Fatal("a trace with all parameters lacks a law")
	}
	if published.miss(0) != 1 || capped.miss(0) != 1 {
		t.Errorf("without a cache %v and %v miss", published.miss(0), capped.miss(0))
	}
	if got, want := published.miss(30*64), .5; got != want { // (30/10 + 1)^-0.5
		t.Errorf("30 lines: %v, want %v", got, want)
	}
	if got, want := capped.miss(30*64), .0003+.9997*.5; got != want {
		t.Errorf("30 lines, above cold: %v, want %v", got, want)
	}
	if got := capped.miss(8192 * 64); got != .0003 {
		t.Errorf("at the footprint: %v", got)
	}
	if l := (Trace{Program: "x"}).capped(); l.known() {
		t.Errorf("a trace without parameters has the law %v", l)
	}
}

// A page without a title of its own does not claim what the study does not hold.
func TestTitleIsWhatTheStudyHolds(t *testing.T) {
	rows := quick.study().rows
	for _, row := range []struct {
		study Study
		want  string
	}{
		{*quick.study(), "Model against simulation"},
		{Study{rows: rows[:1], Comparison: &paired.Comparison{}}, "Predicted times"},
		{Study{Traces: []Trace{{Program: "p"}}, Comparison: &paired.Comparison{}}, "Programs and their locality"},
		{Study{Comparison: &paired.Comparison{}}, "Study"},
	} {
		t.Run(row.want, func(t *testing.T) {
			if page := render(t, &row.study, ""); !strings.Contains(page, "<h1>"+row.want+"</h1>") {
				t.Errorf("no title %q", row.want)
			}
		})
	}
	if page := render(t, quick.study(), "mine"); !strings.Contains(page, "<h1>mine</h1>") {
		t.Error("a title that is given is not shown")
	}
}
