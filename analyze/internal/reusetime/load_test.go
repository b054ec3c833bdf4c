package reusetime

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// random is a trace of so many processors.
func random(procs, refs int, instr uint32) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: procs}}
	for p := range procs {
		r, of := trace.Refs{Proc: trace.Proc(p)}, rand.New(rand.NewPCG(uint64(p), 1))
		for range refs {
			r.Append(instr, uint64(float64(1<<16)*of.Float64()*of.Float64()), uint16(1+of.IntN(100)), trace.Ops[of.IntN(len(trace.Ops))])
		}
		m.RefsOf = append(m.RefsOf, r)
	}
	return m
}

func run(t testing.TB, m *trace.Memory, a *Analysis) analysis.Result {
	t.Helper()
	results, err := analysis.Run(context.Background(), m, analysis.Options{}, a)
	if err != nil {
		t.Fatal(err)
	}
	return results[0]
}

func save(t testing.TB, dir string, tables ...*store.Table) {
	t.Helper()
	for _, table := range tables {
		if err := store.WriteTable(filepath.Join(dir, table.Name+".arrow"), table); err != nil {
			t.Fatal(err)
		}
	}
}

// What is loaded is what was found, of the interleaved order or the only processor.
func TestLoad(t *testing.T) {
	for _, procs := range []int{1, 3} {
		m, dir := random(procs, 20000, 2), t.TempDir()
		a := &Analysis{Lines: []unit.Bytes{32, 64}, Interleaved: true}
		save(t, dir, run(t, m, a).Tables...)
		r, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if sizes, err := r.LineSizes(); err != nil || !slices.Equal(sizes, a.Lines) {
			t.Errorf("line sizes %v, %v", sizes, err)
		}
		for _, line := range a.Lines {
			whole := trace.Proc(0)
			if procs > 1 {
				whole = trace.Interleaved
			}
			s := a.NewShard(m.Head, whole).(*Shard)
			want := s.At(line).Profile()
			p, err := r.Program(line)
			if err != nil {
				t.Fatal(err)
			}
			if p.Uses != want.Uses || p.Lines != want.Lines || !slices.Equal(p.points, want.points) {
				t.Errorf("%d processors, lines of %v: another profile", procs, line)
			}
			if rate := want.Uses / 40000; p.Rate < rate*(1-1e-12) || p.Rate > rate*(1+1e-12) {
				t.Errorf("%d processors, lines of %v: rate %v, want %v", procs, line, p.Rate, rate)
			}
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	good := func() (times, windows *store.Table) {
		r := run(t, random(1, 3000, 1), &Analysis{Lines: []unit.Bytes{64}})
		return r.Tables[0], r.Tables[1]
	}
	number := func(t *store.Table, column string, row int) *uint64 {
		d, _ := store.Data[uint64](t, column)
		return &d[(row+len(d))%len(d)]
	}
	for _, c := range []struct {
		want   string
		change func(times, windows *store.Table)
	}{
		{"", func(_, _ *store.Table) {}},
		{"no bin extends from 0", func(times, _ *store.Table) { *number(times, "least", 0) = 0 }},
		{"no bin extends from 1 to 7", func(times, _ *store.Table) { *number(times, "most", 0) = 7 }},
		{"out of order", func(times, _ *store.Table) {
			*number(times, "least", 3), *number(times, "most", 3) = 1, 1
		}},
		{"empty", func(times, _ *store.Table) { *number(times, "count", 0) = 0 }},
		{"does not fit the bin", func(times, _ *store.Table) { *number(times, "sum", 0) += 5 }},
		{"first and", func(times, _ *store.Table) {
			*number(times, "count", -1) += 5
			*number(times, "sum", -1) += 5 * *number(times, "least", -1)
		}},
		{`unknown kind of time "lost"`, func(times, _ *store.Table) { d, _ := store.Data[string](times, "time"); d[0] = "lost" }},
		{"several processors", func(times, _ *store.Table) { d, _ := store.Data[int32](times, "proc"); d[0] = 5 }},
		{"the reuse_time table has no column sum", func(times, _ *store.Table) { times.Columns = times.Columns[:6] }},
		{"no rows of processor 0", func(_, windows *store.Table) {
			d, _ := store.Data[int32](windows, "proc")
			for i := range d {
				d[i] = 1
			}
		}},
		{"times up to 3 of 2 uses", func(times, windows *store.Table) {
			twice := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}
			twice.RefsOf[0].Append(1, 0, 8, trace.Load)
			twice.RefsOf[0].Append(1, 0, 8, trace.Load)
			r := run(t, twice, &Analysis{Lines: []unit.Bytes{64}})
			*times, *windows = *r.Tables[0], *r.Tables[1]
			for _, column := range []string{"least", "most", "sum"} {
				*number(times, column, -1) = 3
			}
		}},
		{"from trace", func(times, _ *store.Table) { times.Meta = []trace.Arg{{Key: "trace", Value: "other"}} }},
	} {
		t.Run(c.want, func(t *testing.T) {
			dir := t.TempDir()
			times, windows := good()
			c.change(times, windows)
			save(t, dir, times, windows)
			r, err := Load(dir)
			if err == nil {
				_, err = r.Program(64)
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "--run reuse_time") {
		t.Errorf("an empty directory: %v", err)
	}
}

// A shard that was kept is as good as it was, and damaged ones are refused.
func TestKeep(t *testing.T) {
	m := random(1, 5000, 1)
	a, b := &Analysis{Lines: []unit.Bytes{16, 64}}, &Analysis{Lines: []unit.Bytes{16, 64}}
	run(t, m, a)
	text, err := json.Marshal(a.NewShard(m.Head, 0))
	if err != nil {
		t.Fatal(err)
	}
	again := b.NewShard(m.Head, 0).(*Shard)
	if err := json.Unmarshal(text, again); err != nil {
		t.Fatal(err)
	}
	for _, line := range a.Lines {
		if !slices.Equal(again.At(line).Profile().points, a.shards[0].At(line).Profile().points) {
			t.Errorf("lines of %v: another profile", line)
		}
	}
	for _, text := range []string{`[[99999,1,0]]`, `[[5,1,0],[5,1,0]]`, `[[5,0,0]]`, `[[5,1,7]]`, `[[5,1,1]]`, `[[600,1,2]]`, `[1]`} {
		t.Run(text, func(t *testing.T) {
			if err := json.Unmarshal([]byte(text), new(Histogram)); err == nil {
				t.Errorf("%s is no error", text)
			}
		})
	}
}
