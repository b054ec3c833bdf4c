package memsys

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/predict/internal/memsys/layer"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/unit"
)

// TestOverlapWorked follows touches by hand: memory takes 100 ps and holds the bus for 60, two misses
// may be under way, and the processor has room for 50 ps of instructions behind one.
func TestOverlapWorked(t *testing.T) {
	s := layer.WithOverlap(mustSMP(t, two), layer.Overlap{Outstanding: 2, Window: 50}, 2)
	for i, a := range []struct {
		now  unit.Picos
		line uint64
		want touch.Cost
	}{
		{0, 0, touch.Cost{}},                                          // until 100
		{10, 0, touch.Cost{}},                                         // under way too
		{40, 1, touch.Cost{}},                                         // waits for the bus from 40 to 60: until 160
		{55, 0, touch.Cost{Latency: 50, Retry: true}},                 // there was room until 50
		{105, 0, touch.Cost{}},                                        // 50 of which it waited: room behind 40 until 140
		{145, 0, touch.Cost{Latency: 17, Contention: 3, Retry: true}}, // 20 more, a sixth of which is contention
		{165, 0, touch.Cost{}},
	} {
		t.Run(fmt.Sprint(a.now), func(t *testing.T) {
			got := s.Access(a.now, 0, a.line, false)
			if got != a.want {
				t.Errorf("touch %d costs %+v, want %+v", i, got, a.want)
			}
		})
	}
	if got := s.Drain(175, 0); got != (touch.Cost{}) {
		t.Errorf("settling costs %+v", got)
	}
}

// TestOverlapFull: of three misses at once the third waits for the first to end, and settling waits
// for all.
func TestOverlapFull(t *testing.T) {
	c := two
	c.Memory.Occupancy = 0
	s := layer.WithOverlap(mustSMP(t, c), layer.Overlap{Outstanding: 2, Window: 1000}, 2)
	for i, want := range []touch.Cost{{}, {}, {Latency: 80}} {
		if got := s.Access(unit.Picos(10*i), 0, uint64(i), false); got != want {
			t.Errorf("miss %d costs %+v, want %+v", i, got, want)
		}
	}
	if got := s.Drain(100, 0); got != cost(100, 0) { // the third began at 100
		t.Errorf("settling costs %+v", got)
	}
	if got := s.Drain(200, 0); got != (touch.Cost{}) {
		t.Errorf("settling again costs %+v", got)
	}
}

// naiveOverlap knows when each touch is made by the instructions of its processor alone, and waits for each when those
// are Window further.
type naiveOverlap struct {
	layer.Overlap
	touches []naiveTouch // room: by instructions alone
	waited  unit.Picos   // in all
}

// naiveTouch is a touch that has not ended.
type naiveTouch struct{ done, windowEnd unit.Picos }

// reach is when the instructions reach a time by themselves, and what is waited for until then.
func (n *naiveOverlap) reach(instr unit.Picos) unit.Picos {
	for len(n.touches) > 0 && n.touches[0].windowEnd <= instr {
		n.wait(0, n.touches[0].windowEnd)
	}
	return instr + n.waited
}

// wait waits for a touch where the instructions are.
func (n *naiveOverlap) wait(i int, instr unit.Picos) {
	n.waited += max(0, n.touches[i].done-instr-n.waited)
	n.touches = slices.Delete(n.touches, i, i+1)
}

func (n *naiveOverlap) touch(instr unit.Picos, sys touch.System, line uint64) {
	at := n.reach(instr)
	n.touches = slices.DeleteFunc(n.touches, func(e naiveTouch) bool { return e.done <= at })
	cost := sys.Access(at, 0, line, false)
	if cost.Total() == 0 {
		return
	}
	if len(n.touches) == n.Outstanding {
		first := slices.MinFunc(n.touches, func(a, b naiveTouch) int { return cmp.Compare(a.done, b.done) })
		n.wait(slices.Index(n.touches, first), instr)
	}
	n.touches = append(n.touches, naiveTouch{done: instr + n.waited + cost.Total(), windowEnd: instr + n.Window})
}

// TestOverlapIsNaive: touches of one processor, of which most miss.
func TestOverlapIsNaive(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 12))
		c := two
		c.Processors, c.Memory.Occupancy = 1, unit.Picos(r.IntN(150))
		o := layer.Overlap{Outstanding: 1 + r.IntN(4), Window: unit.Picos(r.IntN(200))}
		fast, naive, sys := layer.WithOverlap(mustSMP(t, c), o, 1), naiveOverlap{Overlap: o}, mustSMP(t, c)
		var instr, waited unit.Picos
		for i := range 40 {
			instr += unit.Picos(r.IntN(60))
			line := uint64(r.IntN(5))
			naive.touch(instr, sys, line)
			for again := true; again; {
				cost := fast.Access(instr+waited, 0, line, false)
				waited, again = waited+cost.Total(), cost.Retry
			}
			if waited != naive.waited {
				t.Fatalf("seed %d, %+v: after touch %d at %d: waited for %d, want %d", seed, o, i, instr, waited, naive.waited)
			}
		}
		instr += unit.Picos(r.IntN(300))
		for naive.reach(instr); len(naive.touches) > 0; {
			naive.wait(0, instr)
		}
		if waited += fast.Drain(instr+waited, 0).Total(); waited != naive.waited {
			t.Fatalf("seed %d, %+v: settled after %d, want %d", seed, o, waited, naive.waited)
		}
	}
}
