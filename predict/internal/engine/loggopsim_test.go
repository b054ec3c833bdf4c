package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/traces/testsize"
	"spoor/traces/unit"
)

// exactly holds a workload to LogGOPSim's order of events, as programs and as graphs. It is how many ranks end at another time.
func exactly(t testing.TB, w *workload, with refCost) (differ int) {
	t.Helper()
	m := cost.Model{Send: unit.Picos(with.o) * 1000, Receive: unit.Picos(with.o) * 1000, Latency: unit.Picos(with.L) * 1000, Gap: unit.Picos(with.g) * 1000,
		PerByte: float64(with.G) * 1000, EagerLimit: -1, LogGOPSim: true}
	ref := w.reference()
	ends, _ := refExact(ref, refChannels(ref), with)
	for _, all := range [][]program.Program{programs(w.ranks, 7), graphsOf(w)} {
		res, err := Run(context.Background(), all, Options{Model: m})
		if err != nil {
			t.Fatal(err)
		}
		for i, end := range ends {
			if res.Ranks[i].Time != unit.Picos(end)*1000 {
				differ++
			}
		}
	}
	return differ
}

// graphsOf is a workload whose operations need those before the wait that is before them: what LogGOPSim has in place of waits.
func graphsOf(w *workload) (all []program.Program) {
	for _, ops := range w.ranks {
		var nodes []program.Op
		g := &program.Graph{Starts: []int64{0}}
		from, to := 0, 0 // the needs
		for i, op := range ops {
			if op.Kind == program.Wait {
				continue
			}
			if i > 0 && (ops[i-1].Kind == program.Wait || ops[i-1].Kind == program.Compute) {
				from, to = to, len(nodes)
			}
			if op.Request = program.None; op.Kind == program.Irecv {
				op.Kind = program.Recv
			}
			nodes = append(nodes, op)
			for need := from; need < to; need++ {
				g.Rows = append(g.Rows, int32(need))
			}
			g.Starts = append(g.Starts, int64(len(g.Rows)))
		}
		one := programs([][]program.Op{nodes}, 0)[0]
		one.Graph = g
		all = append(all, one)
	}
	return all
}

// halo exchanges with four neighbours of a torus, all ranks at the same times.
func halo(ranks, rounds int, bytes int64) *workload {
	w := newWorkload(ranks)
	const cols = 8
	rows := ranks / cols
	for range rounds {
		for r := range ranks {
			x, y := r%cols, r/cols
			near := [4]int{(x+1)%cols + y*cols, (x+cols-1)%cols + y*cols, x + ((y+1)%rows)*cols, x + ((y+rows-1)%rows)*cols}
			for k := range 4 {
				w.recv(r, near[k], int32(k^1))
			}
			for k := range 4 {
				w.send(r, near[k], bytes, int32(k))
			}
			w.wait(r, 20_000_000)
		}
	}
	return w
}

// In LogGOPSim's semantics, every rank ends when it does there, to the picosecond.
func TestLogGOPSimIsExact(t *testing.T) {
	with := refCost{L: 2000, o: 500, g: 500, G: 1}
	for name, w := range map[string]*workload{"halo": halo(64, 10, 8192), "short halo": halo(64, 10, 8), "stencil": stencil(64, 20000), "all to all": allToAll(32, 10000), "scattered": scattered(64, 20000)} {
		t.Run(name, func(t *testing.T) {
			if n := exactly(t, w, with); n > 0 {
				t.Errorf("%d ranks end at another time", n)
			}
		})
	}
}

// That is so of almost all random programs: what was scheduled on two ranks at the same time may have another order.
func TestLogGOPSimOfRandomPrograms(t *testing.T) {
	programs := testsize.Cases(1000, 200)
	differ := 0
	for seed := range uint64(programs) {
		rng := rand.New(rand.NewPCG(seed, 17))
		w := newWorkload(2 + rng.IntN(8))
		w.rng = rng
		batches(w, 1+rng.IntN(8), 100_000)
		if exactly(t, w, refCost{L: 1 + rng.Uint64N(40_000), o: 1 + rng.Uint64N(10_000), g: rng.Uint64N(10_000), G: rng.Uint64N(300)}) > 0 {
			differ++
		}
	}
	if differ > programs/200 {
		t.Errorf("%d of %d programs have other times", differ, programs)
	}
}

// batches is rounds of messages between ranks drawn by chance, after each of which a rank waits for all of its own, and works.
func batches(w *workload, rounds, work int) {
	n := len(w.ranks)
	for tag := range int32(rounds) {
		for range w.rng.IntN(3 * n) {
			from, to := w.rng.IntN(n), w.rng.IntN(n)
			w.send(from, to, 1+w.rng.Int64N(300), tag)
			w.recv(to, from, tag)
		}
		for r := range n {
			if len(w.open[r]) > 0 {
				w.wait(r, w.jitter(1, work))
			}
		}
	}
}

// A receive that comes after a long send is posted when the processor has done with what it took up meanwhile, which is when the sender of
// that goes on. Rank 0 takes up rank 2's message at 60 and lets it go on then; rank 2 is taking up rank 1's from 25 to 25 + 5 + 200 = 230.
func TestLogGOPSimPostsWhenTheProcessorIsFree(t *testing.T) {
	m := long(loggopsim())
	all := programs(ranks(does(work(60), recv(2)), does(send(2, 101)), does(send(0, 101), recv(1))), 0)
	res, err := Run(context.Background(), all, Options{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []unit.Picos{265, 231, 230} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if got := res.Ranks[i].Time; got != want {
				t.Errorf("rank %d ends at %v, not %v", i, got, want)
			}
		})
	}
}

// A sequence and a graph of the same schedule end at the same times, whatever else acts at a time.
func TestLogGOPSimOfSequencesAndGraphs(t *testing.T) {
	for seed := range uint64(testsize.Cases(1000, 100)) {
		rng := rand.New(rand.NewPCG(seed, 18))
		w := newWorkload(2 + rng.IntN(8))
		w.rng = rng
		batches(w, 1+rng.IntN(8), 100_000)
		send := unit.Picos(1+rng.IntN(10)) * 1000
		m := cost.Model{Send: send, Receive: send, Latency: unit.Picos(1+rng.IntN(40)) * 1000, Gap: unit.Picos(rng.IntN(10)) * 1000, PerByte: float64(rng.IntN(3)) * 1000, EagerLimit: -1, LogGOPSim: true}
		var ends [2][]unit.Picos
		for i, all := range [][]program.Program{programs(w.ranks, 7), graphsOf(w)} {
			res, err := Run(context.Background(), all, Options{Model: m})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range res.Ranks {
				ends[i] = append(ends[i], r.Time)
			}
		}
		if !slices.Equal(ends[0], ends[1]) {
			t.Errorf("seed %d: %v as sequences, %v as graphs", seed, ends[0], ends[1])
		}
	}
}
