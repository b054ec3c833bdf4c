package logp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/engine"
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// simulate runs one collective of given steps, by rank, which begin at 0 or when they are told.
func simulate(t testing.TB, m Machine, steps [][]program.Step, begin ...unit.Picos) unit.Picos {
	t.Helper()
	var programs []program.Program
	for p := range m.Procs {
		op, begun := program.Op{Kind: program.Collective, Request: program.None}, false
		if begin != nil {
			op.Work = begin[p]
		}
		programs = append(programs, program.Program{Next: func() (now program.Ops, _ error) {
			if !begun {
				begun = true
				now.Add(&op)
			}
			return now, nil
		}})
	}
	model := cost.Model{Send: m.Send, Receive: m.Receive, Latency: m.Latency, Gap: m.Gap, PerByte: m.PerByte, EagerLimit: -1, ReceiverPort: m.Receiver}
	res, err := engine.Run(context.Background(), programs, engine.Options{Model: model, Steps: func(rank int32, _ *program.Op) ([]program.Step, error) { return steps[rank], nil }})
	if err != nil {
		t.Fatal(err)
	}
	return res.Time
}

// by is the steps of a collective by an algorithm of package comm.
func by(a comm.Algorithm, kind trace.Kind, procs int, bytes int64) [][]program.Step {
	each, steps := make([]int64, procs), make([][]program.Step, procs)
	for i := range each {
		each[i] = bytes
	}
	comm.Messages(a, kind, 0, each, func(round, from, to int, bytes int64) {
		steps[from] = append(steps[from], program.SendStep(round, int32(to), bytes))
		steps[to] = append(steps[to], program.ReceiveStep(round, int32(from), bytes))
	})
	return steps
}

func random(r *rand.Rand) Machine {
	time := func() unit.Picos { return unit.Picos(r.Int64N(1 << (1 + r.IntN(20)))) }
	m := Machine{Procs: 2 + r.IntN(30), Send: time(), Receive: time(), Latency: time(), Gap: time(), Receiver: r.IntN(2) == 0}
	if r.IntN(2) == 0 {
		m.PerByte = float64(r.IntN(2000)) / 7
	}
	return m
}

func least(t testing.TB, name string, m Machine, bytes int64) unit.Picos {
	t.Helper()
	for _, o := range Operations {
		if o.Name == name {
			v, err := o.Least(m, bytes)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatal("no operation", name)
	return 0
}

// whole says whether an algorithm sends all messages in one piece of so many bytes.
func whole(steps [][]program.Step, bytes int64) bool {
	for _, of := range steps {
		for _, s := range of {
			if s.Bytes() != bytes {
				return false
			}
		}
	}
	return true
}

// No algorithm is simulated to be faster than the bounds.
func TestBoundsAreBelowSimulation(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for range 100 {
		m, bytes := random(r), 1+r.Int64N(1<<r.IntN(14))
		for _, a := range comm.Algorithms[1:] {
			for kind, names := range map[trace.Kind][2]string{
				trace.Bcast: {"broadcast", "broadcast_pieces"}, trace.Reduce: {"reduce", ""}, trace.Barrier: {"", "barrier"},
				trace.AllReduce: {"", "barrier"}, trace.AllGather: {"", "barrier"}, trace.AllToAll: {"alltoall", "alltoall_combined"},
			} {
				size := bytes
				if kind == trace.AllToAll { // of which each gets a part
					size *= int64(m.Procs)
				}
				steps := by(a, kind, m.Procs, size)
				took := simulate(t, m, steps)
				for i, name := range names {
					if name == "" || i == 0 && !whole(steps, bytes) {
						continue
					}
					if bound := least(t, name, m, bytes); took < bound {
						t.Errorf("%+v, %d bytes: %v by %s takes %d ps, and %s %d at least", m, bytes, kind, a, took, name, bound)
					}
				}
			}
		}
	}
}

// The optimal trees reach their bounds, to the picosecond.
func TestOptimalTreesReachTheirBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 4))
	for range 300 {
		m, bytes := random(r), 1+r.Int64N(1<<r.IntN(14))
		m.Latency = max(m.Latency, 1) // messages take a picosecond at least
		down, up := make([][]program.Step, m.Procs), make([][]program.Step, m.Procs)
		optimalTree(m.Procs, m.hop(bytes), m.sendInterval(bytes), func(from, to int, _ unit.Picos) {
			down[to] = append(down[to], program.ReceiveStep(0, int32(from), bytes))
			down[from] = append(down[from], program.SendStep(1, int32(to), bytes))
		})
		if got, want := simulate(t, m, down), least(t, "broadcast", m, bytes); got != want {
			t.Errorf("%+v, %d bytes: a broadcast takes %d ps, not %d", m, bytes, got, want)
		}
		// Leaves begin as late as they may: who sends earlier may be in the way of others.
		want := least(t, "reduce", m, bytes)
		begin := make([]unit.Picos, m.Procs)
		optimalTree(m.Procs, m.hop(bytes), m.receiveInterval(bytes), func(to, from int, at unit.Picos) {
			up[to] = append([]program.Step{program.ReceiveStep(0, int32(from), bytes)}, up[to]...) // what the tree has first comes last
			up[from] = append(up[from], program.SendStep(1, int32(to), bytes))
			begin[from], begin[to] = want-at, 0
		})
		if got := simulate(t, m, up, begin...); got != want {
			t.Errorf("%+v, %d bytes: a reduction takes %d ps, not %d", m, bytes, got, want)
		}
	}
}

// All send to the next one first, then to the one after that: nobody waits for anybody, where ports are slower than processors.
func TestStaggeredAllToAllReachesItsBound(t *testing.T) {
	m := Machine{Procs: 9, Send: 100, Receive: 200, Latency: 5000, Gap: 1000, PerByte: 10, Receiver: true}
	steps := make([][]program.Step, m.Procs)
	for p := range m.Procs {
		for i := 1; i < m.Procs; i++ {
			steps[p] = append(steps[p], program.ReceiveStep(0, int32((p+m.Procs-i)%m.Procs), 50))
		}
		for i := 1; i < m.Procs; i++ {
			steps[p] = append(steps[p], program.SendStep(0, int32((p+i)%m.Procs), 50))
		}
	}
	if got, want := simulate(t, m, steps), least(t, "alltoall", m, 50); got != want || want != 100+5000+490+200+7*1490 {
		t.Errorf("%d ps, want %d", got, want)
	}
}

// The example of [culler1993, fig. 3]: P = 8, L = 6, g = 4, o = 2, and a broadcast takes 24.
func TestBroadcastOfThePaper(t *testing.T) {
	m := Machine{Procs: 8, Send: 2, Receive: 2, Latency: 6, Gap: 4}
	if got := least(t, "broadcast", m, 1); got != 24 {
		t.Errorf("%d, want 24", got)
	}
}

// Without gaps and overhead of the sender, a broadcast is one hop; where only the gap matters it is a star; and one processor has
// nothing to do.
func TestExtremes(t *testing.T) {
	if got := least(t, "broadcast", Machine{Procs: 100, Latency: 7, Receive: 3}, 1); got != 10 {
		t.Errorf("no gap: %d", got)
	}
	if got := least(t, "broadcast", Machine{Procs: 5, Latency: 1000, Gap: 1}, 1); got != 1003 {
		t.Errorf("a star: %d", got)
	}
	for _, o := range Operations {
		if got, err := o.Least(Machine{Procs: 1, Latency: 7}, 9); got != 0 || err != nil {
			t.Errorf("%s of one: %d, %v", o.Name, got, err)
		}
		for _, bad := range []Machine{{}, {Procs: 2, Gap: -1}, {Procs: 1 << 20}, {Procs: 2, PerByte: 1e300}, {Procs: 2, Latency: 1 << 60}} {
			if _, err := o.Least(bad, 9); err == nil {
				t.Errorf("%s: no error about %+v", o.Name, bad)
			}
		}
		if _, err := o.Least(Machine{Procs: 2}, 0); err == nil {
			t.Errorf("%s: no error about messages without bytes", o.Name)
		}
	}
}

const spasm = "../../../data/machine/spasm-"

// The gaps of [sivasubramaniam1995, sec. 5]: L = 1.6 us; g = 3.2/P us on the full network, 1.6 us on the hypercube and
// 0.8 p_c us on the mesh of p_c columns.
func TestGapsOfThePaper(t *testing.T) {
	for procs, columns := range map[int]float64{4: 2, 8: 4, 16: 4, 32: 8} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			for name, want := range map[string]float64{"full": 3.2 / float64(procs), "cube": 1.6, "mesh": 0.8 * columns} {
				m, err := machine.Read(spasm + name + ".toml")
				if err != nil {
					t.Fatal(err)
				}
				a, err := Abstract(m, procs, 32, nil)
				if err != nil {
					t.Fatal(err)
				}
				if len(a.Gaps) != 1 || a.Gaps[0].Time != unit.Seconds(want*1e-6).Picos() || a.Machine.Latency != 1600000 {
					t.Errorf("%s, %d processors: L = %v, gaps %v; want %v us", name, procs, a.Machine.Latency, a.Gaps, want)
				}
			}
		})
	}
}

// Rails divide gaps, a dragonfly of all its nodes has one by its bisection, and of some of them it has none.
func TestGapsOfOtherTopologies(t *testing.T) {
	for _, c := range []struct {
		keys  string
		procs int
		want  float64 // in times of L
	}{
		{"model = \"torus\"\ndims = [4, 4, 4]\n", 64, 1}, {"model = \"torus\"\ndims = [4, 4, 4]\nrails = 2\n", 64, 0.5},
		{"model = \"fattree\"\ndown = [6, 4]\nup = [1, 3]\n", 24, 2}, {"model = \"fattree\"\narity = 4\ntaper = 2.0\n", 64, 2},
		{"model = \"dragonfly\"\ngroups = 2\nrouters = 4\nhosts = 2\n", 16, 8}, {"model = \"dragonfly\"\ngroups = 2\nrouters = 4\nhosts = 2\n", 15, 0},
	} {
		m, err := machine.ParsePart("m.toml", []byte("[network]\nL = \"1 us\"\nbandwidth = \"1 GB/s\"\n"+c.keys))
		if err != nil {
			t.Fatal(err)
		}
		a, err := Abstract(m, c.procs, 32, nil)
		if c.want == 0 {
			if err == nil || !strings.HasPrefix(err.Error(), "the gap by the bisection is known only for all nodes of the dragonfly") {
				t.Errorf("%s: %v, %v", c.keys, a, err)
			}
		} else if err != nil || a.Machine.Gap != unit.Seconds(c.want*1e-6).Picos() {
			t.Errorf("%s: g = %v, %v, want %v L", c.keys, a.Machine.Gap, err, c.want)
		}
	}
}

// All send to processor 0 over a bus: every message is on the busiest link.
func TestGapOfTraffic(t *testing.T) {
	m, err := machine.Read(spasm + "mesh.toml")
	if err != nil {
		t.Fatal(err)
	}
	// On 2 x 2 processors, 0 and 1 exchange 10 messages each and nobody else does: 10 over a link, 5 each on average.
	a, err := Abstract(m, 4, 32, []comm.Flow{{From: 0, To: 1, Messages: 10, Bytes: 320}, {From: 1, To: 0, Messages: 10, Bytes: 320}})
	if err != nil || len(a.Gaps) != 2 || a.With(a.Gaps[1]).Gap != 2*1600000 {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := Abstract(m, 1, 32, nil); err == nil {
		t.Error("no error about one processor")
	}
	if _, err := Abstract(&machine.Machine{Name: "x"}, 2, 32, nil); err == nil || !strings.Contains(err.Error(), "no section [network]") {
		t.Error(err)
	}
}

func TestTraffic(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 2}, EventsOf: make([]trace.Events, 2)}
	for p := range 2 {
		m.EventsOf[p].Proc = trace.Proc(p)
		for range 3 {
			m.EventsOf[p].Rows = append(m.EventsOf[p].Rows, trace.Event{Kind: trace.Send, Peer: int32(1 - p), Bytes: 40, Group: -1, Request: -1},
				trace.Event{Kind: trace.Bcast, Peer: 0, Bytes: 40, Group: -1, Request: -1})
		}
	}
	flows, mean, warning, err := Traffic(m)
	if err != nil || mean != 40 || len(flows) != 2 || flows[0] != (comm.Flow{From: 0, To: 1, Messages: 3, Bytes: 120}) || warning == nil {
		t.Errorf("%v, %v, %v, %v", flows, mean, warning, err)
	}
	if _, _, _, err := Traffic(&trace.Memory{Head: trace.Header{Procs: 1}, EventsOf: make([]trace.Events, 1)}); err == nil {
		t.Error("no error about a trace without messages")
	}
}

func Example() {
	m := Machine{Procs: 8, Send: 2, Receive: 2, Latency: 6, Gap: 4}
	for _, o := range Operations[:3] {
		t, err := o.Least(m, 1)
		fmt.Println(o.Name, int64(t), err)
	}
	// Output:
	// broadcast 24 <nil>
	// broadcast_pieces 24 <nil>
	// reduce 24 <nil>
}
