package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/analyze/registry"
	"spoor/analyze/study"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// nasty is a trace that is legal, if only just.
type nasty struct {
	procs  int
	work   trace.WorkUnit
	refs   func(p trace.Proc, r *trace.Refs)
	events func(p trace.Proc, at int) []trace.Event // of a processor with so many references
	only   string                                   // the one file that is there, of the two
	fails  map[string]string                        // by analysis: what its error says
}

// of is an event that follows so many references.
func of(k trace.Kind, refs int, change func(*trace.Event)) trace.Event {
	e := trace.NewEvent(k)
	e.Refs = uint64(refs)
	if change != nil {
		change(&e)
	}
	return e
}

func barriers(_ trace.Proc, at int) []trace.Event { return []trace.Event{of(trace.Barrier, at, nil)} }

// ops makes n references of the operations, to one word after the other.
func ops(n int, kinds ...trace.Op) func(trace.Proc, *trace.Refs) {
	return func(p trace.Proc, r *trace.Refs) {
		for i := range n {
			r.Append(1, uint64(i)*8, 8, kinds[i%len(kinds)])
		}
	}
}

const (
	noData  = "no loads or stores"
	noInstr = "counts no instructions"
)

var nastyTraces = map[string]nasty{
	"nothing":       {procs: 1, fails: map[string]string{"footprint": noData, "quanta": noInstr}},
	"nobody":        {procs: 3, fails: map[string]string{"footprint": noData, "quanta": noInstr}},
	"fetches":       {procs: 2, refs: ops(100, trace.Ifetch), events: barriers, fails: map[string]string{"footprint": noData}},
	"prefetches":    {procs: 2, refs: ops(100, trace.Prefetch, trace.Flush), fails: map[string]string{"footprint": noData}},
	"one":           {procs: 1, refs: ops(1, trace.Load)},
	"one line":      {procs: 2, refs: ops(8, trace.Load, trace.Store), events: barriers},
	"cold":          {procs: 1, refs: func(_ trace.Proc, r *trace.Refs) { fill(r, 1000, 1, 1<<20, 8) }},
	"refs alone":    {procs: 2, refs: ops(500, trace.Load, trace.Store), only: store.RefsSuffix},
	"events alone":  {procs: 2, events: barriers, only: store.EventsSuffix, fails: map[string]string{"footprint": noData, "quanta": noInstr}},
	"lost refs":     {procs: 2, refs: ops(100, trace.Load), events: barriers, only: store.EventsSuffix, fails: lost},
	"no time":       {procs: 2, refs: func(_ trace.Proc, r *trace.Refs) { fill(r, 300, 0, 64, 8) }, events: barriers, fails: map[string]string{"quanta": noInstr}},
	"one works":     {procs: 5, refs: oneWorks, events: barriers},
	"top":           {procs: 2, refs: top, events: barriers},
	"long":          {procs: 2, refs: func(_ trace.Proc, r *trace.Refs) { fill(r, 50, 3, 1<<12, math.MaxUint16) }, events: barriers},
	"years":         {procs: 2, refs: func(_ trace.Proc, r *trace.Refs) { fill(r, 50, math.MaxUint32, 64, 8) }, events: years},
	"picoseconds":   {procs: 2, work: trace.WorkPicos, refs: ops(10, trace.Load), events: years},
	"huge messages": {procs: 2, refs: ops(10, trace.Load), events: huge, fails: map[string]string{"comm": "2^63", "marshal": "2^64"}},
	"to nobody":     {procs: 2, events: alone, fails: map[string]string{"footprint": noData, "quanta": noInstr}},
	"no end":        {procs: 2, refs: ops(9, trace.Load), events: noEnd, fails: stuck},
}

// stuck are the analyses that use the interleaved order, which has no end.
var stuck = failing(func(k *kind.Kind) string {
	s := study.NewSettings()
	s.Run = []string{k.Name}
	h := trace.Header{Procs: 2}
	built, err := s.Build(&kind.Request{Header: h, Interleaved: true})
	if err != nil {
		panic(err)
	}
	if len(analysis.Orders(h, []trace.Proc{trace.Interleaved}, built...)) > 0 {
		return "deadlock"
	}
	return ""
})

// lost are the analyses that need references, or instructions.
var lost = failing(func(k *kind.Kind) string {
	switch k.Subject {
	case kind.References:
		return "processor 0: event barrier comes after 100 references, but the trace has none"
	case kind.Time:
		return noInstr
	}
	return ""
})

// failing returns what each analysis says, without those that say nothing.
func failing(says func(*kind.Kind) string) map[string]string {
	all := map[string]string{}
	for _, k := range registry.All() {
		if text := says(k); text != "" {
			all[k.Name] = text
		}
	}
	return all
}

func fill(r *trace.Refs, n int, instr uint32, stride uint64, size uint16) {
	for i := range n {
		r.Append(instr, uint64(i)*stride, size, trace.Op(1+i%2))
	}
}

func oneWorks(p trace.Proc, r *trace.Refs) {
	if p == 3 {
		ops(100, trace.Load, trace.Store)(p, r)
	}
}

func top(_ trace.Proc, r *trace.Refs) {
	for i := range uint64(300) {
		r.Append(1, math.MaxUint64-8*(i%100), 1, trace.Op(1+i%2))
		r.Append(1, math.MaxUint64-8*(i%100)-99, uint16(1+i%100), trace.Op(1+i%2))
	}
}

func years(_ trace.Proc, at int) []trace.Event {
	return []trace.Event{of(trace.Compute, at/2, func(e *trace.Event) { e.Work = 1 << 60 }), of(trace.Barrier, at, nil)}
}

func huge(p trace.Proc, at int) []trace.Event {
	long := func(e *trace.Event) {
		e.Peer, e.Bytes, e.Tag, e.Addr, e.Count, e.Block, e.Stride = int32(1-p), 1<<62, 0, 1, 1<<31, 1<<31, 1<<31
	}
	return []trace.Event{of(trace.Send, at, long), of(trace.Send, at, long), of(trace.Recv, at, long), of(trace.Recv, at, long)}
}

func alone(p trace.Proc, at int) []trace.Event {
	to := func(e *trace.Event) { e.Peer, e.Tag = int32(1-p), int32(p) }
	return []trace.Event{of(trace.Recv, at, to), of(trace.Send, at, to), of(trace.AllReduce, at, nil)}
}

func noEnd(p trace.Proc, at int) []trace.Event {
	return []trace.Event{of(trace.Barrier, at, func(e *trace.Event) { e.Peer = int32(p) })}
}

func (n *nasty) write(t *testing.T, prefix string) {
	t.Helper()
	h := trace.Header{Program: "nasty", Format: "test", Procs: n.procs, WorkUnit: n.work, Tool: "test"}
	if h.WorkUnit == "" {
		h.WorkUnit = trace.WorkInstr
	}
	w, err := store.Create(prefix, h)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for p := range trace.Proc(n.procs) {
		refs := trace.Refs{Proc: p}
		if n.refs != nil {
			n.refs(p, &refs)
		}
		if err := w.Refs(&refs); err != nil {
			t.Fatal(err)
		}
		if n.events == nil {
			continue
		}
		if err := w.Events(&trace.Events{Proc: p, Rows: n.events(p, refs.Len())}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{store.RefsSuffix, store.EventsSuffix} {
		if n.only != "" && suffix != n.only {
			if err := os.Remove(prefix + suffix); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Every analysis, and all at once, takes every such trace, or says why not; no number of any
// result is infinite or none.
func TestNastyTraces(t *testing.T) {
	t.Chdir(t.TempDir())
	var all []string
	for _, k := range registry.All() {
		all = append(all, k.Name)
	}
	runs := append(all, strings.Join(all, ","))
	if testing.Short() {
		runs = runs[len(all):]
	}
	names := slices.Sorted(maps.Keys(nastyTraces))
	for i := 0; i < len(names); i += testsize.Cases(1, 3) {
		name, n := names[i], nastyTraces[names[i]]
		n.write(t, name)
		for _, run := range runs {
			n.check(t, name, run)
		}
	}
}

func (n *nasty) check(t *testing.T, name, run string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "d")
	status, out, errs := analyze("--run", run, "-o", dir, name)
	what := fmt.Sprintf("%s of %q", run, name)
	var reasons []string
	for of, says := range n.fails {
		if strings.Contains(","+run+",", ","+of+",") {
			reasons = append(reasons, says)
		}
	}
	switch {
	case len(reasons) == 0 && status != stage.Done:
		t.Errorf("%s: status %d: %s", what, status, errs)
	case len(reasons) > 0 && status != stage.Failed:
		t.Errorf("%s: status %d, want an error with %q", what, status, reasons)
	case len(reasons) > 0 && !containsAny(errs, reasons):
		t.Errorf("%s: %s, want %q", what, errs, reasons)
	}
	if others := otherwise.FindStringSubmatch(errs); others != nil {
		n.check(t, name, others[1])
	}
	if m := notNumber.FindString(out); m != "" {
		t.Errorf("%s prints %s:\n%s", what, m, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || status == stage.Done && len(files) == 0 {
		t.Errorf("%s: files %v, %v", what, files, err)
	}
	for _, f := range files {
		checkNumbers(t, what, f)
	}
}

func containsAny(text string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

var notNumber = regexp.MustCompile(`(?i)[-+]?\b(nan|inf)\b`)

// otherwise is how an error says what to run instead.
var otherwise = regexp.MustCompile(`the others have results: --run (\S+)`)

// checkNumbers looks for what is no number in a file of results.
func checkNumbers(t *testing.T, what, file string) {
	t.Helper()
	if !strings.HasSuffix(file, ".arrow") {
		text, err := os.ReadFile(file)
		if m := notNumber.Find(text); m != nil || err != nil {
			t.Errorf("%s: %s has %s (%v)", what, filepath.Base(file), m, err)
		}
		return
	}
	table := read(t, file)
	for _, c := range table.Columns {
		values, _ := c.Data.([]float64)
		for i, v := range values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: %s: row %d of column %s is %v", what, filepath.Base(file), i, c.Name, v)
			}
		}
	}
}
