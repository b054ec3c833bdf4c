package cache

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/cache/internal/spill"
	"spoor/analyze/reuse"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

func parse(t testing.TB, texts ...string) []Spec {
	t.Helper()
	var out []Spec
	for _, text := range texts {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// tested is an analysis whose counts are kept, and before which others may have requested for the uses of lines of three sizes.
type tested struct {
	*Analysis
	others bool
	counts map[trace.Proc][][]Counts
	shared int // feeds that took the places of lines from others
}

type testedShard struct {
	*shard
	others bool
}

func (a *tested) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	s := a.Analysis.NewShard(h, p)
	if s == nil {
		return nil
	}
	return &testedShard{s.(*shard), a.others}
}

func (s *testedShard) LineSizes() []unit.Bytes {
	if !s.others {
		return nil
	}
	return []unit.Bytes{16, 32, 64}
}

func (s *testedShard) Add(p *analysis.Chunk) error {
	for line := unit.Bytes(16); s.others && p.Refs.Len() > 0 && line <= 64; line *= 2 {
		if _, err := p.Uses(line); err != nil {
			return err
		}
	}
	return s.shard.Add(p)
}

func (a *tested) Merge(shards []analysis.Shard) (analysis.Result, error) {
	var own []analysis.Shard
	a.counts = map[trace.Proc][][]Counts{}
	for _, x := range shards {
		s := x.(*testedShard).shard
		own = append(own, s)
		for _, h := range s.hierarchies {
			var levels []Counts
			for _, instances := range h.of {
				var sum Counts
				for _, l := range instances {
					sum.add(&l.Counts)
				}
				levels = append(levels, sum)
			}
			a.counts[s.proc] = append(a.counts[s.proc], levels)
			for _, f := range h.feeds {
				if f.stages[0].placed {
					a.shared++
				}
			}
		}
	}
	return a.Analysis.Merge(own)
}

// simulate is the counts of every level of every description, by processor.
func simulate(t testing.TB, src trace.Source, a *Analysis) map[trace.Proc][][]Counts {
	t.Helper()
	return simulateAmong(t, src, a, false).counts
}

// simulateAmong runs an analysis, by itself or after others.
func simulateAmong(t testing.TB, src trace.Source, a *Analysis, others bool) *tested {
	t.Helper()
	x := &tested{Analysis: a, others: others}
	if _, err := analysis.Run(context.Background(), src, analysis.Options{}, x); err != nil {
		t.Fatal(err)
	}
	return x
}

// compare holds the simulation of all descriptions, by itself and after others, to the naive one.
func compare(t testing.TB, src trace.Source, a *Analysis) {
	t.Helper()
	after := simulateAmong(t, src, a, true)
	for p, got := range simulate(t, src, a) {
		if !reflect.DeepEqual(got, after.counts[p]) {
			t.Fatalf("processor %d:\nafter others %+v\nby itself    %+v", p, after.counts[p], got)
		}
		for i, s := range a.Specs {
			want, err := naive(s, src, p, a.Seed)
			if err != nil {
				t.Fatal(err)
			}
			for j := range want {
				if got[i][j] != want[j] {
					t.Fatalf("%s, processor %d, %s:\ngot  %+v\nwant %+v", s, p, s.Levels[j].Name, got[i][j], want[j])
				}
			}
		}
	}
}

// randomTrace has processors that share some lines, walk, and cross lines.
func randomTrace(r *rand.Rand, procs, length int) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: procs}, RefsOf: make([]trace.Refs, procs)}
	lines, kinds := 2+r.Uint64N(200), []int{int(trace.Ifetch), int(trace.Flush)}[r.IntN(2)]
	for p := range procs {
		refs := &m.RefsOf[p]
		refs.Proc = trace.Proc(p)
		walk := uint64(0)
		for range r.IntN(length + 1) {
			addr := r.Uint64N(1+r.Uint64N(lines))*16 + r.Uint64N(16)
			switch r.IntN(6) {
			case 0:
				addr += uint64(p+1) << 20
			case 1:
				walk += 8
				addr = walk % (16 * lines)
			case 2:
				addr = math.MaxUint64 - 100 - addr
			}
			refs.Append(uint32(1+r.IntN(3)), addr, uint16(1+r.IntN(40)), trace.Op(1+r.IntN(kinds)))
		}
	}
	return m
}

// randomSpec is a legal description of small caches.
func randomSpec(r *rand.Rand) Spec {
	for {
		var parts []string
		for _, name := range []string{"L1d", "L1i", "L1", "L2", "L2d", "LL", "dtlb", "stlb"} {
			if r.IntN(2) == 0 {
				parts = append(parts, randomLevel(r, name))
			}
		}
		if s, err := Parse(strings.Join(parts, ",")); err == nil {
			return s
		}
	}
}

func randomLevel(r *rand.Rand, name string) string {
	line := 16 << r.IntN(3)
	ways, sets := 1+r.IntN(8), 1+r.IntN(6)
	switch r.IntN(8) {
	case 0:
		ways, sets = scanned+1+r.IntN(40), 1+r.IntN(2)
	case 1, 2, 3:
		ways = 1 << r.IntN(6)
	case 4:
		ways = 1 + r.IntN(scanned)
	}
	size := fmt.Sprintf("%dB", ways*sets*line)
	if isTLB(name) {
		size = fmt.Sprint(ways * sets)
	}
	out := fmt.Sprintf("%s=%s/%d/%dB/%s", name, size, ways, line, policies()[r.IntN(len(policies()))].Name)
	for _, option := range []string{"inclusive", "exclusive", "write-through", "no-allocate", "private", "with-opt"} {
		if r.IntN(6) == 0 {
			out += "/" + option
		}
	}
	return out
}

func TestIsNaive(t *testing.T) {
	for seed := range testsize.Cases[uint64](300, 20) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := randomTrace(r, 1+r.IntN(3), 800).InBatches(1 + r.IntN(300))
		a := &Analysis{Classify: true, Interleaved: true, Seed: seed}
		for range 4 {
			a.Specs = append(a.Specs, randomSpec(r))
		}
		compare(t, m, a)
	}
}

// Levels that can be simulated one after the other, over several batches.
func TestStages(t *testing.T) {
	for seed := range testsize.Cases[uint64](60, 10) {
		r := rand.New(rand.NewPCG(seed, 8))
		m := randomTrace(r, 1+r.IntN(2), 3*batchUses)
		a := &Analysis{Classify: true, Interleaved: true, Seed: seed}
		for _, names := range []string{"L1 L2 L3", "L1d L1i LL", "L1d L2 dtlb stlb"} {
			var parts []string
			line := 16 << r.IntN(2)
			for i, name := range strings.Fields(names) {
				line <<= r.IntN(2)
				ways, sets := 1+r.IntN(20), 1<<r.IntN(4)+r.IntN(2)
				size := fmt.Sprintf("%dB", ways*sets*line)
				if isTLB(name) {
					size = fmt.Sprint(ways * sets)
				}
				part := fmt.Sprintf("%s=%s/%d/%dB/%s", name, size, ways, line, []string{"lru", "lru", "fifo", "random"}[r.IntN(4)])
				if i == 0 && r.IntN(2) == 0 {
					part += "/private"
				}
				parts = append(parts, part)
			}
			a.Specs = append(a.Specs, parse(t, strings.Join(parts, ","))...)
		}
		for _, s := range a.Specs {
			for _, f := range newHierarchy(s, []Side{data, instr}, 1, false, 1, mostDense).feeds {
				if len(f.stages) < 2 {
					t.Fatalf("%s is not simulated level by level", s)
				}
			}
		}
		compare(t, m, a)
	}
}

// Places of lines are those that others in the run use where nothing but data goes to a first level; sets of several batches, references that
// cross lines, and lines that are written back among those that missed.
func TestPlacesOfOthers(t *testing.T) {
	for i, text := range []string{"L1d=128B/2/16B,LL=512B/4/16B", "L1d=128B/2/16B,L2=256B/4/16B,LL=1KiB/4/32B", "L1d=128B/2/16B/random", "L1d=512B/4/32B/fifo,LL=2KiB/full/32B"} {
		t.Run(text, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(i), 12))
			src := randomTrace(r, 2, 5*batchUses).InBatches(1000)
			a := &Analysis{Classify: true, Interleaved: true, Specs: parse(t, text)}
			compare(t, src, a)
			if alone, after := simulateAmong(t, src, a, false), simulateAmong(t, src, a, true); alone.shared != 0 || after.shared != 3 {
				t.Errorf("%d and %d orders share places, want 0 and 3", alone.shared, after.shared)
			}
		})
	}
}

// References of many lines, so that batches end in their midst, at the top of the address space too.
func TestLongReferences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}
	for range testsize.Cases(300, 60) {
		size := uint16(1 + r.IntN(1<<uint(1+r.IntN(16))-1))
		m.RefsOf[0].Append(1, math.MaxUint64-uint64(size)+1-r.Uint64N(1<<12), size, trace.Op(1+r.IntN(2)))
	}
	compare(t, m, &Analysis{Classify: true, Specs: parse(t, "L1d=4KiB/4/16B,L2=64KiB/8/64B", "L1=4KiB/full/4B/fifo", "tlb=4/full/1KiB")})
}

func FuzzIsNaive(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 128, 129, 1, 0}, uint64(1))
	f.Add([]byte("the quick brown fox jumps over the lazy dog"), uint64(2))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		m := &trace.Memory{Head: trace.Header{Procs: 2}, RefsOf: make([]trace.Refs, 2)}
		m.RefsOf[1].Proc = 1
		for i, b := range data[:min(len(data), 1<<11)] {
			m.RefsOf[b>>4&1].Append(uint32(b>>6), uint64(b&15)*16+uint64(i&15), uint16(1+b>>3), trace.Op(1+i*int(b)%3))
		}
		r := rand.New(rand.NewPCG(seed, 2))
		compare(t, m, &Analysis{Specs: []Spec{randomSpec(r), randomSpec(r)}, Classify: true, Interleaved: true, Seed: seed})
	})
}

// Misses of fully associative LRU caches are the uses of stack distance at or above their size.
func TestLRUIsStackDistance(t *testing.T) {
	m := randomTrace(rand.New(rand.NewPCG(3, 3)), 1, 60_000)
	var texts []string
	var sizes []int64
	for i := range int64(20) {
		sizes = append(sizes, 1+i*i)
		texts = append(texts, fmt.Sprintf("L1d=%dB/full/16B", 16*(1+i*i)))
	}
	got := simulate(t, m, &Analysis{Specs: parse(t, texts...), Classify: true})[0]
	d := &reuse.Analysis{Lines: []unit.Bytes{16}}
	if _, err := analysis.Run(context.Background(), m, analysis.Options{}, d); err != nil {
		t.Fatal(err)
	}
	want := d.NewShard(m.Head, 0).(*reuse.Shard).At(16).Misses(sizes)
	for i, levels := range got {
		c := levels[0]
		if total(c.Misses) != want[i] || c.FullMisses != want[i] || c.Conflict != 0 {
			t.Errorf("%d lines: %d misses, %d fully associative, %d of conflict, want %d", sizes[i], total(c.Misses), c.FullMisses, c.Conflict, want[i])
		}
		if i > 0 && want[i] > want[i-1] {
			t.Errorf("%d lines: %d misses, more than %d of %d lines", sizes[i], want[i], want[i-1], sizes[i-1])
		}
	}
}

// No policy beats OPT, and the causes of misses add up to them.
func TestNothingBeatsOPT(t *testing.T) {
	for seed := range testsize.Cases[uint64](40, 8) {
		r := rand.New(rand.NewPCG(seed, 4))
		m := randomTrace(r, 1, 5000)
		ways := 1 << r.IntN(6)
		var texts []string
		for _, p := range policies() {
			texts = append(texts, fmt.Sprintf("L1d=%dB/%d/16B/%s/with-opt", 16*ways*(1<<r.IntN(2)), ways, p.Name))
		}
		a := &Analysis{Specs: parse(t, texts...), Classify: true, Seed: seed}
		for i, levels := range simulate(t, m, a)[0] {
			c := levels[0]
			if c.OPTMisses > total(c.Misses) || c.OPTMisses < c.Compulsory {
				t.Errorf("seed %d, %s: %d misses, OPT %d, compulsory %d", seed, texts[i], total(c.Misses), c.OPTMisses, c.Compulsory)
			}
			if c.Compulsory+c.Capacity+c.Conflict != total(c.Misses) {
				t.Errorf("seed %d, %s: causes %d + %d + %d of %d misses", seed, texts[i], c.Compulsory, c.Capacity, c.Conflict, total(c.Misses))
			}
		}
	}
}

// More uses than a chunk, so that OPT goes through its file, against what can be worked out: of a cyclic
// sweep over n+1 lines, a cache of n lines misses one use in n under OPT, and all under LRU.
func TestOPTOfSweep(t *testing.T) {
	const n, rounds = 999, 400
	m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}
	for range rounds {
		for i := range uint64(n + 1) {
			m.RefsOf[0].Append(1, i*64, 8, trace.Load)
		}
	}
	got := simulate(t, m, &Analysis{Specs: parse(t, fmt.Sprintf("L1d=%dB/full/64B/with-opt", n*64))})[0][0][0]
	const uses = (n + 1) * rounds
	if want := uint64(n + 1 + (uses-n-1)/n); uses < 4*spill.ChunkWords || total(got.Misses) != uses || got.OPTMisses != want {
		t.Errorf("%d uses: LRU misses %d, OPT %d, want %d", uses, total(got.Misses), got.OPTMisses, want)
	}
}

// [belady1966] shows no such string, but textbooks since have this one for three page
// frames: 15 faults of FIFO, 12 of LRU, 9 of OPT.
func TestTextbookString(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}
	for _, page := range []uint64{7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1} {
		m.RefsOf[0].Append(1, page<<12, 8, trace.Load)
	}
	for i, levels := range simulate(t, m, &Analysis{Specs: parse(t, "tlb=3/full/4KiB/fifo", "tlb=3/full/4KiB", "tlb=3/full/4KiB/opt")})[0] {
		if got, want := total(levels[0].Misses), []uint64{15, 12, 9}[i]; got != want {
			t.Errorf("%d faults, want %d", got, want)
		}
	}
}

// FIFO has Belady's anomaly: more frames, more faults.
func TestAnomaly(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}
	for _, page := range []uint64{1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5} {
		m.RefsOf[0].Append(1, page<<12, 8, trace.Load)
	}
	got := simulate(t, m, &Analysis{Specs: parse(t, "tlb=3/full/4KiB/fifo", "tlb=4/full/4KiB/fifo")})[0]
	if a, b := total(got[0][0].Misses), total(got[1][0].Misses); a != 9 || b != 10 {
		t.Errorf("%d and %d faults, want 9 and 10", a, b)
	}
}

// What an inclusive level does not have, no level above it has; what an exclusive one has, the one above does not.
func TestInclusion(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 5))
		m := randomTrace(r, 1, 3000)
		for _, text := range []string{"L1d=128B/2/16B,L1i=128B/full/16B/random,L2=512B/4/32B/plru/no-allocate,LL=1KiB/8/64B/inclusive",
			"L1=128B/2/16B/plru/no-allocate,L2=256B/4/16B/fifo/exclusive,LL=512B/8/16B/exclusive"} {
			h := newHierarchy(parse(t, text)[0], []Side{data, instr}, 1, false, 1, mostDense)
			for refs := range m.InBatches(50).Refs(0) {
				if err := h.add(refs, nil); err != nil {
					t.Fatal(err)
				}
				h.feeds[0].flush()
				checkInclusion(t, h)
			}
		}
	}
}

func checkInclusion(t *testing.T, h *hierarchy) {
	t.Helper()
	for _, instances := range h.of {
		for l := instances[0]; l.next != nil; l = l.next {
			below := h.of[len(h.of)-1][0]
			if l.next.description.Inclusion == Exclusive {
				below = l.next
			}
			for addr := uint64(0); addr < 1<<13; addr += 16 {
				above, held := holds(l, addr), holds(below, addr)
				if above && below.description.Inclusion == Inclusive && !held || above && below.description.Inclusion == Exclusive && held {
					t.Fatalf("%#x: in %s %t, in %s %t", addr, l.description.Name, above, below.description.Name, held)
				}
			}
		}
	}
}

// holds reports whether a level has the line of an address.
func holds(l *level, addr uint64) bool {
	line := addr >> l.shift
	switch a := l.array.(type) {
	case *packed:
		_, w := a.find(line)
		return w >= 0
	case *pairs:
		_, w := a.way(line)
		return w >= 0
	case *short:
		return find(a.lines(line), line) < len(a.lines(line))
	case *list:
		_, ok := a.index.Find(line)
		return ok
	case *plru:
		return find(a.of(line), line) < int(a.ways)
	case *random:
		_, _, ok := a.at(line)
		return ok
	}
	panic("no such policy in the test")
}

func TestTable(t *testing.T) {
	m := randomTrace(rand.New(rand.NewPCG(1, 6)), 2, 500)
	results, err := analysis.Run(context.Background(), m, analysis.Options{}, &Analysis{
		Specs: parse(t, "L1d=1KiB/4/64B/random,LL=4KiB/8/64B/with-opt", "dtlb=4/full/4KiB"), Interleaved: true, Classify: true, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	full := results[0].Full
	if full.Rows() != 9 || full.Fact("cache_seed") != "7" {
		t.Errorf("%d rows, seed %s", full.Rows(), full.Fact("cache_seed"))
	}
	caches, _ := store.Data[string](full, "caches")
	opt, _ := store.Data[int64](full, "opt_misses")
	if len(caches) < 3 || caches[2] != "dtlb=4/full/4KiB" || opt[0] != -1 || opt[1] < 1 {
		t.Errorf("caches %v, opt %v", caches, opt)
	}
}

// Traces that leave nothing to count give zeros.
func TestNothing(t *testing.T) {
	event := trace.NewEvent(trace.Marker)
	for _, m := range []*trace.Memory{
		{Head: trace.Header{Procs: 0}},
		{Head: trace.Header{Procs: 2}},
		{Head: trace.Header{Procs: 1}, EventsOf: []trace.Events{{Rows: []trace.Event{event}}}},
	} {
		var texts []string
		for _, p := range policies() {
			texts = append(texts, "L1=1KiB/4/64B/"+p.Name)
		}
		for p, specs := range simulate(t, m, &Analysis{Specs: parse(t, texts...), Classify: true, Interleaved: true}) {
			for _, levels := range specs {
				if levels[0] != (Counts{}) {
					t.Errorf("processor %d: %+v", p, levels[0])
				}
			}
		}
	}
}
