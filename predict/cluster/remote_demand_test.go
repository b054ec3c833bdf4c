package cluster

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/phases"
	"spoor/calibrate/machine"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Ten blocks of 100 s + 30 s for the memory they come from; two upgrades of 40 s + 20 s there, which also tell a third node.
func TestAwayByHand(t *testing.T) {
	c := testCosts // memory 50, invalidate 20
	c.interconnect = interconnect{nodes: 3, block: messageTime{100, 80}, right: messageTime{40, 10}}
	w := windowWork{Instr: 1000, Touches: 300, Misses: 20, Remote: remoteRequests{Blocks: 10, Upgrades: 2, Rights: 3, Ports: []float64{4, 6, 6, 0, 0, 4}}}
	s := c.stretch(w)
	if want := 20*50 + 10*(50+100) + 2*(20+40.0); !near(s.latency, want, 1e-12) {
		t.Errorf("latency %v, want %v", s.latency, want)
	}
	if got, want := s.remote.ports, 10*80+3*10.0; len(got) != 1 || !near(got[0], want, 1e-12) || s.remote.visits != 12 {
		t.Errorf("the bus is held for %v in %v visits, want %v", got, s.remote.visits, want)
	}
	c.interconnect.switched = true
	s = c.stretch(w)
	if got := s.remote.ports; len(got) != 6 || got[0] != 320 || got[1] != 480 || got[5] != 320 {
		t.Errorf("ports held for %v", got)
	}
	alone := c.run(program{{{w}}}, 3, waits)
	if want := s.ideal + s.latency; !near(alone.now, want, 1e-12) {
		t.Errorf("who is alone takes %v, want %v", alone.now, want)
	}
}

// What uses other ports is nobody's competitor; what uses the same ones is on a bus.
func TestConflicts(t *testing.T) {
	at := func(ports ...float64) customer {
		return customer{think: 10, holds: [3]hold{{5, 1}}, ports: ports}
	}
	bus := fixedPoint(equal(2, at()))
	for _, tc := range []struct {
		name string
		all  []customer
		want float64 // of 1: certain
	}{
		{"the same sender", []customer{at(1, 0, 0, 1, 0, 0), at(1, 0, 0, 0, 0, 1)}, 1},
		{"the same receiver", []customer{at(1, 0, 0, 0, 0, 1), at(0, 0, 1, 0, 0, 1)}, 1},
		{"to and from one node", []customer{at(1, 0, 0, 1, 0, 0), at(0, 1, 1, 0, 0, 0)}, 0},
		{"every other time", []customer{at(1, 0, 0, 1, 0, 0), at(0.5, 0, 0, 0, 0.5, 1)}, 0.5},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := conflicts(tc.all); got[0][1] != tc.want || got[1][0] != tc.want || got[0][0] != 0 {
				t.Errorf("%v, want %v", got, tc.want)
			}
			w := portWaits(tc.all)
			if tc.want == 1 && !near(w[0], bus[0], 1e-6) || tc.want == 0 && w[0] != 0 || tc.want == 0.5 && !(w[0] > 0 && w[0] < bus[0]) {
				t.Errorf("waits %v, on a bus %v", w, bus)
			}
		})
	}
}

// simulateSwitch plays customers who think for an exponential time and then want a block from any of the other nodes,
// whose port takes one message of length hold at a time. It returns the mean wait.
func simulateSwitch(r *rand.Rand, n int, think, hold float64, visits int) float64 {
	arrives, free := make([]float64, n), make([]float64, n)
	for p := range arrives {
		arrives[p] = think * r.ExpFloat64()
	}
	wait := 0.0
	for range visits {
		p := 0
		for q := range arrives {
			if arrives[q] < arrives[p] {
				p = q
			}
		}
		from := (p + 1 + r.IntN(n-1)) % n
		start := max(arrives[p], free[from])
		wait += start - arrives[p]
		free[from] = start + hold
		arrives[p] = start + hold + think*r.ExpFloat64()
	}
	return wait / float64(visits)
}

// The errors are relative to the time from one visit to the next.
func TestPortWaitsAgainstEventSimulation(t *testing.T) {
	for _, n := range []int{2, 4, 8, 16}[:testsize.Cases(4, 2)] {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			for _, think := range []float64{8, 2, 0.5} {
				all := equal(n, customer{think: think, holds: [3]hold{{1, 1}}})
				for p := range all {
					all[p].ports = make([]float64, 2*n)
					all[p].ports[2*p+1] = 1
					for q := range all {
						if q != p {
							all[p].ports[2*q] = 1 / float64(n-1)
						}
					}
				}
				want := simulateSwitch(rand.New(rand.NewPCG(5, uint64(n))), n, think, 1, 200_000)
				got := waits(all)[0]
				if off := (got - want) / (think + want + 1); math.Abs(off) > 0.06 {
					t.Errorf("%d nodes, think %v: wait %.3f, simulated %.3f: %+.1f %% of a cycle", n, think, got, want, 100*off)
				}
			}
		})
	}
}

// measuredApart is measured, with what nodes ask of each other.
func measuredApart(t testing.TB, src trace.Source, m *machine.Machine) *Run {
	t.Helper()
	level := last(m)
	a := &phases.Analysis{Lines: []unit.Bytes{level.Line}, Sets: []int64{int64(level.Sets())},
		PerNode: []int{m.System.Processors}, Block: m.System.Block, Placements: []phases.Placement{phases.Placement(m.Memory.Placement)},
		Networks: []phases.Network{phases.Ideal, phases.Network(m.Network.Model)}, Delays: []unit.Instructions{0, 1 << 12}, Right: phases.DefaultRight,
		NodeCaches: phases.NodeCaches{Miss: 50, Sets: int64(level.Sets()), Ways: level.Ways, Line: level.Line}}
	results, err := analysis.Run(context.Background(), src, analysis.Options{}, a)
	if err != nil {
		t.Fatal(err)
	}
	return &Run{Name: "run", Program: "pattern", Processors: src.Header().Procs, Params: paramsOf(t, nil),
		phasesTable: results[0].Tables[0], trafficTable: results[0].Tables[1]}
}

// The whole way, as in TestMVAAgainstTheSimulator, on clusters of every kind. On a switch, the two processors of a node compete for its
// port, which the fixed point takes for worse than it is, and a short phase that all begin at once is more bursty than at random.
func TestClustersAgainstTheSimulator(t *testing.T) {
	for _, tc := range []struct {
		name      string
		tolerance float64 // on a switch
		patterns  []pattern
	}{
		{"own data", 0.05, []pattern{scatter(20, 4096, 0.3)}},
		{"all load the same", 0.07, []pattern{contended(40, 4096, 0)}},
		{"own data, then a little that is shared", 0.07, []pattern{scatter(20, 4096, 0.3), contended(2000, 2000, 0.2)}},
		{"unequal", 0.08, []pattern{unequal(contended(200, 20000, 0.05))}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, net := range []string{"switch", "bus"}[:testsize.Cases(2, 1)] {
				for _, shape := range [][2]string{{"clump", "2"}, {"cow", "1"}}[:testsize.Cases(2, 1)] {
					m := clumpMachine(t, `model = "bus"`, `model = "`+net+`"`, `target = "clump"`, `target = "`+shape[0]+`"`, "processors = 2", "processors = "+shape[1],
						"nodes = 2", "nodes = 4", `"256 KiB"`, `"64 KiB"`, `invalidate = "50 cycles"`, "invalidate = \"50 cycles\"\nplacement = \"interleaved\"")
					n := m.System.Processors * m.System.Nodes
					src := record(n, 2000, tc.patterns...)
					want := simulated(t, src, m)
					got, err := MVA{}.Predict(&Case{Runs: []*Run{measuredApart(t, src, m)}, Machine: m, Processors: n})
					if err != nil {
						t.Fatal(err)
					}
					off := float64(got.EInstr)/float64(want) - 1
					t.Logf("%s, %s, %s: %.4g ns, simulated %.4g ns: %+.2f %%, utilization %.2f", tc.name, net, shape[0], got.EInstr*1e9, want*1e9, 100*off, got.Utilization)
					tolerance := tc.tolerance
					if net == "bus" {
						tolerance = 0.01
					}
					if math.Abs(off) > tolerance {
						t.Errorf("%s, %s, %s: %+.2f %% off", tc.name, net, shape[0], 100*off)
					}
				}
			}
		})
	}
}

// A cluster of which one node takes part is an SMP.
func TestOneNodeIsAnSMP(t *testing.T) {
	src := record(2, 5000, scatter(20, 4096, 0.3))
	smp, clump := smpMachine(t), clumpMachine(t)
	a, err1 := MVA{}.Predict(&Case{Runs: []*Run{measured(t, src, smp)}, Machine: smp, Processors: 2})
	b, err2 := MVA{}.Predict(&Case{Runs: []*Run{measured(t, src, clump)}, Machine: clump, Processors: 2})
	if err1 != nil || err2 != nil || a.EInstr != b.EInstr || a.Split != b.Split {
		t.Errorf("%v and %v, %v, %v", a, b, err1, err2)
	}
}

func TestClusterNeedsTraffic(t *testing.T) {
	src, m := record(4, 100, scatter(20, 4096, 0.3)), clumpMachine(t)
	if _, err := (MVA{}).Predict(&Case{Runs: []*Run{measured(t, src, m)}, Machine: m, Processors: 4}); err == nil || !strings.Contains(err.Error(), "--per-node 2 --placement first-touch") {
		t.Error(err)
	}
}

func TestBracket(t *testing.T) {
	delays := []unit.Instructions{0, 3, 15}
	for _, c := range []struct {
		delay  float64
		lo, hi int
		part   float64
	}{{0, 0, 0, 0}, {1, 0, 1, 0.5}, {3, 0, 1, 1}, {7, 1, 2, 0.5}, {15, 1, 2, 1}, {1e9, 1, 2, 1}} {
		t.Run(fmt.Sprint(c.delay), func(t *testing.T) {
			if lo, hi, part := bracket(delays, c.delay); lo != c.lo || hi != c.hi || !near(part, c.part, 1e-12) && part != c.part {
				t.Errorf("%v: %d to %d, %v; want %+v", c.delay, lo, hi, part, c)
			}
		})
	}
	if lo, hi, part := bracket(delays[1:2], 100); lo != 0 || hi != 0 || part != 0 {
		t.Errorf("one delay: %d to %d, %v", lo, hi, part)
	}
}

// Two processors store to the two halves of one block, which moves for each store.
func TestFalseSharingOnABus(t *testing.T) {
	src := record(2, 2000, func(_ *rand.Rand, p trace.Proc, _, _ int) (int, uint64, bool) { return 10, 1<<20 + uint64(128*p), true })
	for _, bandwidth := range []string{"10 Mb/s", "100 Mb/s"} {
		m := clumpMachine(t, `target = "clump"`, `target = "cow"`, "processors = 2", "processors = 1", `"100 Mb/s"`, `"`+bandwidth+`"`)
		got, err := MVA{}.Predict(&Case{Runs: []*Run{measuredApart(t, src, m)}, Machine: m, Processors: 2})
		if err != nil {
			t.Fatal(err)
		}
		if want := simulated(t, src, m); !near(float64(got.EInstr), float64(want), 0.05) {
			t.Errorf("%s: %.4g ns, simulated %.4g ns", bandwidth, got.EInstr*1e9, want*1e9)
		}
	}
}
