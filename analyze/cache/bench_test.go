package cache

import (
	"math/rand/v2"
	"testing"

	"spoor/traces/trace"
)

// textbook is one LRU cache as one would write it: ways with a time of last use.
type textbook struct {
	shift, sets uint64
	ways        [][]textbookWay
	now         uint64
	misses      uint64
}

type textbookWay struct {
	line, used uint64
	dirty      bool
}

func newTextbook(sets, ways int) *textbook {
	t := &textbook{shift: 6, sets: uint64(sets)}
	for range sets {
		t.ways = append(t.ways, make([]textbookWay, ways))
	}
	return t
}

func (t *textbook) use(addr uint64, dirty bool) (hit bool) {
	line := addr >> t.shift
	set := t.ways[line%t.sets]
	oldest := 0
	t.now++
	for i := range set {
		if set[i].line == line && set[i].used > 0 {
			set[i].used, set[i].dirty = t.now, set[i].dirty || dirty
			return true
		}
		if set[i].used < set[oldest].used {
			oldest = i
		}
	}
	t.misses++
	set[oldest] = textbookWay{line, t.now, dirty}
	return false
}

func benchRefs(n int, addr func(i int) uint64) *trace.Refs {
	r := rand.New(rand.NewPCG(1, 1))
	var refs trace.Refs
	for i := range n {
		refs.Append(1, addr(i), 8, trace.Op(1+r.IntN(4)/3)) // a quarter is stores
	}
	return &refs
}

// matmul is the naive product of two n by n matrices of doubles.
func matmul(n int) *trace.Refs {
	size := n*n*8 + 4096
	return benchRefs(3*n*n*n, func(at int) uint64 {
		i, j, k := at/3/n/n, at/3/n%n, at/3%n
		return uint64([]int{(i*n + k) * 8, size + (k*n+j)*8, 2*size + (i*n+j)*8}[at%3])
	})
}

// BenchmarkCache is references in memory on one core, beside the textbook's cache.
func BenchmarkCache(b *testing.B) {
	r := rand.New(rand.NewPCG(2, 2))
	const many = 10_000_000
	for _, data := range []struct {
		name string
		refs func(*testing.B) *trace.Refs
	}{
		{"uniform64KiB", func(*testing.B) *trace.Refs {
			return benchRefs(many, func(int) uint64 { return r.Uint64N(64<<10) &^ 7 })
		}},
		{"uniform64MiB", func(*testing.B) *trace.Refs {
			return benchRefs(many, func(int) uint64 { return r.Uint64N(64<<20) &^ 7 })
		}},
		{"matmul150", func(*testing.B) *trace.Refs { return matmul(150) }},
		{"lackey", func(b *testing.B) *trace.Refs { return &lackey(b, compile(b)).RefsOf[0] }},
	} {
		b.Run(data.name, func(b *testing.B) {
			refs := data.refs(b)
			b.Run("textbookOne", func(b *testing.B) { benchTextbook(b, refs, []int{64, 8}) })
			b.Run("textbookThree", func(b *testing.B) { benchTextbook(b, refs, []int{64, 8}, []int{1 << 10, 16}, []int{1 << 13, 16}) })
			for _, c := range []struct {
				name, text string
				classify   bool
			}{
				{"one", "L1d=32KiB/8/64B", false},
				{"oneWithCauses", "L1d=32KiB/8/64B", true},
				{"three", "L1d=32KiB/8/64B,L2=1MiB/16/64B,L3=8MiB/16/64B", false},
				{"threeWithCauses", "L1d=32KiB/8/64B,L2=1MiB/16/64B,L3=8MiB/16/64B", true},
				{"threeAndFetches", "L1i=32KiB/8/64B,L1d=32KiB/8/64B,L2=1MiB/16/64B,L3=8MiB/16/64B", false},
				{"inclusive", "L1i=32KiB/8/64B,L1d=32KiB/8/64B,L2=1MiB/16/64B,L3=8MiB/16/64B/inclusive", false},
				{"exclusive", "L1i=32KiB/8/64B,L1d=32KiB/8/64B,L2=1MiB/16/64B/exclusive,L3=8MiB/16/64B", false},
				{"writeThrough", "L1d=32KiB/8/64B/write-through/no-allocate,L2=1MiB/16/64B", false},
				{"tlb", "dtlb=64/4/4KiB,stlb=1536/12/4KiB", false},
				{"plru", "L1d=32KiB/8/64B/plru", false},
				{"fifo", "L1d=32KiB/8/64B/fifo", false},
				{"random", "L1d=32KiB/8/64B/random", false},
				{"full", "L1d=32KiB/full/64B", false},
				{"opt", "L1d=32KiB/8/64B/opt", false},
			} {
				b.Run(c.name, func(b *testing.B) { benchCache(b, refs, c.text, c.classify) })
			}
		})
	}
}

// benchTextbook has a cache for each pair of sets and ways; a level sees the misses of the one before.
func benchTextbook(b *testing.B, refs *trace.Refs, shapes ...[]int) {
	n := 0
	for b.Loop() {
		var levels []*textbook
		for _, s := range shapes {
			levels = append(levels, newTextbook(s[0], s[1]))
		}
		n = 0
		for i, addr := range refs.Addr {
			o := refs.Op[i]
			if !o.Data() {
				continue
			}
			n++
			for _, t := range levels {
				if t.use(addr, o == trace.Store) {
					break
				}
			}
		}
	}
	b.ReportMetric(float64(b.N)*float64(n)/b.Elapsed().Seconds()/1e6, "Mrefs/s")
}

func benchCache(b *testing.B, refs *trace.Refs, text string, classify bool) {
	s := parse(b, text)[0]
	n := 0
	for b.Loop() {
		h := newHierarchy(s, []Side{data, instr}, 1, classify, 1, mostDense)
		for i := 0; i < refs.Len(); i += 1 << 16 {
			batch := refs.Slice(i, min(i+1<<16, refs.Len()))
			if err := h.add(&batch, nil); err != nil {
				b.Fatal(err)
			}
		}
		n = 0
		for _, f := range h.feeds {
			for i := range f.ports {
				n += int(total(f.ports[i].level.Uses))
			}
		}
		if err := h.end(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(n)/b.Elapsed().Seconds()/1e6, "Mrefs/s")
}
