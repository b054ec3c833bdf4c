package cluster

import (
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/model"
)

// fourNodes is a cluster of four nodes of two processors, with changes.
func fourNodes(t *testing.T, changes ...string) *machine.Machine {
	t.Helper()
	return clumpMachine(t, append([]string{"nodes = 2", "nodes = 4", `"100 Mb/s"`, `"100 Gb/s"`, `"256 KiB"`, `"64 KiB"`, `invalidate = "50 cycles"`, "invalidate = \"50 cycles\"\nplacement = \"interleaved\""}, changes...)...)
}

func mvaOf(t *testing.T, r *Run, m *machine.Machine, others ...*machine.Machine) model.Prediction {
	t.Helper()
	m, err := m.WithNodes(others...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := MVA{}.Predict(&Case{Runs: []*Run{r}, Machine: m, Processors: 8})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Nodes of other kinds that are alike change nothing; a slower one holds all up at the barrier, by no more than if all were
// slower; a faster one holds up nobody; and which of the nodes is slow matters little where all do the same.
func TestUnequalNodesAtTheirLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("solves models of eight processors")
	}
	m, slow, fast := fourNodes(t), fourNodes(t, "cpi = 1", "cpi = 3"), fourNodes(t, "cpi = 1", "cpi = 0.2")
	r := measuredApart(t, record(8, 2000, scatter(200, 4096, 0.3), scatter(200, 4096, 0.3)), m)
	equal := mvaOf(t, r, m)
	if same := mvaOf(t, r, m, m, m); same.EInstr != equal.EInstr || same.Split != equal.Split || same.Interval != equal.Interval {
		t.Errorf("%+v, want %+v", same.Split, equal.Split)
	}
	if same := mvaOf(t, r, m, slow, slow, slow, slow); same.EInstr != mvaOf(t, r, slow).EInstr {
		t.Errorf("all nodes replaced: %v", same.EInstr)
	}
	all, one := mvaOf(t, r, slow), mvaOf(t, r, m, slow)
	if !(one.EInstr > equal.EInstr && one.EInstr <= all.EInstr*1.01 && one.EInstr > all.EInstr*0.95) {
		t.Errorf("one slow node of four: %v; none %v, all %v", one.EInstr, equal.EInstr, all.EInstr)
	}
	if !(one.Split.Sync > equal.Split.Sync) {
		t.Errorf("nobody waits for the slow node: %+v", one.Split)
	}
	if better := mvaOf(t, r, m, fast); !(better.EInstr <= equal.EInstr*1.001) {
		t.Errorf("a faster node makes %v of %v", better.EInstr, equal.EInstr)
	}
}

// Caches of another size have their own misses.
func TestUnequalCaches(t *testing.T) {
	m, more := fourNodes(t), fourNodes(t, `size = "64 KiB"`, `size = "32 KiB"`, "ways = 2", "ways = 1")
	r := measuredApart(t, record(8, 2000, scatter(20, 600, 0.3)), m)
	if a, b := mvaOf(t, r, m), mvaOf(t, r, m, more); !(b.EInstr > a.EInstr) {
		t.Errorf("half of the cache in one node: %v, all alike %v", b.EInstr, a.EInstr)
	}
}

// A node with nothing to do does not matter, however slow; two nodes that work alone take as long as the slower one.
func TestNodeWithoutWork(t *testing.T) {
	c := costs{instr: 1, memory: 50, occupancy: 50, interconnect: interconnect{nodes: 2, block: messageTime{500, 300}, right: messageTime{100, 20}}}
	slow := c
	slow.instr = 1000
	work := func(idle bool) program {
		w := windowWork{Instr: 1e6, Misses: 1000, Remote: remoteRequests{Blocks: 100}}
		if idle {
			return program{{{w}, {}}}
		}
		return program{{{w}, {{Instr: 1e6}}}}
	}
	with := func(c costs, second costs, idle bool) float64 {
		c.each = []costs{c, second}
		return c.run(work(idle), 2, waits).now
	}
	if a, b := with(c, c, true), with(c, slow, true); a != b {
		t.Errorf("%v with an idle node, %v if it is slow", a, b)
	}
	if got := with(c, slow, false); got != 1e9 {
		t.Errorf("%v, want the 1e6 x 1000 of the slow node", got)
	}
}

func TestUnequalNodesRefuse(t *testing.T) {
	m := fourNodes(t)
	r := measuredApart(t, record(8, 200, scatter(20, 600, 0.3)), m)
	one, err := m.WithNodes(fourNodes(t, `target = "clump"`, `target = "cow"`, "processors = 2", "processors = 1"), fourNodes(t, "processors = 2", "processors = 3"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (MVA{}).Predict(&Case{Runs: []*Run{r}, Machine: one, Processors: 8}); err == nil || !strings.Contains(err.Error(), "has 1 processors, one of test + test + test has 2") {
		t.Error(err)
	}
	m, err = m.WithNodes(m, m, m, m)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (MVA{}).Predict(&Case{Runs: []*Run{r}, Machine: m, Processors: 6}); err == nil || !strings.Contains(err.Error(), "4 nodes of other kinds among 3") {
		t.Error(err)
	}
	for _, v := range []model.Model[*Case]{Paper{}, Curve{}} {
		if _, err := v.Predict(&Case{Runs: []*Run{lawRun(t, 1, 1.3, 90, 0.31)}, Machine: m, Processors: 8}); err == nil || !strings.Contains(err.Error(), "needs equal nodes; use model mva") {
			t.Error(err)
		}
	}
}
