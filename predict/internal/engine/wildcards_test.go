package engine

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"spoor/predict/internal/engine/program"
)

// The partners of packets and receives are those that a search through lists finds.
func TestWildcardsAreNaive(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 35))
		calls, wild := 500, 3
		if seed >= 50 {
			calls, wild = 20_000, 300 // most packets that a view holds have been matched
		}
		e := &engine{ranks: make([]rank, 1)}
		e.packets.Items, e.pendingOps.Items = make([]packet, 1), make([]pendingOp, 1)
		r := &e.ranks[0]
		r.e = e
		r.open()
		var packets []packet  // unmatched; seq is the index
		var posted []naiveAny // receives
		for call := range calls {
			from, tag, group := rng.Int32N(3), rng.Int32N(4), rng.Int32N(2)
			if rng.IntN(2) == 0 {
				m := packet{from: from, tag: tag, group: group}
				want := int32(0)
				if at := slices.IndexFunc(posted, func(p naiveAny) bool { return p.selects(&m) }); at >= 0 {
					want = posted[at].number
					posted = slices.Delete(posted, at, at+1)
				}
				got := r.match(&m)
				if got != want {
					t.Fatalf("seed %d, call %d: a packet matches receive %d, by search %d", seed, call, got, want)
				}
				if got == 0 {
					i := e.packets.Add()
					m.pending = i
					e.packets.Items[i] = m
					r.storeUnmatched(i)
					packets = append(packets, m)
				} else {
					e.pendingOps.Drop(got)
				}
				continue
			}
			if rng.IntN(wild) == 0 {
				from = program.None
			}
			if rng.IntN(wild) == 0 {
				tag = program.None
			}
			p := pendingOp{from: from, tag: tag, group: group}
			want := int32(0)
			at := slices.IndexFunc(packets, func(m packet) bool { return p.selects(&m) })
			if at >= 0 {
				want = packets[at].pending
			}
			if got := r.firstSelected(&p); got != want {
				t.Fatalf("seed %d, call %d: a probe finds packet %d, by search %d", seed, call, got, want)
			}
			n := e.pendingOps.Add()
			e.pendingOps.Items[n] = p
			if got := r.matchReceive(n); got != want {
				t.Fatalf("seed %d, call %d: a receive matches packet %d, by search %d", seed, call, got, want)
			}
			if at < 0 {
				posted = append(posted, naiveAny{p, n})
				continue
			}
			packets = slices.Delete(packets, at, at+1)
			e.packets.Drop(want)
			e.pendingOps.Drop(n)
		}
		if len(packets) > 0 && r.oldestUnmatched().pending != packets[0].pending {
			t.Errorf("seed %d: the oldest packet is %d, want %d", seed, r.oldestUnmatched().pending, packets[0].pending)
		}
		if int(r.inbox.unmatched) != len(packets) {
			t.Errorf("seed %d: %d unmatched packets, want %d", seed, r.inbox.unmatched, len(packets))
		}
	}
}

// naiveAny is a posted receive with its number.
type naiveAny struct {
	pendingOp
	number int32
}

// A rank receives from any sender in the reverse order of the tags, and then anything. A search through the unmatched
// packets would take minutes.
func TestWildcardsTakeLinearTime(t *testing.T) {
	const n = 100_000
	begin := time.Now()
	e := &engine{ranks: make([]rank, 1)}
	e.packets.Items, e.pendingOps.Items = make([]packet, 1), make([]pendingOp, 1)
	r := &e.ranks[0]
	r.e = e
	r.open()
	for i := range int32(2 * n) {
		at := e.packets.Add()
		e.packets.Items[at] = packet{from: i % 2, tag: i / 2, group: program.None}
		r.storeUnmatched(at)
	}
	for i := range int32(2 * n) {
		p, want := pendingOp{from: program.None, tag: n - 1 - i, group: program.None}, 2*(n-1-i)+1
		if i >= n {
			p.tag, want = program.None, 2*(i-n)+2
		}
		at := e.pendingOps.Add()
		e.pendingOps.Items[at] = p
		if got := r.matchReceive(at); got != want {
			t.Fatalf("receive %d gets packet %d, want %d", i, got, want)
		}
	}
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("%v", took)
	}
}
