package replay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"spoor/analyze/comm"
	"spoor/analyze/paths"
	"spoor/calibrate/machine"
	"spoor/traces/trace"
)

// pathAuthor writes random programs of messages without wildcards. What is received has been sent before.
type pathAuthor struct {
	*rand.Rand
	ranks [][]trace.Event
	sent  map[[4]int32]int
	open  [][]int32 // requests
	next  []int32
}

func (a *pathAuthor) add(r int32, k trace.Kind, change ...func(*trace.Event)) {
	e := an(k, change...)
	if a.IntN(3) == 0 {
		e.Instr = uint32(a.IntN(60))
	}
	a.ranks[r] = append(a.ranks[r], e)
}

func (a *pathAuthor) request(r int32) func(*trace.Event) {
	id := a.next[r]
	a.next[r]++
	a.open[r] = append(a.open[r], id)
	return request(id)
}

func (a *pathAuthor) envelope(peer, tag, group int32) func(*trace.Event) {
	return func(e *trace.Event) { e.Peer, e.Tag, e.Group = peer, tag, group }
}

func (a *pathAuthor) send(from int32) {
	to, tag, group := a.Int32N(int32(len(a.ranks))), a.Int32N(2), a.Int32N(2)-1
	size := of([]int64{0, 1, 2, 30, 90, 120}[a.IntN(6)])
	if a.IntN(2) == 0 || to == from {
		a.add(from, trace.Isend, a.envelope(to, tag, group), size, a.request(from))
	} else {
		a.add(from, trace.Send, a.envelope(to, tag, group), size)
	}
	a.sent[[4]int32{from, to, tag, group}]++
}

func (a *pathAuthor) receive(key [4]int32) {
	from, to := key[0], key[1]
	a.sent[key]--
	at := a.envelope(from, key[2], key[3])
	switch a.IntN(5) {
	case 0, 1:
		a.add(to, trace.Irecv, at, a.request(to))
	case 2:
		a.add(to, trace.Probe, at)
		fallthrough
	default:
		a.add(to, trace.Recv, at)
	}
}

func (a *pathAuthor) wait(r int32) {
	i := a.IntN(len(a.open[r]))
	id := a.open[r][i]
	a.open[r] = append(a.open[r][:i:i], a.open[r][i+1:]...)
	if a.IntN(4) == 0 {
		a.add(r, trace.Test, request(id), count(1))
		return
	}
	a.add(r, trace.Wait, request(id))
}

func (a *pathAuthor) collective() {
	kind := []trace.Kind{trace.Barrier, trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan, trace.Gather, trace.AllGather, trace.Scatter, trace.AllToAll}[a.IntN(9)]
	bytes, root := a.Int64N(60), a.Int32N(int32(len(a.ranks)))
	for r := range a.ranks {
		a.add(int32(r), kind, of(bytes), func(e *trace.Event) {
			if comm.Rooted(kind) {
				e.Peer = root
			}
		})
	}
}

func randomMessages(seed uint64) *trace.Memory {
	rng := rand.New(rand.NewPCG(seed, 11))
	n := 2 + rng.Int32N(5)
	a := &pathAuthor{rng, make([][]trace.Event, n), map[[4]int32]int{}, make([][]int32, n), make([]int32, n)}
	keys := [][4]int32{}
	for range 10 + rng.IntN(90) {
		r := a.Int32N(n)
		switch a.IntN(9) {
		case 0:
			a.add(r, trace.Compute, works(a.Int64N(50)))
		case 1, 2, 3:
			a.send(r)
		case 4, 5, 6:
			if len(a.open[r]) > 0 {
				a.wait(r)
			}
		case 7:
			if a.IntN(3) == 0 {
				a.collective()
			}
		}
		keys = keys[:0]
		for from := range n {
			for to := range n {
				for _, tag := range []int32{0, 1} {
					for _, group := range []int32{-1, 0} {
						if k := [4]int32{from, to, tag, group}; a.sent[k] > 0 {
							keys = append(keys, k)
						}
					}
				}
			}
		}
		if len(keys) > 0 && a.IntN(2) == 0 {
			a.receive(keys[a.IntN(len(keys))])
		}
	}
	for _, k := range keys {
		for a.sent[k] > 0 {
			a.receive(k)
		}
	}
	for r := range n {
		for len(a.open[r]) > 0 {
			a.wait(r)
		}
	}
	return messageTrace(a.ranks...)
}

// TestPathsAreReplays: the paths of random programs take what their replays take, to the picosecond, and their counts add up
// to that time.
func TestPathsAreReplays(t *testing.T) {
	deadlocks := 0
	for seed := range uint64(3000) {
		src := randomMessages(seed)
		rng := rand.New(rand.NewPCG(seed, 12))
		costs := paths.Vector{1000, 0, rng.Int64N(40) * 1000, rng.Int64N(40) * 1000, (1 + rng.Int64N(200)) * 1000, rng.Int64N(60) * 1000, rng.Int64N(3) * 1000}
		c := paths.Class{Ports: []paths.Ports{paths.NoPort, paths.SendPort, paths.BothPort}[rng.IntN(3)], Rendezvous: []int64{-1, 80, 0}[rng.IntN(3)]}
		if c.Ports == paths.NoPort {
			costs[paths.Gap] = 0 // no machine has ports without contention at receivers otherwise
		}
		p, err := paths.Compile(src, comm.Doubling)
		if err != nil && err.Error() == "the program passes no messages" {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, counts, err := p.Time(c, costs)
		res, wrong := Simulate(context.Background(), src, nil, pathMachine(t, costs, c), Options{Scope: Messages})
		if (err == nil) != (wrong == nil) {
			t.Fatalf("seed %d: %v, but the replay says %v", seed, err, wrong)
		}
		if err != nil {
			deadlocks++
			continue
		}
		if got != res.Time || counts.Time(costs) != got {
			t.Errorf("seed %d, %+v, %v: %v with counts %v that take %v, but the replay takes %v", seed, c, costs, got, counts, counts.Time(costs), res.Time)
		}
	}
	if deadlocks > 1000 {
		t.Errorf("%d deadlocks", deadlocks)
	}
}

// pathMachine returns a machine of LogGP with these costs.
func pathMachine(t *testing.T, v paths.Vector, c paths.Class) *machine.Machine {
	text := fmt.Sprintf("model = \"loggp\"\nL = \"%d ps\"\no = \"1 ns\"\no_s = \"%d ps\"\no_r = \"%d ps\"\ng = \"%d ps\"\nG = \"%d ps/B\"",
		v[paths.Latency], v[paths.Send], v[paths.Receive], v[paths.Gap], v[paths.Byte])
	if c.Ports == paths.BothPort {
		text += "\nports = \"both\""
	}
	if c.Rendezvous >= 0 {
		text += fmt.Sprintf("\nS = \"%d B\"", c.Rendezvous)
	}
	return messageMachine(t, text)
}
