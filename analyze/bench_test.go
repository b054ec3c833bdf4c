package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"spoor/analyze/analysis"
	"spoor/analyze/registry"
	"spoor/analyze/reuse"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// sweep writes a trace of processors that go through parts of one grid again and again, between
// barriers, with instruction fetches; they use a shared table at random, too.
func sweep(b *testing.B, procs, sweeps, each int) string {
	b.Helper()
	prefix := filepath.Join(b.TempDir(), "sweep")
	h := trace.Header{Program: "sweep", Format: "test", Procs: procs, WorkUnit: trace.WorkInstr, Tool: "test"}
	w, err := store.Create(prefix, h)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abort()
	for p := range procs {
		r := rand.New(rand.NewPCG(uint64(p), 11))
		refs, events := trace.Refs{Proc: trace.Proc(p)}, trace.Events{Proc: trace.Proc(p)}
		for range sweeps {
			for i := range each {
				at := uint64(1<<30) + uint64(p*each+i)*8
				refs.Append(1, 0x401000+uint64(i%16)*4, 4, trace.Ifetch)
				refs.Append(1, at, 8, trace.Load)
				refs.Append(0, at+uint64(each)*8, 8, trace.Load)
				refs.Append(uint32(1+r.IntN(3)), 1<<20+r.Uint64N(1<<8)*r.Uint64N(1<<10), 8, trace.Load)
				refs.Append(1, at, 8, trace.Store)
			}
			events.Rows = append(events.Rows, of(trace.Barrier, refs.Len(), nil))
		}
		if err := w.Refs(&refs); err != nil {
			b.Fatal(err)
		}
		if err := w.Events(&events); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(h); err != nil {
		b.Fatal(err)
	}
	return prefix
}

// BenchmarkTogether measures all analyses in one run beside the dearest of them, and says how many times that the run takes: by the clock on all
// cores, and in time of one core.
func BenchmarkTogether(b *testing.B) {
	for _, t := range []struct {
		name        string
		procs, each int
	}{{"one", 1, 80_000}, {"four", 4, 20_000}} {
		b.Run(t.name, func(b *testing.B) {
			prefix := sweep(b, t.procs, 10, t.each)
			b.Run("clock", func(b *testing.B) { besideDearest(b, prefix, func() int64 { return time.Now().UnixNano() }) })
			b.Run("core", func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
				besideDearest(b, prefix, ofCore)
			})
		})
	}
}

// besideDearest finds the dearest analysis, and runs it and all of them by turns.
func besideDearest(b *testing.B, prefix string, now func() int64) {
	var names []string
	for _, k := range registry.All() {
		names = append(names, k.Name)
	}
	took := func(run string) float64 {
		start := now()
		if status, _, errs := analyze("--quiet", "--run", run, "-o", filepath.Join(b.TempDir(), "d"), prefix); status != 0 {
			b.Fatal(errs)
		}
		return float64(now() - start)
	}
	best := map[string]float64{}
	var ratios []float64
	all := strings.Join(names, ",")
	for b.Loop() {
		for range 2 {
			for _, run := range append(names, all) {
				if t := took(run); best[run] == 0 || t < best[run] {
					best[run] = t
				}
			}
		}
		dearest := slices.MaxFunc(names, func(x, y string) int { return cmp.Compare(best[x], best[y]) })
		ratios = append(ratios, besideEachOther(took, all, dearest)...)
	}
	var sum float64
	for _, run := range names {
		sum += best[run]
		b.ReportMetric(best[run]/1e6, run+"-ms")
	}
	slices.Sort(ratios)
	b.ReportMetric(best[all]/1e6, "all-ms")
	b.ReportMetric(ratios[len(ratios)/2], "x-dearest")
	b.ReportMetric(best[all]/sum, "x-apart")
}

// besideEachOther is how many times another one each of some runs takes: beside the two of the other one around it, as a host may be
// slower for seconds.
func besideEachOther(took func(run string) float64, run, other string) (ratios []float64) {
	const pairs = 9
	before := took(other)
	for range pairs {
		t, after := took(run), took(other)
		ratios = append(ratios, 2*t/(before+after))
		before = after
	}
	return ratios
}

// ofCore is the time of processors that this process took, in ns.
func ofCore() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// zipf is one of a number of lines, with popularity falling as rank^-0.9, by the inverse of the continuous distribution; lines
// of neighbouring rank are far apart.
func zipf(r *rand.Rand, lines uint64) uint64 {
	rank := uint64(math.Pow(1+r.Float64()*(math.Pow(float64(lines), 0.1)-1), 10)) - 1
	return min(rank, lines-1) * 0x9E3779B1 % lines
}

// BenchmarkStream finds the distances of one long stream in memory, and from a file beside it, on one core and
// on two. Not with -cpu: sub-benchmarks all run on the last number of its list.
func BenchmarkStream(b *testing.B) {
	const n = 1 << 23
	r := rand.New(rand.NewPCG(1, 1))
	streams := []struct {
		name string
		next func(i uint64) (addr uint64, op trace.Op)
	}{
		{"uniform", func(uint64) (uint64, trace.Op) { return r.Uint64N(1<<20) * 64, trace.Load }},
		{"logUniform", func(uint64) (uint64, trace.Op) { return uint64(math.Exp(r.Float64()*math.Log(1<<20))) * 64, trace.Load }},
		{"zipf4M", func(uint64) (uint64, trace.Op) { return zipf(r, 1<<22) * 64, trace.Load }},
		{"program", func(i uint64) (uint64, trace.Op) {
			if i%3 > 0 {
				return 0x401000 + i%64*4, trace.Ifetch
			}
			return i / 3 * 8 % (1 << 22), trace.Load
		}},
	}
	for _, s := range streams {
		m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}
		for i := range uint64(n) {
			addr, op := s.next(i)
			m.RefsOf[0].Append(1, addr, 8, op)
		}
		file := saved(b, m)
		b.Run(s.name+"/file/hash", func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			for b.Loop() {
				if _, err := analysis.Run(context.Background(), file, analysis.Options{}, hashing{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e6, "Mrefs/s")
		})
		for _, from := range []struct {
			name string
			src  trace.Source
		}{{"memory", m.InBatches(1 << 18)}, {"file", file}} {
			for _, cores := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%s/cores=%d", s.name, from.name, cores), func(b *testing.B) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
					for b.Loop() {
						a := &reuse.Analysis{Lines: []unit.Bytes{64}}
						if _, err := analysis.Run(context.Background(), from.src, analysis.Options{}, a); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e6, "Mrefs/s")
				})
			}
		}
	}
}

// hashing finds the lines of all uses in a hash table, and nothing of them.
type hashing struct{}

func (hashing) Name() string                                    { return "hashing" }
func (hashing) Merge([]analysis.Shard) (analysis.Result, error) { return analysis.Result{}, nil }
func (hashing) LineSizes() []unit.Bytes                         { return []unit.Bytes{64} }
func (hashing) End() error                                      { return nil }
func (hashing) Effects() analysis.Effects                       { return analysis.Effects{} }

func (h hashing) NewShard(_ trace.Header, p trace.Proc) analysis.Shard {
	if p == trace.Interleaved {
		return nil
	}
	return h
}

func (hashing) Add(p *analysis.Chunk) error {
	if p.Event != nil {
		return nil
	}
	_, err := p.Uses(64)
	return err
}

// BenchmarkProcessors finds the distances of four processors, each by itself, on one core and on two.
func BenchmarkProcessors(b *testing.B) {
	const procs, n = 4, 1 << 21
	m := &trace.Memory{Head: trace.Header{Procs: procs}, RefsOf: make([]trace.Refs, procs)}
	for p := range procs {
		r := rand.New(rand.NewPCG(uint64(p), 2))
		m.RefsOf[p].Proc = trace.Proc(p)
		for range n {
			m.RefsOf[p].Append(1, uint64(math.Exp(r.Float64()*math.Log(1<<18)))*64, 8, trace.Load)
		}
	}
	src := m.InBatches(1 << 18)
	for _, cores := range []int{1, 2} {
		b.Run(fmt.Sprintf("cores=%d", cores), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			for b.Loop() {
				if _, err := analysis.Run(context.Background(), src, analysis.Options{}, &reuse.Analysis{Lines: []unit.Bytes{64}}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*procs*n/b.Elapsed().Seconds()/1e6, "Mrefs/s")
		})
	}
}

func saved(b *testing.B, m *trace.Memory) *store.Trace {
	b.Helper()
	src, err := store.Open(written(b, m))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { src.Close() })
	return src
}

// written writes the trace, of one processor, and returns its prefix.
func written(b *testing.B, m *trace.Memory) (prefix string) {
	b.Helper()
	prefix = filepath.Join(b.TempDir(), "x")
	w, err := store.Create(prefix, m.Head)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abort()
	if err := w.Refs(&m.RefsOf[0]); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(m.Head); err != nil {
		b.Fatal(err)
	}
	return prefix
}
