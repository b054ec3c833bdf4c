package direct

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/replay"
	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// The machines: LogGP with ports that both hold, the same with ports of senders alone and the cost of lines, and links
// that messages hold one at a time, or share fairly, and PLogP.
const (
	head = `
name = "test"
[processor]
clock = "2 GHz"
cpi = 1.0
[[cache]]
size = "1 MiB"
line = "64 B"
ways = 16
latency = "0 cycles"
[memory]
size = "16 GiB"
latency = "100 ns"
occupancy = "6.4 ns"
invalidate = "6.4 ns"
[system]
target = "cow"
processors = 1
nodes = 1024
[network]
`
	ports = `model = "loggp"
L = "2 us"
o = "0.5 us"
g = "0.7 us"
G = "1 ns/B"
ports = "both"
`
	lines = `model = "loggp"
L = "2 us"
o = "0.5 us"
g = "0.7 us"
G = "1 ns/B"
gamma = "3 ns/line"
`
	torus = `model = "torus"
bandwidth = "1 GB/s"
o = "0.5 us"
latency = "1 us"
`
	fair  = torus + "sharing = \"max-min\"\n"
	plogp = `model = "plogp"
L = "2 us"
o_r = "0.5 us"
gamma = "3 ns/line"
[[network.size]]
bytes = "1 B"
o_s = "0.4 us"
g = "0.7 us"
[[network.size]]
bytes = "1 KiB"
o_s = "0.6 us"
g = "2 us"
`
)

func machineOf(t testing.TB, network string) *machine.Machine {
	t.Helper()
	m, err := machine.Parse("test.toml", []byte(head+network))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// unequal is so many nodes, the last of which is half as fast.
func unequal(t testing.TB, nodes int) *machine.Machine {
	t.Helper()
	m := machineOf(t, lines)
	slow := *m
	slow.Name, slow.Processor.Clock = "slow", m.Processor.Clock/2
	m.System.Nodes = nodes
	m, err := m.WithNodes(&slow)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// recording keeps the events of a program.
type recording struct{ *trace.Memory }

func newRecording(procs int) recording {
	r := recording{&trace.Memory{Head: trace.Header{Procs: procs, WorkUnit: trace.WorkInstr}, EventsOf: make([]trace.Events, procs)}}
	for p := range r.EventsOf {
		r.EventsOf[p].Proc = trace.Proc(p)
	}
	return r
}

// sink lets a recording be one: a source has methods of the same names.
type sink struct{ recording }

func (s sink) Refs(*trace.Refs) error { return nil }
func (s sink) Events(b *trace.Events) error {
	of := &s.EventsOf[b.Proc]
	of.Rows = append(of.Rows, b.Rows...)
	return nil
}

func instance(t testing.TB, name string, procs int, set kernel.Values) kernel.Instance {
	t.Helper()
	k, err := kernel.Find(kernel.Counted, name)
	if err != nil {
		t.Fatal(err)
	}
	v, err := k.Values(set)
	if err != nil {
		t.Fatal(err)
	}
	inst, err := k.New(v, procs, 1)
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

// What is not sensitive to time takes as long as in a replay of its recording, on all ranks.
func TestDirectIsReplay(t *testing.T) {
	for _, c := range []struct {
		kernel string
		procs  int
		set    kernel.Values
	}{
		{"sor", 1, kernel.Values{"g": 5, "iterations": 12}},
		{"sor", 6, kernel.Values{"g": 25, "iterations": 12}},
		{"sor", 512, kernel.Values{"g": 3, "iterations": 10}},
		{"bps", 16, kernel.Values{"g": 8}},
		{"apucs", 5, nil},
	} {
		t.Run(fmt.Sprint(c.procs), func(t *testing.T) {
			if testing.Short() && c.procs > 100 {
				t.Skip("long: many ranks")
			}
			machines := []*machine.Machine{machineOf(t, ports)}
			if c.procs < 100 && (!testing.Short() || c.procs == 6) {
				machines = append(machines, machineOf(t, lines), machineOf(t, torus))
			}
			if c.procs == 6 {
				machines = append(machines, unequal(t, c.procs))
			}
			for _, m := range machines {
				rec := newRecording(c.procs)
				inst := instance(t, c.kernel, c.procs, c.set)
				if _, err := spmd.Record(context.Background(), spmd.Options{Procs: c.procs, NoRefs: true}, inst.Program, sink{rec}); err != nil {
					t.Fatal(err)
				}
				want := replayOf(t, rec, m, scope(replay.Messages)).Messages
				for _, ahead := range []int{3, 1, 64}[:testsize.Cases(3, 1)] {
					inst := instance(t, c.kernel, c.procs, c.set)
					got, err := Simulate(context.Background(), inst.Program, m, Options{Options: scope(replay.Messages), Procs: c.procs, Ahead: ahead})
					if err != nil {
						t.Fatal(err)
					}
					if err := inst.Verify(); err != nil {
						t.Error(err)
					}
					if !reflect.DeepEqual(got.Messages, want) {
						t.Errorf("%s on %d with F = %d: %s", c.kernel, c.procs, ahead, different(got.Messages, want))
					}
				}
			}
		})
	}
}

// different says where two results differ.
func different(got, want *outcome.Result) string {
	for p := range want.Ranks {
		if got.Ranks[p] != want.Ranks[p] {
			return fmt.Sprintf("rank %d: got %+v, want %+v", p, got.Ranks[p], want.Ranks[p])
		}
	}
	got.Ranks, want.Ranks = nil, nil
	return fmt.Sprintf("got %+v, want %+v", got, want)
}
