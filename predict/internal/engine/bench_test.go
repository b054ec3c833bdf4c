package engine

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// The workloads are those of about a million messages, each of which is an isend, an irecv, and a
// wait for either; computation differs by rank.

// workload builds programs.
type workload struct {
	ranks    [][]program.Op
	requests []int32
	open     [][]int32
	messages int
	rng      *rand.Rand
	packed   []program.Ops
}

func newWorkload(ranks int) *workload {
	return &workload{ranks: make([][]program.Op, ranks), requests: make([]int32, ranks), open: make([][]int32, ranks), rng: rand.New(rand.NewPCG(1, 2))}
}

func (w *workload) add(rank int, op program.Op) {
	op.Request, op.Group = w.requests[rank], program.None
	w.requests[rank]++
	w.open[rank] = append(w.open[rank], op.Request)
	w.ranks[rank] = append(w.ranks[rank], op)
}

func (w *workload) send(from, to int, bytes int64, tag int32) {
	w.add(from, program.Op{Kind: program.Isend, Peer: int32(to), Bytes: bytes, Tag: tag})
	w.messages++
}

func (w *workload) recv(to, from int, tag int32) {
	w.add(to, program.Op{Kind: program.Irecv, Peer: int32(from), Tag: tag})
}

// wait waits for all that is open, and works.
func (w *workload) wait(rank int, work unit.Picos) {
	for _, request := range w.open[rank] {
		op := wait(request)
		w.ranks[rank] = append(w.ranks[rank], op)
	}
	w.open[rank] = w.open[rank][:0]
	if work > 0 {
		w.ranks[rank] = append(w.ranks[rank], program.Op{Kind: program.Compute, Work: work, Request: program.None, Group: program.None})
	}
}

// programs is the workload to the engine, in the form in which it takes operations, which is prepared once.
func (w *workload) programs() (all []program.Program) {
	for i := len(w.packed); i < len(w.ranks); i++ {
		w.packed = append(w.packed, program.Pack(w.ranks[i]...))
	}
	for _, ops := range w.packed {
		all = append(all, inBatches(ops, 256))
	}
	return all
}

// processorTime is what this process has taken of the host's processors: others may use them too.
func processorTime() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		panic(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

func (w *workload) jitter(least, residual int) unit.Picos {
	return unit.Picos(least+w.rng.IntN(residual)) * 1000
}

// stencil exchanges 8 KiB with four neighbours, and 8 bytes in a butterfly.
func stencil(ranks, messages int) *workload {
	w := newWorkload(ranks)
	dims := bits.Len(uint(ranks)) - 1
	cols := 1 << (dims / 2)
	rows := ranks / cols
	for range max(1, (messages+ranks*(4+dims)-1)/(ranks*(4+dims))) {
		for r := range ranks {
			x, y := r%cols, r/cols
			near := [4]int{(x+1)%cols + y*cols, (x+cols-1)%cols + y*cols, x + ((y+1)%rows)*cols, x + ((y+rows-1)%rows)*cols}
			for k := range 4 {
				w.recv(r, near[k], int32(k^1))
			}
			for k := range 4 {
				w.send(r, near[k], 8192, int32(k))
			}
			w.wait(r, w.jitter(20000, 2000))
			for k := range dims {
				w.recv(r, r^1<<k, 10)
				w.send(r, r^1<<k, 8, 10)
				w.wait(r, 0)
			}
		}
	}
	return w
}

func allToAll(ranks, messages int) *workload {
	w := newWorkload(ranks)
	for range max(1, (messages+ranks*(ranks-1)-1)/(ranks*(ranks-1))) {
		for r := range ranks {
			for k := 1; k < ranks; k++ {
				w.recv(r, (r+ranks-k)%ranks, 1)
			}
			for k := 1; k < ranks; k++ {
				w.send(r, (r+k)%ranks, 4096, 1)
			}
			w.wait(r, w.jitter(20000, 2000))
		}
	}
	return w
}

// scattered sends eight messages to ranks drawn by chance, of 64 bytes to 16 KiB.
func scattered(ranks, messages int) *workload {
	w := newWorkload(ranks)
	for range max(1, (messages+ranks*8-1)/(ranks*8)) {
		type message struct {
			from, to int
			bytes    int64
			tag      int32
		}
		var all []message
		for from := range ranks {
			for tag := range int32(8) {
				to := (from + 1 + w.rng.IntN(ranks-1)) % ranks
				all = append(all, message{from, to, 64 << w.rng.IntN(9), tag})
			}
		}
		for _, m := range all {
			w.recv(m.to, m.from, m.tag)
		}
		for _, m := range all {
			w.send(m.from, m.to, m.bytes, m.tag)
		}
		for r := range ranks {
			w.wait(r, w.jitter(1000, 20000))
		}
	}
	return w
}

// benchModel is L = 2 us, o = 0.5 us, g = 0.5 us, G = 1 ns/B.
func benchModel() cost.Model {
	return cost.Model{Send: 500_000, Receive: 500_000, Latency: 2_000_000, Gap: 500_000, PerByte: 1000, EagerLimit: -1}
}

// pattern is a workload of a million messages.
type pattern struct {
	name string
	make func() *workload
}

var patterns = []pattern{
	{"stencil-1024", func() *workload { return stencil(1024, 1e6) }},
	{"alltoall-256", func() *workload { return allToAll(256, 1e6) }},
	{"random-256", func() *workload { return scattered(256, 1e6) }},
	{"stencil-4096", func() *workload { return stencil(4096, 1e6) }},
}

func BenchmarkRun(b *testing.B) {
	for _, c := range append(patterns[:len(patterns):len(patterns)], pattern{"random-4096", func() *workload { return scattered(4096, 1e6) }}) {
		w := c.make()
		w.programs()
		for _, m := range []struct {
			name  string
			model func(*cost.Model)
		}{{"loggp", func(*cost.Model) {}}, {"receiver", func(m *cost.Model) { m.ReceiverPort = true }},
			{"rendezvous", func(m *cost.Model) { m.EagerLimit = 1024 }}, {"loggopsim", func(m *cost.Model) { m.LogGOPSim = true }}} {
			b.Run(c.name+"/"+m.name, func(b *testing.B) {
				model := benchModel()
				m.model(&model)
				b.ReportAllocs()
				runtime.GC()
				before := processorTime()
				for b.Loop() {
					res, err := Run(context.Background(), w.programs(), Options{Model: model})
					if err != nil {
						b.Fatal(err)
					}
					if res.Messages != uint64(w.messages) {
						b.Fatalf("%d messages, want %d", res.Messages, w.messages)
					}
				}
				took := (processorTime() - before).Seconds() / float64(b.N)
				b.ReportMetric(float64(w.messages)/took/1e6, "Mmsg/cpu-s")
			})
		}
	}
}
