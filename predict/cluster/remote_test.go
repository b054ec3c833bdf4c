package cluster

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"spoor/calibrate/machine"
)

// clusterPrinted is (3.4) with the equation of a cluster as printed, corrected in its prefactor, term by term.
func clusterPrinted(s *smp) float64 {
	perSecond := 1 / s.instr
	n, nodes := float64(s.n), float64(s.nodes)
	l2, l3, l4 := s.gamma*perSecond*s.memory, s.gamma*perSecond*s.remoteAccess.share, s.gamma*perSecond*s.paging
	queue := func(customers, rate, tau float64) float64 {
		return customers * tau / utilization(int(customers), rate*tau)
	}
	t2, t4 := s.costs.memory, s.disk // (3.19), (3.20)
	if s.n > 1 {                     // (3.22), (3.23)
		t2, t4 = queue(n, l2, t2)-1/l2, queue(n, l4, t4)-1/l4
	}
	net := queue(n*nodes, l3, s.tau) - 1/l3 // (3.24)
	if s.switched {                         // (3.26)
		net = queue(n*(nodes-1), l3/(nodes-1), s.tau) - (nodes-1)/l3
	}
	bracket := t2*(l2+l3) + net*l3 + t4*l4
	for k := 2.0; k <= n*nodes; k++ {
		bracket += 1 / k
	}
	tmem := s.touch + bracket/(s.gamma*perSecond)
	return (1/perSecond + s.gamma*tmem) / (n * nodes)
}

// [du2000, eq. 3.19, 3.20, 3.25, 3.27].
func TestClusterEquations(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			for _, nodes := range []int{2, 3, 8} {
				for _, switched := range []bool{false, true} {
					for _, share := range []float64{1e-4, 1e-3, 1e-2} {
						s := smp{costs: costs{instr: 1, touch: 1, memory: 50}, disk: 2000, n: n, gamma: 0.3, memory: 0.02, paging: 1e-4,
							remoteAccess: remoteAccess{nodes: nodes, switched: switched, tau: 3275, share: share}}
						out := s.solve(response)
						if got, want := out.eInstr(s.processors()), clusterPrinted(&s); !near(got, want, 1e-6) {
							t.Errorf("%+v: got %v, as printed %v", s.remoteAccess, got, want)
						}
					}
				}
			}
		})
	}
	alone := smp{costs: costs{instr: 1, touch: 1, memory: 50}, disk: 2000, n: 4, gamma: 0.3, memory: 0.02, paging: 1e-4}
	one := alone
	one.remoteAccess = remoteAccess{nodes: 1, tau: 3275}
	if a, b := one.solve(response), alone.solve(response); a != b {
		t.Errorf("a cluster of one SMP is no SMP: %+v, %+v", a, b)
	}
}

const clumpText = `[network]
model = "bus"
bandwidth = "100 Mb/s"
header = "25 B"
latency = "75 cycles"
[system]
target = "clump"
nodes = 2
`

func clumpMachine(t testing.TB, changes ...string) *machine.Machine {
	t.Helper()
	return smpMachine(t, append([]string{"processors = 8", "processors = 2", "[system]\ntarget = \"smp\"\n", clumpText}, changes...)...)
}

// A remote access is a message of 256 + 25 bytes, and 75 cycles.
func TestRemoteAccess(t *testing.T) {
	c := &Case{Machine: clumpMachine(t), Processors: 4}
	r, err := c.remoteAccess()
	if want := 75*5e-9 + 281*8/100e6; err != nil || r.nodes != 2 || r.switched || !near(r.tau, want, 1e-6) {
		t.Errorf("%+v, %v, want a time of %v", r, err, want)
	}
	c.Machine = clumpMachine(t, `model = "bus"`, `model = "switch"`, `header = "25 B"`, "header = \"25 B\"\nefficiency = \"48/53\"")
	r, err = c.remoteAccess()
	if want := 75*5e-9 + 281*8/100e6*53/48; err != nil || !r.switched || !near(r.tau, want, 1e-6) {
		t.Errorf("%+v, %v, want a time of %v", r, err, want)
	}
	c.Processors = 2 // one node
	if r, err = c.remoteAccess(); err != nil || r.nodes != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	c.Processors = 3
	c.Runs = []*Run{{Processors: 3}}
	if err := c.check(); err == nil || !strings.Contains(err.Error(), "do not fill nodes of machine test, which have 2 each") {
		t.Error(err)
	}
	c.Machine, c.Processors = clumpMachine(t, `model = "bus"`, `model = "hypercube"`), 4
	if _, err = c.remoteAccess(); err == nil || !strings.Contains(err.Error(), "needs a bus or a switch") {
		t.Error(err)
	}
}

// Raising the rate of remote accesses costs just those.
func TestPaperRaised(t *testing.T) {
	r := lawRun(t, 4, 1.3, 90, 0.31)
	c := &Case{Runs: []*Run{r}, Machine: clumpMachine(t), Processors: 4}
	plain, err := Paper{}.Predict(c)
	if err != nil {
		t.Fatal(err)
	}
	raised, err := Paper{Raise: 0.124}.Predict(c)
	if err != nil || raised.Model != "paper+12.4%" || !(raised.EInstr > plain.EInstr) {
		t.Fatalf("%v and %v, %v", plain.EInstr, raised.EInstr, err)
	}
	term := func(terms string) (v float64) {
		for _, x := range raised.Terms {
			if x.Symbol == terms {
				v = x.Value
			}
		}
		return v
	}
	want := math.Pow(1+float64(64<<20)/64/90, 1-1.3) * 1.124
	if got := term("P_r"); !near(got, want, 1e-9) {
		t.Errorf("P_r is %v, want %v", got, want)
	}
}
