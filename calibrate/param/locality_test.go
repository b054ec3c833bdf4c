package param

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/locality"
	"spoor/analyze/reuse"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Analyze writes parameter files by itself, because it comes before this package:
// what it writes is read here to the last digit, whatever the trace is called.
func TestReadsWhatAnalyzeWrites(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}
	for range 20000 {
		m.RefsOf[0].Append(1+r.Uint32N(3), r.Uint64N(1+r.Uint64N(1<<18)), 1, trace.Load)
	}
	const source = "a \"name\" \\ with\nall √ \x7f sorts.refs.arrow sha256:00"
	distances := &reuse.Analysis{Lines: []unit.Bytes{64}}
	results, err := analysis.Run(context.Background(), m, analysis.Options{},
		&locality.Analysis{Reuse: distances, Line: 64, Source: source, Tool: "a tool\nof two lines"})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := results[0].Files[0].Fill(&file); err != nil {
		t.Fatal(err)
	}
	set, err := Parse("locality.params.toml", file.Bytes())
	if err != nil {
		t.Fatalf("%v in\n%s", err, file.String())
	}
	names, err1 := store.Data[string](results[0].Full, "name")
	values, err2 := store.Data[float64](results[0].Full, "value")
	if err1 != nil || err2 != nil || len(names) == 0 || len(names) != len(set.All()) {
		t.Fatal(err1, err2, len(names), len(set.All()))
	}
	for i, name := range names {
		p, ok := set.Lookup(name)
		if !ok || p.Value != values[i] || p.Source != source {
			t.Errorf("%s: read %+v, want %v", name, p, values[i])
		}
	}
}
