package filter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/cache"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func parse(t testing.TB, text string) cache.Spec {
	t.Helper()
	s, err := cache.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// filtered is the trace beyond the caches, which is sound.
func filtered(t testing.TB, src trace.Source, caches string, writeBacks bool) (*store.Trace, Counts) {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "x")
	n, err := Write(context.Background(), src, prefix, Options{Spec: parse(t, caches), WriteBacks: writeBacks, Seed: 1, Tool: "test", Input: "digest"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := store.Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	if err := trace.Check(out); err != nil {
		t.Fatal(err)
	}
	return out, n
}

// level is what `analyze --run cache` counts at the level called name of the one description: by processor, hits
// and misses of loads, stores and fetches.
func level(t testing.TB, src trace.Source, caches, name string) (out []string) {
	t.Helper()
	a := &cache.Analysis{Specs: []cache.Spec{parse(t, caches)}, Seed: 1, Interleaved: true}
	results, err := analysis.Run(context.Background(), src, analysis.Options{}, a)
	if err != nil {
		t.Fatal(err)
	}
	names, err := store.Data[string](results[0].Full, "level")
	if err != nil {
		t.Fatal(err)
	}
	procs, _ := store.Data[int32](results[0].Full, "proc")
	for i, n := range names {
		if n != name {
			continue
		}
		row := fmt.Sprint("proc ", procs[i])
		for _, c := range []string{"load_hits", "load_misses", "store_hits", "store_misses", "ifetch_hits", "ifetch_misses"} {
			counts, err := store.Data[uint64](results[0].Full, c)
			if err != nil {
				t.Fatal(err)
			}
			row += fmt.Sprint(" ", c, " ", counts[i])
		}
		out = append(out, row)
	}
	return out
}

// random is a trace with all operations, barriers, and references across lines.
func random(r *rand.Rand, procs, length int) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: procs, HasPC: r.IntN(2) == 0, WorkUnit: trace.WorkInstr, Program: "p"}}
	for p := range procs {
		refs, events := trace.Refs{Proc: trace.Proc(p)}, trace.Events{Proc: trace.Proc(p)}
		if m.Head.HasPC {
			refs.PC = []uint64{}
		}
		at := uint64(0)
		for range 4 {
			last := at
			for range length / 4 {
				addr := r.Uint64N(1+r.Uint64N(1<<14)) + r.Uint64N(2)<<20
				instr := r.Uint32N(4)
				at += uint64(instr)
				refs.Append(instr, addr, uint16(1+r.IntN(40)), trace.Ops[r.IntN(len(trace.Ops))])
				if refs.PC != nil {
					refs.PC = append(refs.PC, r.Uint64())
				}
			}
			e := trace.NewEvent(trace.Barrier)
			e.Instr, e.Refs = uint32(at-last), uint64(refs.Len())
			events.Rows = append(events.Rows, e)
		}
		for range 3 { // hits at the end
			refs.Append(7, refs.Addr[refs.Len()-1], 1, trace.Load)
			if refs.PC != nil {
				refs.PC = append(refs.PC, 1)
			}
		}
		m.RefsOf, m.EventsOf = append(m.RefsOf, refs), append(m.EventsOf, events)
	}
	return m
}

// A level alone on what the levels before it let through has the hits and misses that it has
// with them on the whole.
func TestNextLevelIsThatOfTheWhole(t *testing.T) {
	for seed, c := range []struct{ first, next string }{
		{"L1d=1KiB/2/64B", "L2=4KiB/4/64B"},
		{"L1i=512B/1/32B,L1d=1KiB/full/32B", "L2=8KiB/8/128B"},
		{"L1=1KiB/2/16B/plru", "L2=2KiB/2/16B/fifo"},
		{"L1d=1KiB/4/64B/random", "L2=4KiB/4/64B"},
		{"L1d=1KiB/4/64B/write-through,L1i=1KiB/4/64B", "L2=4KiB/4/64B"},
		{"L1d=1KiB/4/64B/write-through/no-allocate,L1i=1KiB/4/64B", "L2=4KiB/4/64B"},
		{"L1d=512B/4/32B/no-allocate", "L2=4KiB/4/64B/no-allocate"},
		{"L1d=1KiB/2/64B,L2=2KiB/4/64B", "L3=8KiB/16/64B"},
		{"L1i=1KiB/2/64B,L1d=1KiB/2/64B,L2=2KiB/4/128B/inclusive", "L3=8KiB/16/128B"},
		{"L1i=1KiB/2/64B,L1d=1KiB/2/64B,L2=4KiB/4/64B/exclusive", "L3=8KiB/16/64B"},
	} {
		t.Run(c.first, func(t *testing.T) {
			m := random(rand.New(rand.NewPCG(uint64(seed), 1)), 3, 4000)
			if seed%2 == 0 {
				for p := range m.RefsOf {
					for i, op := range m.RefsOf[p].Op {
						if op == trace.Flush {
							m.RefsOf[p].Op[i] = trace.Prefetch
						}
					}
				}
			}
			name, _, _ := strings.Cut(c.next, "=")
			out, n := filtered(t, m, c.first, false)
			private := strings.ReplaceAll(c.first, ",", "/private,") + "/private"
			want := level(t, m, private+","+c.next, name)
			got := level(t, out, c.next, name)
			if strings.Contains(c.first, "random") || seed%2 != 0 { // processors that are simulated together have seeds of their own, and flush the lines of each other
				got[0] = want[0]
			}
			if !slices.Equal(got, want) || len(got) != 4 {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if n.WriteBacks != 0 {
				t.Errorf("%d write-backs", n.WriteBacks)
			}
		})
	}
}

// lru is a cache as written down: its sets, each the lines in order of their last use.
type lru struct {
	sets, ways uint64
	lines      map[uint64][]way
	counts     map[string]int
}

type way struct {
	line  uint64
	dirty bool
}

// use is whether it hits, and the dirty line that leaves, if any.
func (c *lru) use(line uint64, op trace.Op) (hit bool, dirty []uint64) {
	set := c.lines[line%c.sets]
	at := slices.IndexFunc(set, func(w way) bool { return w.line == line })
	entry := way{line, op == trace.Store}
	if hit = at >= 0; hit {
		entry.dirty = entry.dirty || set[at].dirty
		set = slices.Delete(set, at, at+1)
	} else if uint64(len(set)) == c.ways {
		if last := set[c.ways-1]; last.dirty {
			dirty = append(dirty, last.line)
		}
		set = set[:c.ways-1]
	}
	c.lines[line%c.sets] = slices.Insert(set, 0, entry)
	c.counts[fmt.Sprint(op.String(), hit)]++
	return hit, dirty
}

// drop removes a line, and reports whether it was dirty.
func (c *lru) drop(line uint64) (dirty bool) {
	set := c.lines[line%c.sets]
	at := slices.IndexFunc(set, func(w way) bool { return w.line == line })
	if at < 0 {
		return false
	}
	dirty = set[at].dirty
	c.lines[line%c.sets] = slices.Delete(set, at, at+1)
	return dirty
}

func newLRU(sets, ways uint64) *lru {
	return &lru{sets, ways, map[uint64][]way{}, map[string]int{}}
}

// expected is what goes beyond caches of sets by ways lines of 64 bytes for data and, perhaps, for fetches: each at its
// position.
type expected struct {
	time uint64
	cache.NextLevelRef
	pc uint64
}

func expect(t testing.TB, src trace.Source, p trace.Proc, sets, ways uint64, fetches, writeBacks bool) (out []expected) {
	t.Helper()
	caches := map[bool]*lru{false: newLRU(sets, ways), true: newLRU(sets, ways)}
	for piece, err := range analysis.Program(src, p) {
		if err != nil {
			t.Fatal(err)
		}
		at := uint64(piece.Time)
		for _, n := range piece.Refs.Instr {
			at -= uint64(n)
		}
		r := &piece.Refs
		for i, addr := range r.Addr {
			at += uint64(r.Instr[i])
			e := expected{time: at, NextLevelRef: cache.NextLevelRef{Addr: addr, Size: r.Size[i], Op: r.Op[i]}}
			if r.PC != nil {
				e.pc = r.PC[i]
			}
			switch op := r.Op[i]; {
			case op == trace.Flush:
				flush := e
				for line := addr / 64; line <= (addr+uint64(r.Size[i])-1)/64; line++ {
					caches[true].drop(line)
					if e.NextLevelRef = (cache.NextLevelRef{Addr: line * 64, Size: 64, Op: trace.Store}); caches[false].drop(line) && writeBacks {
						out = append(out, e)
					}
				}
				out = append(out, flush)
			case op == trace.Prefetch:
				for line := addr / 64; line <= (addr+uint64(r.Size[i])-1)/64; line++ {
					hit, dirty := caches[false].use(line, trace.Load)
					for _, d := range dirty {
						if e.NextLevelRef = (cache.NextLevelRef{Addr: d * 64, Size: 64, Op: trace.Store}); writeBacks {
							out = append(out, e)
						}
					}
					if e.NextLevelRef = (cache.NextLevelRef{Addr: line * 64, Size: 64, Op: op}); !hit {
						out = append(out, e)
					}
				}
			case op.Data() || op == trace.Ifetch && fetches:
				for line := addr / 64; line <= (addr+uint64(r.Size[i])-1)/64; line++ {
					hit, dirty := caches[op == trace.Ifetch].use(line, op)
					for _, d := range dirty {
						if e.NextLevelRef = (cache.NextLevelRef{Addr: d * 64, Size: 64, Op: trace.Store}); writeBacks {
							out = append(out, e)
						}
					}
					if e.NextLevelRef = (cache.NextLevelRef{Addr: line * 64, Size: 64, Op: op}); !hit {
						out = append(out, e)
					}
				}
			}
		}
	}
	return out
}

// rows is the references of a processor with the times at which they end.
func rows(t testing.TB, src trace.Source, p trace.Proc) (out []expected) {
	t.Helper()
	for piece, err := range analysis.Program(src, p) {
		if err != nil {
			t.Fatal(err)
		}
		at := uint64(piece.Time)
		for _, n := range piece.Refs.Instr {
			at -= uint64(n)
		}
		for i, addr := range piece.Refs.Addr {
			if n := piece.Refs.Instr[i]; n == math.MaxUint32 && i == 0 {
				at = uint64(piece.Time) // a full one: the events have the position
				for _, n := range piece.Refs.Instr[1:] {
					at -= uint64(n)
				}
			} else {
				at += uint64(n)
			}
			e := expected{time: at, NextLevelRef: cache.NextLevelRef{Addr: addr, Size: piece.Refs.Size[i], Op: piece.Refs.Op[i]}}
			if piece.Refs.PC != nil {
				e.pc = piece.Refs.PC[i]
			}
			out = append(out, e)
		}
	}
	return out
}

// happened is the events of a processor at their times, those added left out, and when it ends.
func happened(t testing.TB, src trace.Source, p trace.Proc) (out []string) {
	t.Helper()
	end := uint64(0)
	for piece, err := range analysis.Program(src, p) {
		if err != nil {
			t.Fatal(err)
		}
		end = uint64(piece.Time)
		if e := piece.Event; e != nil && (e.Kind != trace.Compute || e.Work > 0) {
			out = append(out, fmt.Sprint(end, e.Kind, e.Work, len(e.Needs)))
		}
	}
	return append(out, fmt.Sprint("ends ", end))
}

func check(t testing.TB, src trace.Source, sets, ways uint64, fetches, writeBacks bool) {
	t.Helper()
	size := fmt.Sprintf("=%dB/%d/64B", 64*sets*ways, ways)
	spec := "L1d" + size
	if fetches {
		spec += ",L1i" + size
	}
	out, n := filtered(t, src, spec, writeBacks)
	total, stores := 0, uint64(0)
	for p := range trace.Proc(src.Header().Procs) {
		want := expect(t, src, p, sets, ways, fetches, writeBacks)
		if got := rows(t, out, p); !slices.Equal(got, want) {
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			t.Fatalf("%s: processor %d: %d references, want %d; from the %d-th on got %v, want %v", spec, p, len(got), len(want), i, got[i:min(len(got), i+3)], want[i:min(len(want), i+3)])
		}
		total += len(want)
		stores += uint64(len(want) - len(expect(t, src, p, sets, ways, fetches, false)))
		if got, want := happened(t, out, p), happened(t, src, p); !slices.Equal(got, want) {
			t.Fatalf("%s: processor %d: got %v, want %v", spec, p, got, want)
		}
	}
	if n.Written != uint64(total) || n.WriteBacks != stores {
		t.Errorf("%s: %+v, want %d of which %d write-backs", spec, n, total, stores)
	}
}

// References, write-backs, positions and events are those of caches as written down.
func TestWhatGoesOn(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 2))
		check(t, random(r, 1+r.IntN(3), 3000).InBatches(1+r.IntN(2000)), 1<<r.IntN(4), 1+r.Uint64N(5), seed%2 == 0, seed%4 < 2)
	}
}

// A cache beyond, for which write-backs are uses, is that of the whole when they are.
func TestWriteBacksAreUses(t *testing.T) {
	m := random(rand.New(rand.NewPCG(1, 3)), 1, 6000)
	for i, op := range m.RefsOf[0].Op {
		if op.Moves() {
			m.RefsOf[0].Op[i] = trace.Ifetch
		}
	}
	out, n := filtered(t, m, "L1d=1KiB/2/64B", true)
	first, second := newLRU(8, 2), newLRU(16, 4)
	writeBacks := uint64(0)
	for i, addr := range m.RefsOf[0].Addr {
		op := m.RefsOf[0].Op[i]
		for line := addr / 64; op.Data() && line <= (addr+uint64(m.RefsOf[0].Size[i])-1)/64; line++ {
			hit, dirty := first.use(line, op)
			for _, d := range dirty {
				writeBacks++
				second.use(d, trace.Store)
			}
			if !hit {
				second.use(line, op)
			}
		}
	}
	c := second.counts
	want := fmt.Sprint("proc 0 load_hits ", c["loadtrue"], " load_misses ", c["loadfalse"], " store_hits ", c["storetrue"],
		" store_misses ", c["storefalse"], " ifetch_hits 0 ifetch_misses 0")
	if got := level(t, out, "L2=4KiB/4/64B", "L2"); len(got) != 1 || got[0] != want || n.WriteBacks != writeBacks || writeBacks == 0 {
		t.Errorf("%d write-backs, want %d; got %v, want %s", n.WriteBacks, writeBacks, got, want)
	}
}

// What Instr cannot hold goes into events, whose rows others need by number.
func TestLongGaps(t *testing.T) {
	for _, work := range []trace.WorkUnit{trace.WorkInstr, trace.WorkPicos} {
		m := &trace.Memory{Head: trace.Header{Procs: 2, WorkUnit: work, HasTime: true}, RefsOf: make([]trace.Refs, 2), EventsOf: make([]trace.Events, 2)}
		for p := range m.RefsOf {
			refs, events := &m.RefsOf[p], &m.EventsOf[p]
			refs.Proc, events.Proc = trace.Proc(p), trace.Proc(p)
			at, last := uint64(0), uint64(0)
			event := func(e trace.Event) {
				e.Instr, e.Refs, e.Time = uint32(at-last), uint64(refs.Len()), int64(len(events.Rows))
				last = at
				events.Rows = append(events.Rows, e)
			}
			for i := range 40 {
				if i%3 == p {
					burst := trace.NewEvent(trace.Compute)
					burst.Work = 1000
					if i > 2 {
						burst.Needs = []int64{0, int64(len(events.Rows) - 1)}
					}
					event(burst)
				}
				for range 3 { // all but a few hit
					refs.Append(math.MaxUint32-5, uint64(i/13)*64, 8, trace.Store)
					at += math.MaxUint32 - 5
					event(trace.NewEvent(trace.Marker))
				}
			}
		}
		check(t, m, 1, 1, false, true)
		check(t, m, 1, 8, true, false)
	}
}

// The last line of the address space, references that wrap lines, no references at all.
func TestEdges(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 3}, RefsOf: make([]trace.Refs, 2), EventsOf: make([]trace.Events, 3)}
	m.RefsOf[1].Proc = 1
	for p := range m.EventsOf {
		m.EventsOf[p].Proc = trace.Proc(p)
	}
	m.EventsOf[2].Rows = []trace.Event{trace.NewEvent(trace.Marker)}
	check(t, m, 2, 1, true, true)
	for range 3 {
		m.RefsOf[1].Append(0, math.MaxUint64, 1, trace.Store)
		m.RefsOf[1].Append(9, math.MaxUint64-63, 64, trace.Ifetch)
		m.RefsOf[1].Append(1, 60, 500, trace.Load)
		m.RefsOf[1].Append(1, 0, 1, trace.Store)
	}
	out, _ := filtered(t, m, "L1=64B/1/64B", true)
	// In each round 1 store, 9 loads with the write-back of what was stored, 1 store, which the next round writes back.
	for p, want := range []int{0, 3*(1+9+1+1) + 2, 0} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if got := len(rows(t, out, trace.Proc(p))); got != want {
				t.Errorf("processor %d: %d references, want %d", p, got, want)
			}
		})
	}
}

func TestHeader(t *testing.T) {
	m := random(rand.New(rand.NewPCG(1, 4)), 1, 100)
	out, _ := filtered(t, m, "L1d=1KiB/2/64B/random", false)
	h := out.Header()
	if h.Title() != "p filter=L1d=1KiB/2/64B/random" || h.Tool != "test" || !slices.Equal(h.Inputs, []string{"digest"}) {
		t.Errorf("%+v", h)
	}
	for _, want := range []string{"filtered: what misses L1d=1KiB/2/64B/random of each processor, in whole lines, without write-backs", "references of kind ifetch are left out: no cache serves them"} {
		if !slices.ContainsFunc(h.Notes, func(n string) bool { return strings.Contains(n, want) }) {
			t.Errorf("notes %v lack %q", h.Notes, want)
		}
	}
}

func TestWhatCannotFilter(t *testing.T) {
	for text, want := range map[string]string{
		"dtlb=64/4/4KiB":                  "dtlb: a TLB does not filter references",
		"L1=1KiB/1/64B,L2=4KiB/1/64B/opt": "L2: opt knows its evictions",
		"L1=1KiB/1/64B/with-opt":          "L1: opt knows its evictions",
		"L1=1MiB/1/64KiB":                 "L1: lines of 64KiB are larger",
	} {
		t.Run(text, func(t *testing.T) {
			if _, err := cache.NewFilter(parse(t, text), true, 1); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// The same trace gives the same bytes, whatever its batches.
func TestBytes(t *testing.T) {
	m := random(rand.New(rand.NewPCG(1, 5)), 2, 9000)
	var first []byte
	for _, n := range []int{0, 1, 100, 5000} {
		prefix := filepath.Join(t.TempDir(), "x")
		if _, err := Write(context.Background(), m.InBatches(n), prefix, Options{Spec: parse(t, "L1d=1KiB/2/64B"), WriteBacks: true}); err != nil {
			t.Fatal(err)
		}
		refs, err1 := os.ReadFile(prefix + store.RefsSuffix)
		events, err2 := os.ReadFile(prefix + store.EventsSuffix)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		both := append(refs, events...)
		if first == nil {
			first = both
		} else if !bytes.Equal(first, both) {
			t.Errorf("batches of %d give other bytes", n)
		}
	}
}

// An interrupt leaves nothing behind.
func TestInterrupt(t *testing.T) {
	m := random(rand.New(rand.NewPCG(1, 6)), 2, 9000)
	ctx, cancel := context.WithCancel(context.Background())
	dir := t.TempDir()
	o := Options{Spec: parse(t, "L1d=1KiB/2/64B"), Progress: func(int) { cancel() }}
	if _, err := Write(ctx, m, filepath.Join(dir, "x"), o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Error(files, err)
	}
}

func FuzzWhatGoesOn(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 128, 129, 1, 0}, uint8(2), uint8(1))
	f.Add([]byte("\xdf\x07\xc8\xc8\xc8\xc8\xc8\x00\x10\xc8\xc8\xc8\x01"), uint8(0), uint8(3))
	f.Add([]byte("the quick brown fox jumps over the lazy dog"), uint8(1), uint8(7))
	f.Fuzz(func(t *testing.T, data []byte, shape, flags uint8) {
		m := &trace.Memory{Head: trace.Header{Procs: 1, WorkUnit: trace.WorkInstr}, RefsOf: make([]trace.Refs, 1), EventsOf: make([]trace.Events, 1)}
		at, last := uint64(0), uint64(0)
		for i, b := range data[:min(len(data), 1<<10)] {
			instr := uint32(b & 7)
			if b == 200 {
				instr = math.MaxUint32 - 1
			}
			m.RefsOf[0].Append(instr, uint64(b)*16, uint16(1+b&31), trace.Ops[i*7%5])
			at += uint64(instr)
			if b&3 == 3 && at-last < math.MaxUint32 {
				e := trace.NewEvent(trace.Compute)
				e.Instr, e.Refs, e.Work = uint32(at-last), uint64(i+1), 7
				last = at
				m.EventsOf[0].Rows = append(m.EventsOf[0].Rows, e)
			}
		}
		check(t, m, 1<<(shape&3), 1+uint64(shape>>2&3), flags&1 != 0, flags&2 != 0)
	})
}
