package sharing

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	finite "spoor/analyze/phases"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// script makes a trace of references such as "0L8", processor 0 loads the word at address 8, in that order.
func script(t *testing.T, procs int, text string) *trace.Memory {
	t.Helper()
	m := &trace.Memory{Head: trace.Header{Procs: procs}, RefsOf: make([]trace.Refs, procs)}
	last := make([]int, procs)
	for p := range procs {
		m.RefsOf[p].Proc = trace.Proc(p)
	}
	for i, field := range strings.Fields(text) {
		var p int
		var op rune
		var addr uint64
		if _, err := fmt.Sscanf(field, "%d%c%d", &p, &op, &addr); err != nil {
			t.Fatal(field, err)
		}
		m.RefsOf[p].Append(uint32(i+1-last[p]), addr, 8, map[rune]trace.Op{'L': trace.Load, 'S': trace.Store, 'P': trace.Prefetch, 'F': trace.Flush}[op])
		last[p] = i + 1
	}
	return m
}

// sum is what all processors do with all arrays.
func (s *simulation) sum() (sum counts) {
	for p := range s.phases.at {
		c := s.total(p)
		sum.add(&c)
	}
	return sum
}

// Lines of 64 bytes: words 0, 8 and 16 are in one, 64 is in another.
func TestHandWorked(t *testing.T) {
	for _, c := range []struct {
		name, script                                        string
		pure, coldTrue, coldFalse, trues, falses, up, quiet uint64
	}{
		{"private", "0L0 0S0 0L0 0S8", 1, 0, 0, 0, 0, 0, 1},
		{"read by both", "0L0 1L0 0L8 1L8", 2, 0, 0, 0, 0, 0, 0},
		{"1 gets what 0 stored", "0S0 1L0", 1, 1, 0, 0, 0, 0, 0},
		{"1 never looks at it", "0S0 1L8", 1, 0, 1, 0, 0, 0, 0},
		{"0's store removes 1's copy, and 1 reads the new value", "0L0 1L0 0S0 1L0", 2, 0, 0, 1, 0, 1, 0},
		{"the same, but 1 reads its neighbour", "0L0 1L8 0S0 1L8", 2, 0, 0, 0, 1, 1, 0},
		{"1 misses by the neighbour, and then does read the value: true, though the word that missed was not stored",
			"0L0 1L8 0S0 1L8 1L0", 2, 0, 0, 1, 0, 1, 0},
		{"two counters in one line: stores miss in turn and nothing is communicated",
			"0S0 1S8 0S0 1S8 0S0 1S8", 1, 0, 1, 0, 4, 0, 0},
		{"two counters in two lines", "0S0 1S64 0S0 1S64", 2, 0, 0, 0, 0, 0, 0},
		{"one counter: to store over it is to access it", "0S0 1S0 0S0 1S0", 1, 1, 0, 2, 0, 0, 0},
		// 1 misses three times. The second is for nothing, and what 0 stored before it is still news
		// at the third: since the last essential miss, not since the last miss.
		{"news outlive a useless miss", "0L0 1L16 0S0 1L16 0S8 1L16 1L0", 2, 0, 0, 1, 1, 2, 0},
		// Here the second is essential: it brings both words, and the third brings nothing that 1 looks at.
		{"an essential miss brings the whole line", "0L0 1L16 0S0 0S8 1L0 0S16 1L8", 2, 0, 0, 1, 1, 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := measure(script(t, 2, c.script), &Analysis{Lines: []unit.Bytes{64}})
			if err != nil {
				t.Fatal(err)
			}
			got := s.sims[0].sum()
			want := got
			want.pure, want.coldTrue, want.coldFalse, want.trues, want.falses, want.upgrades, want.silent = c.pure, c.coldTrue, c.coldFalse, c.trues, c.falses, c.up, c.quiet
			if got != want {
				t.Errorf("%s (%s): got %+v, want %+v", c.name, c.script, got, want)
			}
		})
	}
}

// A flush removes all copies, and a prefetch brings one without a use.
func TestHandWorkedMoves(t *testing.T) {
	for _, c := range []struct {
		name, script                       string
		cold, trues, falses, flushed, fill uint64
		fromMemory                         uint64 // lines
	}{
		{"a get after a delete", "0S0 0L0 0F0 0L0", 1, 0, 0, 1, 0, 2},
		{"a flush and a prefetch", "0L0 0F0 0L0 0P64 0L64", 1, 0, 0, 1, 1, 3},
		{"a flush of a line that nobody has", "0F0 0L0 0F0 0F0 0L0", 1, 0, 0, 1, 0, 2},
		{"1 flushes the copies of all", "0L0 1L0 1F0 0L0 1L0", 2, 0, 0, 2, 0, 4},
		{"the store after the flush comes from memory, the next load from its cache", "0S0 1F0 0S0 1L0", 2, 0, 0, 1, 0, 2},
		{"a flush miss, although 1 stores between", "0L0 0F0 1S0 0L0", 2, 0, 0, 1, 0, 2},
		{"the copy that 1's store removed is not flushed", "0L0 1S0 0F0 0L0", 2, 1, 0, 0, 0, 3},
		{"a flush miss is essential: what 0 stored before it is no news later", "0L0 1L16 0S0 1L16 1F0 1L16 0S8 1L0", 2, 0, 2, 2, 0, 4},
		{"a prefetch that 1's store makes useless", "0P0 1S0 0L0", 1, 1, 0, 0, 1, 2},
		{"the same with another word", "0P0 1S0 0L8", 1, 0, 1, 0, 1, 2},
		{"a prefetched line that is flushed", "0P0 0F0 0L0", 0, 0, 0, 1, 1, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := script(t, 2, c.script)
			s, err := measure(m, &Analysis{Lines: []unit.Bytes{64}})
			if err != nil {
				t.Fatal(err)
			}
			sim := s.sims[0]
			n := sim.sum()
			lines := sim.matrix.memory[0].lines + sim.matrix.memory[1].lines
			if n.cold() != c.cold || n.trues != c.trues || n.falses != c.falses || n.flushed != c.flushed || n.fills != c.fill || lines != c.fromMemory {
				t.Errorf("%s (%s): got %+v, %d lines from memory", c.name, c.script, n, lines)
			}
			if err := compare(m, &Analysis{Lines: []unit.Bytes{64}}); err != nil {
				t.Errorf("%v", err)
			}
		})
	}
}

// Runs go on over flushes and prefetches, and a processor that only prefetches a line does not share it.
func TestMovesEndNoRuns(t *testing.T) {
	for _, c := range []struct{ script, write, read string }{
		{"0S0 0F0 0S0 1L0", "2", "1"},
		{"0S0 1P0 0S0 1L0", "2", "1"},
		{"0L0 0F0 0L0 1S0", "1", "2"},
		{"0L0 0F0 1S0 0L0", "1", "1 1"},
		{"0S0 1P0 0S0 0F0 0L0", "", ""},
	} {
		t.Run(c.script, func(t *testing.T) {
			s, err := measure(script(t, 2, c.script), &Analysis{Lines: []unit.Bytes{64}})
			if err != nil {
				t.Fatal(err)
			}
			for kind, want := range map[int]string{writeRun: c.write, readRun: c.read} {
				if got := lengths(s.sims[0], kind); got != want {
					t.Errorf("%s runs of %v, want %s", runNames[kind], got, want)
				}
			}
		})
	}
}

// lengths returns the lengths of the runs of a kind, from the shortest.
func lengths(sim *simulation, kind int) string {
	var got []string
	for length, n := range sim.runs[kind].exact {
		for range n {
			got = append(got, fmt.Sprint(length))
		}
	}
	return strings.Join(got, " ")
}

func TestHandWorkedRunsAndKinds(t *testing.T) {
	for _, c := range []struct {
		name, script             string
		kind                     pattern
		users, writers           int32
		write, read, invalidated string
	}{
		{"private", "0L0 0S0 0S0", private, 1, 1, "", "", ""},
		{"read-only", "0L0 1L0 0L8 0L8 2L0", readOnly, 3, 0, "", "1 1 3", ""},
		{"initialised", "0S0 0S8 1L0 2L0 1L0", initialised, 3, 1, "2", "1 2", ""},
		{"producer-consumer", "0S0 0S0 1L0 0S0 1L0 1L0 2L0 0S0", producerConsumer, 3, 1, "1 1 2", "1 1 2", "1 2"},
		{"migratory", "0L0 0S0 1L0 1S0 2L0 2S0 0L0 0S0", migratory, 3, 3, "1 1 1 1", "1 1 1 1", "1 1 1"},
		{"read-write", "0S0 1L0 2L0 1S0 0L0 2L0 2S0", readWrite, 3, 3, "1 1 1", "1 1 1 1", "2 2"},
		{"one store like a producer's, one that migrates: neither are most", "0S0 1L0 0S0 1S0", readWrite, 2, 2, "1 1 1", "1", "1 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := measure(script(t, 3, c.script), &Analysis{Lines: []unit.Bytes{64}})
			if err != nil {
				t.Fatal(err)
			}
			sim := s.sims[0]
			n := sim.kinds[kindKey{outside, c.kind, c.users, c.writers}]
			if len(sim.kinds) != 1 || n.lines != 1 || n.uses != uint64(len(strings.Fields(c.script))) {
				t.Errorf("%v", sim.kinds)
			}
			for kind, want := range [...]string{writeRun: c.write, readRun: c.read, invalidatedRun: c.invalidated} {
				t.Run(want, func(t *testing.T) {
					if got := lengths(sim, kind); got != want {
						t.Errorf("%s runs of %v, want %s", runNames[kind], got, want)
					}
				})
			}
		})
	}
}

// counters is processors that each load and store a counter of their own, stride bytes wordCounters, in turn.
func counters(procs, rounds int, stride uint64) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: procs}, RefsOf: make([]trace.Refs, procs)}
	m.Head.Regions = []trace.Region{
		{Name: "other", Owner: trace.Everyone, Base: 0, Bytes: 4096},
		{Name: "counters", Owner: trace.Everyone, Base: 4096, Bytes: uint64(procs) * stride}}
	for p := range procs {
		m.RefsOf[p].Proc = trace.Proc(p)
		for i := range rounds {
			addr, wait := 4096+uint64(p)*stride, 2*procs-1
			if i == 0 {
				wait = 1 + 2*p
			}
			m.RefsOf[p].Append(uint32(wait), addr, 8, trace.Load)
			m.RefsOf[p].Append(1, addr, 8, trace.Store)
		}
	}
	return m
}

// Padded counters cost nothing but their cold misses; in one line, each round costs
// each processor a miss, and the summary says where.
func TestCountersPaddedAndNot(t *testing.T) {
	const procs, rounds = 8, 50
	for stride, want := range map[uint64]uint64{64: 0, 8: procs * (rounds - 1)} {
		m := counters(procs, rounds, stride)
		r, err := analysis.Run(context.Background(), m, analysis.Options{}, &Analysis{Lines: []unit.Bytes{64}})
		if err != nil {
			t.Fatal(err)
		}
		arrays, _ := store.Data[string](r[0].Summary, "array")
		falses, _ := store.Data[uint64](r[0].Summary, "false_sharing")
		trues, _ := store.Data[uint64](r[0].Summary, "true_sharing")
		cold, _ := store.Data[uint64](r[0].Summary, "cold")
		words, _ := store.Data[float64](r[0].Summary, "shared_words")
		if !slices.Equal(arrays, []string{allArrays, "counters"}) || falses[1] != want || trues[1] != 0 || cold[1] != procs || words[1] != 0 {
			t.Errorf("%d bytes wordCounters: arrays %v, false %v, true %v, cold %v, shared words %v; want false %d", stride, arrays, falses, trues, cold, words, want)
		}
	}
}

func TestLaws(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 4))
		procs := 1 + r.IntN(6)
		m := randomTrace(r, procs, 2, 200)
		s, err := measure(m, &Analysis{Lines: []unit.Bytes{8, 64, 256}})
		if err != nil {
			t.Fatal(err)
		}
		for _, sim := range s.sims {
			sum := sim.sum()
			var lines, distinct uint64
			for from := int32(-1); int(from) < procs; from++ {
				for to := range procs {
					lines += sim.matrix.get(from, int32(to)).lines
				}
			}
			for k, n := range sim.kinds {
				distinct += n.lines * uint64(k.users)
			}
			if lines != sum.misses()+sum.fills || distinct < sum.cold() || distinct != sum.cold() && sum.fills == 0 || sum.sharedUses > sum.uses() || sum.sharedWords > sum.words {
				t.Errorf("seed %d, lines of %v: %d lines moved, %d pairs of line and user: %+v", seed, sim.line, lines, distinct, sum)
			}
			if sim.line == sim.word && sum.falses != 0 {
				t.Errorf("seed %d: false sharing in lines of one word: %+v", seed, sum)
			}
			if procs == 1 && (sum.sharedUses+sum.sharedWords+sum.trues+sum.falses+sum.upgrades != 0 || sim.runs != runs{}) {
				t.Errorf("seed %d: one processor shares: %+v", seed, sum)
			}
			if sim.line == 8 && sum.words != sum.uses() {
				t.Errorf("seed %d: %d words in %d uses of lines of one word", seed, sum.words, sum.uses())
			}
		}
		if a, b := s.sims[0].sum(), s.sims[1].sum(); a.words != b.words || a.sharedWords != b.sharedWords {
			t.Errorf("seed %d: words depend on lines: %+v, %+v", seed, a, b)
		}
	}
}

// Names of processors change nothing but the names, if they never come at the same time.
func TestPermutedProcessors(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	const procs = 5
	order := r.Perm(procs)
	m := &trace.Memory{Head: trace.Header{Procs: procs}, RefsOf: make([]trace.Refs, procs)}
	other := &trace.Memory{Head: m.Head, RefsOf: make([]trace.Refs, procs)}
	for p := range procs {
		refs := trace.Refs{Proc: trace.Proc(p)}
		for i := range 300 {
			instr := uint32(procs * (1 + r.IntN(4)))
			if i == 0 {
				instr = uint32(1 + p)
			}
			refs.Append(instr, r.Uint64N(300), 4, trace.Load+trace.Op(r.IntN(2)))
		}
		m.RefsOf[p] = refs
		refs.Proc = trace.Proc(order[p])
		other.RefsOf[order[p]] = refs
	}
	a := &Analysis{Lines: []unit.Bytes{32}}
	x, err1 := measure(m, a)
	y, err2 := measure(other, a)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	s, u := x.sims[0], y.sims[0]
	for p := range int32(procs) {
		if got, want := u.total(order[p]), s.total(int(p)); got != want {
			t.Errorf("processor %d is now %d: got %+v, want %+v", p, order[p], got, want)
		}
		for q := range int32(procs) {
			if got, want := u.matrix.get(int32(order[p]), int32(order[q])), s.matrix.get(p, q); got != want || p != q && want.lines == 0 {
				t.Errorf("from %d to %d: got %+v, want %+v", p, q, got, want)
			}
		}
	}
	if s.runs != u.runs {
		t.Errorf("runs differ: %v, %v", s.runs, u.runs)
	}
}

// Package phases counts the same where nothing is evicted.
func TestPhasesAgree(t *testing.T) {
	for seed := range uint64(5) {
		m := randomTrace(rand.New(rand.NewPCG(seed, 6)), 4, 3, 300)
		m.Head.Regions = nil
		const sets = 1 << 12
		results, err := analysis.Run(context.Background(), m, analysis.Options{}, &finite.Analysis{Lines: []unit.Bytes{32}, Sets: []int64{sets}})
		if err != nil {
			t.Fatal(err)
		}
		profile, err := finite.Load(results[0].Full, 32)
		if err != nil {
			t.Fatal(err)
		}
		s, err := measure(m, &Analysis{Lines: []unit.Bytes{32}})
		if err != nil {
			t.Fatal(err)
		}
		for p := range 4 {
			var want finite.Counts
			for phase := range profile.Windows {
				c, err := profile.Counts(trace.Proc(p), phase, sets, finite.MaxWays)
				if err != nil {
					t.Fatal(err)
				}
				want.Loads += c.Loads
				want.Stores += c.Stores
				want.LoadMisses += c.LoadMisses + c.StoreMisses
				want.Upgrades += c.Upgrades
			}
			got := s.sims[0].total(p)
			if got.loads != want.Loads || got.stores != want.Stores || got.misses() != want.LoadMisses || got.upgrades+got.silent != want.Upgrades {
				t.Errorf("seed %d, processor %d: got %+v, phases has %+v", seed, p, got, want)
			}
		}
	}
}

func TestOddTraces(t *testing.T) {
	top := &trace.Memory{Head: trace.Header{Procs: 2, Regions: []trace.Region{{Name: "top", Base: math.MaxUint64 - 9, Bytes: math.MaxUint64}}}, RefsOf: make([]trace.Refs, 2)}
	top.RefsOf[1].Proc = 1
	for p := range top.RefsOf {
		top.RefsOf[p].Append(1, math.MaxUint64-99, 100, trace.Store)
		top.RefsOf[p].Append(1, math.MaxUint64, 1, trace.Load)
		top.RefsOf[p].Append(1, 0, math.MaxUint16, trace.Load)
	}
	barrier := trace.NewEvent(trace.Barrier)
	events := &trace.Memory{Head: trace.Header{Procs: 1}, EventsOf: []trace.Events{{Rows: []trace.Event{barrier, barrier}}}}
	fetches := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: []trace.Refs{{Instr: []uint32{1}, Addr: []uint64{5}, Size: []uint16{4}, Op: []trace.Op{trace.Ifetch}}}}
	for name, m := range map[string]*trace.Memory{"top of memory": top, "events alone": events, "no data": fetches,
		"nothing": {Head: trace.Header{Procs: 3}}, "one line": script(t, 1, "0L0 0L0"), "all cold": script(t, 2, "0L0 0L64 1L128")} {
		t.Run(name, func(t *testing.T) {
			a := &Analysis{Lines: []unit.Bytes{1, 64, 1 << 16}, Word: 4}
			results, err := analysis.Run(context.Background(), m, analysis.Options{}, a)
			if err != nil {
				t.Errorf("%v", err)
				return
			}
			noData := name == "events alone" || name == "no data" || name == "nothing"
			if (len(results[0].Warnings) == 1) != noData {
				t.Errorf("warnings %v", results[0].Warnings)
			}
			for _, table := range append(results[0].Tables, results[0].Summary) {
				for _, c := range table.Columns {
					for _, x := range floats(c.Data) {
						if math.IsNaN(x) || math.IsInf(x, 0) {
							t.Errorf("%s of %s is %v", c.Name, table.Name, c.Data)
						}
					}
				}
			}
		})
	}
	if err := compare(script(t, 2, "0S0 1L0 1S8 0L8"), &Analysis{Lines: []unit.Bytes{64}}); err != nil {
		t.Error(err)
	}
	if _, err := (&Analysis{}).Merge(nil); err == nil {
		t.Error("no processors")
	}
}

func floats(data any) []float64 {
	f, _ := data.([]float64)
	return f
}

func TestHistogram(t *testing.T) {
	var h histogram
	for _, n := range []uint64{0, 1, 64, 65, 128, 129, math.MaxUint64} {
		h.add(n)
	}
	if h.exact[0] != 0 || h.exact[1] != 1 || h.exact[64] != 1 || h.longer[7].runs != 2 || h.longer[7].sum != 193 || h.longer[8].runs != 1 || h.longer[64].runs != 1 {
		t.Error(h)
	}
}

func TestRegions(t *testing.T) {
	list := []trace.Region{{Name: "a", Base: 10, Bytes: 90}, {Name: "b", Base: 20, Bytes: 20}, {Name: "c", Base: 30, Bytes: 30},
		{Name: "b", Base: 100, Bytes: 5}, {Name: "empty", Base: 200}, {Name: "a", Owner: 1, Base: 20, Bytes: 5}, {Name: "end", Base: math.MaxUint64 - 1, Bytes: 9}}
	r := newRegions(list)
	o := &oracle{list: list, names: r.names}
	for _, addr := range []uint64{math.MaxUint64, math.MaxUint64 - 1, math.MaxUint64 - 2, 0} {
		t.Run(fmt.Sprint(addr), func(t *testing.T) {
			if got, want := r.at(addr), o.region(addr); got != want {
				t.Errorf("%d is in %d, want %d", addr, got, want)
			}
		})
	}
	for first := range uint64(120) {
		if got, want := r.at(first), o.region(first); got != want {
			t.Errorf("%d is in %d, want %d", first, got, want)
		}
		want := o.region(first)
		for a := first; a < first+8; a++ {
			if o.region(a) != want {
				want = mixed
				break
			}
		}
		if got := r.within(first, first+7); got != want {
			t.Errorf("%d to %d is in %d, want %d", first, first+7, got, want)
		}
	}
}
