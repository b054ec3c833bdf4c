package analysis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// listener keeps what several shards of every order see.
type listener struct {
	name   string
	fails  map[trace.Proc]int // by order: the chunk at which the shard fails
	shards map[trace.Proc]*heard
}

// heard is the chunks of an order as text, with references joined: chunks may be cut anywhere else.
type heard struct {
	items  []string
	refs   bool // the latest chunk is of references, which are not yet known to have ended
	time   unit.Instructions
	instr  unit.Instructions // of them
	chunks int
	fails  int
	ended  bool
}

var errHeard = errors.New("heard enough")

func (s *heard) Add(p *Chunk) error {
	if s.chunks++; s.chunks == s.fails {
		return errHeard
	}
	if p.Event != nil || p.Refs.Len() == 0 {
		s.join()
	} else {
		s.refs, s.time, s.instr = true, p.Time, s.instr+p.Instr
	}
	s.items = append(s.items, pieceItems(p)...)
	return nil
}

// join ends references in a row.
func (s *heard) join() {
	if s.refs {
		s.items = append(s.items, fmt.Sprint("until ", s.time, " ", s.instr))
	}
	s.refs, s.instr = false, 0
}

func (s *heard) End() error { s.join(); s.ended = true; return nil }

func pieceItems(p *Chunk) (out []string) {
	if p.Event != nil || p.Refs.Len() == 0 {
		text := fmt.Sprint(p.Proc, p.Time, p.Instr)
		if p.Event != nil {
			text += fmt.Sprintf("%+v", *p.Event)
		}
		return []string{text}
	}
	for i, addr := range p.Refs.Addr {
		who := p.Proc
		if p.RefProcs != nil {
			who = p.RefProcs[i]
		}
		out = append(out, fmt.Sprint(who, addr, p.Refs.Instr[i], p.Refs.Size[i], p.Refs.Op[i]))
	}
	return out
}

func (l *listener) Name() string { return l.name }

func (*listener) Effects() Effects { return Effects{} }

func (l *listener) NewShard(_ trace.Header, p trace.Proc) Shard {
	s := &heard{fails: l.fails[p]}
	if l.shards == nil {
		l.shards = map[trace.Proc]*heard{}
	}
	l.shards[p] = s
	return s
}

func (l *listener) Merge([]Shard) (Result, error) { return Result{}, nil }

// onCores runs a test with so many.
func onCores(t *testing.T, do func(t *testing.T)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, cores := range []int{1, 4} {
		runtime.GOMAXPROCS(cores)
		t.Run(fmt.Sprint(cores, " cores"), do)
	}
}

// Whoever asks for whatever orders sees what each order is by itself.
func TestRunFeedsOrders(t *testing.T) {
	onCores(t, func(t *testing.T) {
		for seed := range testsize.Cases[uint64](60, 10) {
			r := rand.New(rand.NewPCG(seed, 3))
			m := randomTrace(r, 1+r.IntN(4), r.IntN(4), 12)
			checkOrders(t, m, nil)
			checkOrders(t, m, []trace.Proc{0})
		}
		m := randomTrace(rand.New(rand.NewPCG(1, 4)), 3, 2, 2000)
		for p := range m.RefsOf { // long chunks
			for i := range uint64(3 * longChunk) {
				m.RefsOf[p].Append(uint32(1+i%3), i, 8, trace.Load)
			}
		}
		checkOrders(t, m.InBatches(2*longChunk), nil)
		checkOrders(t, m.InBatches(2*longChunk), []trace.Proc{1})
		lone := randomTrace(rand.New(rand.NewPCG(1, 6)), 1, 4, 2000)
		for i := range uint64(loneRows + longChunk) {
			lone.RefsOf[0].Append(uint32(1+i%3), i, 8, trace.Load)
		}
		checkOrders(t, lone.InBatches(loneRows+1), nil)
	})
}

func checkOrders(t *testing.T, src trace.Source, procs []trace.Proc) {
	t.Helper()
	a, b := &listener{name: "a"}, &listener{name: "b"}
	if _, err := Run(context.Background(), src, Options{Procs: procs}, a, b); err != nil {
		t.Fatal(err)
	}
	for _, l := range []*listener{a, b} {
		for p, s := range l.shards {
			var want heard
			chunks := Interleave(src)
			if p != trace.Interleaved {
				chunks = Program(src, p)
			}
			for chunk, err := range chunks {
				if err != nil || want.Add(chunk) != nil {
					t.Fatal(err)
				}
			}
			if want.End(); !slices.Equal(s.items, want.items) || !s.ended {
				t.Fatalf("order %d differs, or has not ended (%t)", p, s.ended)
			}
		}
	}
}

// Of several shards that fail the one that fails at the earliest chunk is heard, and nobody is ended.
func TestRunFails(t *testing.T) {
	onCores(t, func(t *testing.T) {
		m := randomTrace(rand.New(rand.NewPCG(1, 5)), 3, 3, 500)
		for _, fails := range []map[trace.Proc]int{{-1: 1}, {-1: 40}, {0: 1}, {2: 9}, {-1: 3, 1: 2}} {
			a, b := &listener{name: "a"}, &listener{name: "b", fails: fails}
			if _, err := Run(context.Background(), m, Options{}, a, b); err != errHeard {
				t.Errorf("%v: error %v", fails, err)
			}
			for p, s := range a.shards {
				if s.ended {
					t.Errorf("%v: order %d was ended", fails, p)
				}
			}
		}
		lone := randomTrace(rand.New(rand.NewPCG(1, 5)), 1, 3, 500)
		for _, fails := range []map[trace.Proc]int{{-1: 1}, {0: 1}, {-1: 3, 0: 2}, {-1: 2, 0: 3}} {
			a, b := &listener{name: "a"}, &listener{name: "b", fails: fails}
			if _, err := Run(context.Background(), lone, Options{}, a, b); err != errHeard || a.shards[0].ended || a.shards[trace.Interleaved].ended {
				t.Errorf("one processor: %v: error %v", fails, err)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		for _, procs := range [][]trace.Proc{nil, {1}} {
			if _, err := Run(ctx, m, Options{Procs: procs}, &listener{name: "a"}); err != context.Canceled {
				t.Errorf("cancelled: error %v", err)
			}
		}
	})
}

// spreading is a shard that keeps the cores it is given.
type spreading struct {
	heard
	cores int
}

func (s *spreading) Cores(n int) { s.cores = n }

// Cores are spread over the shards of all orders, and where there are too few nobody hears of them.
func TestSpread(t *testing.T) {
	for _, c := range []struct{ orders, each, cores, want int }{{1, 1, 4, 4}, {1, 1, 1, 0}, {2, 1, 5, 2}, {2, 2, 4, 0}, {1, 3, 8, 2}} {
		t.Run(fmt.Sprintf("%v %v", c.orders, c.cores), func(t *testing.T) {
			var orders []order
			var all []*spreading
			for range c.orders {
				var o order
				for range c.each {
					s := new(spreading)
					all, o.shards = append(all, s), append(o.shards, s)
				}
				orders = append(orders, o)
			}
			spread(orders, c.cores)
			for _, s := range all {
				if s.cores != c.want {
					t.Errorf("%+v: a shard has %d", c, s.cores)
				}
			}
		})
	}
}
