package reuse

import (
	"container/list"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/definition"
	"spoor/analyze/internal/lines"
	"spoor/traces/format"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// lru is a fully associative cache of so many lines.
type lru struct {
	lines  int
	order  *list.List // the line used last at the front
	at     map[uint64]*list.Element
	misses uint64
}

func (c *lru) use(line uint64) {
	if e := c.at[line]; e != nil {
		c.order.MoveToFront(e)
		return
	}
	c.misses++
	if c.order.Len() == c.lines {
		delete(c.at, c.order.Remove(c.order.Back()).(uint64))
	}
	c.at[line] = c.order.PushFront(line)
}

// collect is a sink that keeps the references of one processor.
type collect struct{ trace.Memory }

func (c *collect) Refs(b *trace.Refs) error {
	for i := range b.Addr {
		c.RefsOf[0].Append(b.Instr[i], b.Addr[i], b.Size[i], b.Op[i])
	}
	return nil
}

func (c *collect) Events(*trace.Events) error { return nil }

// recorded is a trace that lackey has taken of a program.
func recorded(t testing.TB, path string) *trace.Memory {
	t.Helper()
	in, err := format.Open(context.Background(), path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	c := collect{trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}}
	im, err := format.ImporterByName("lackey")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := im.Import(in, format.Options{}, &c); err != nil {
		t.Fatal(err)
	}
	return &c.Memory
}

// kept is lines that were touched.
type kept []uint64

func (k *kept) Touch(lines []uint64) error {
	*k = append(*k, lines...)
	return nil
}

// linesOf is the lines of 2^shift bytes that a program uses.
func linesOf(t testing.TB, m *trace.Memory, shift uint) []uint64 {
	t.Helper()
	var out kept
	feed := lines.NewFeed(shift, trace.DataOps)
	for p, err := range analysis.Program(m, 0) {
		if err == nil {
			err = feed.Add(&p.Refs, &out)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := feed.Flush(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// The curve is that of simulated caches of twenty sizes, for programs as they ran, and for kernels.
func TestCurveIsLRU(t *testing.T) {
	sizes := testsize.Cases[int64](20, 5)
	streams := map[string][]uint64{
		"matmul":      linesOf(t, recorded(t, "../../data/sample/matmul.log.zst"), 4),
		"cut":         linesOf(t, recorded(t, "../../data/sample/killed_head300000.log.zst"), 5),
		"product":     matmul(40),
		"bitreversal": bitReversal(12),
	}
	if !testing.Short() {
		streams["gzip"] = linesOf(t, recorded(t, "../../data/sample/gzip.log.zst"), 6)
	}
	for name, stream := range streams {
		t.Run(name, func(t *testing.T) {
			exact := exactly(t, stream)
			var capacities []int64
			for i := range sizes {
				capacities = append(capacities, 1+i*i*int64(exact.Cold)/((sizes-1)*(sizes-1)))
			}
			for i, misses := range exact.Misses(capacities) {
				cache := lru{lines: int(capacities[i]), order: list.New(), at: map[uint64]*list.Element{}}
				for _, l := range stream {
					cache.use(l)
				}
				if misses != cache.misses {
					t.Errorf("%d lines: %d misses, simulated %d", capacities[i], misses, cache.misses)
				}
			}
		})
	}
}

// Slots are renumbered many times, while lines come and go, and nothing is lost of the order.
func TestRenumbering(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	s, naive := NewStack(), new(definition.Stack)
	uses := map[int64]uint64{}
	part := make([]uint64, batch)
	renumbered, last := 0, s.slot
	for round := range uint64(2500) {
		for i := range part {
			part[i] = round/100*500 + r.Uint64N(1+r.Uint64N(1000)) // half of the lines are given up every hundred rounds
			uses[naive.Touch(part[i])]++
		}
		if err := s.Touch(part); err != nil {
			t.Fatal(err)
		}
		if s.slot < last {
			renumbered++
		}
		last = s.slot
	}
	got, cold := s.Distances()
	if cold != uses[Cold] {
		t.Errorf("cold %d, want %d", cold, uses[Cold])
	}
	for d, n := range got {
		if n != uses[int64(d)] {
			t.Errorf("distance %d: %d uses, want %d", d, n, uses[int64(d)])
		}
	}
	if renumbered < 10 {
		t.Errorf("slots were renumbered %d times only", renumbered)
	}
}

// The newest lines lose their slots and get them back as programs change, and the order stays right.
func TestApart(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	var stream []uint64
	for phase := range 8 {
		for range 120_000 {
			l := r.Uint64N(300)
			if phase%2 > 0 {
				l = r.Uint64N(1 + r.Uint64N(1+r.Uint64N(6)*r.Uint64N(60)))
			}
			stream = append(stream, l*17)
		}
	}
	check(t, stream, 1000)
	s := NewStack()
	var seen []uint32
	for part := range slices.Chunk(stream, batch) {
		if err := s.Touch(part); err != nil {
			t.Fatal(err)
		}
		seen = append(seen, s.epoch.topExcluded)
	}
	if got := slices.Compact(seen); len(got) < 8 {
		t.Errorf("lines without slots: %v, want changes with every phase", got)
	}
}
