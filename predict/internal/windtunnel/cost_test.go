package windtunnel

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"spoor/calibrate/machine"
)

func sgi(t *testing.T) *machine.WindTunnel {
	t.Helper()
	p, err := machine.ReadPrices("../../../data/price/sgi1993.toml")
	if err != nil {
		t.Fatal(err)
	}
	return p.WindTunnel
}

// golden reads the rows of a table of the paper; "-" is not a number.
func golden(t *testing.T, name string) (rows [][]float64) {
	t.Helper()
	text, err := os.ReadFile("../../../data/paper/falsafi1997/" + name)
	if err != nil {
		t.Fatal(err)
	}
	head := true
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if head {
			head = false
			continue
		}
		var row []float64
		for _, f := range strings.Split(strings.TrimSpace(line), "\t") {
			v, err := strconv.ParseFloat(f, 64)
			if f == "-" {
				v = math.NaN()
			} else if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}

// The numbers behind "approximately two times the cost of a uniprocessor" [falsafi1997, sec. 5.2].
func TestCosts(t *testing.T) {
	m := sgi(t)
	bus, mpp := Hosts[0].Cost(m, 16, 2), Hosts[1].Cost(m, 16, 2)
	if uni := uniprocessor(m, 32); uni != 125600 || bus != 219200 || mpp != 222400 {
		t.Errorf("uni %v, bus %v, mpp %v", uni, bus, mpp)
	}
	for _, row := range golden(t, "costup.tsv") {
		targets, k := int(row[0]), int(row[1])
		for i, h := range Hosts {
			if math.IsNaN(row[2+i]) {
				if h.Takes(m, targets/k) {
					t.Errorf("%s takes %d", h.Name, targets/k)
				}
				continue
			}
			if o := offer(h, m, targets, targets/k, 1); !h.Takes(m, targets/k) || math.Abs(o.Costup-row[2+i]) > 0.005 {
				t.Errorf("%s, %d targets, %d on each: costup %v, want %v", h.Name, targets, k, o.Costup, row[2+i])
			}
		}
	}
	for p, takes := range map[int][2]bool{1: {false, false}, 2: {true, true}, 40: {true, true}, 41: {false, true}} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			for i, h := range Hosts {
				if h.Takes(m, p) != takes[i] {
					t.Errorf("%s with %d processors: %v", h.Name, p, h.Takes(m, p))
				}
			}
		})
	}
}

// Cost over speedup, and worth it exactly if the speedup is above the costup, which is to say if that is less than a uniprocessor.
func TestOffers(t *testing.T) {
	m := sgi(t)
	for _, speedup := range []float64{1, 2.06, 2.07, 4, 32} {
		t.Run(fmt.Sprint(speedup), func(t *testing.T) {
			o := offer(Hosts[0], m, 32, 4, speedup)
			within(t, "eq. 20", float64(o.CostPerformance), 259200/speedup, 1e-12)
			if o.Effective != (speedup > 259200.0/125600) || o.Effective != (o.CostPerformance < uniprocessor(m, 32)) {
				t.Errorf("speedup %v: %+v", speedup, o)
			}
		})
	}
}

func TestMinimum(t *testing.T) {
	for _, row := range golden(t, "kmin.tsv") {
		for i, r := range []float64{6.25, 6.875, 9.375, 18.75, 75} {
			if want := row[1+i]; !math.IsNaN(want) {
				if got := (asymptote{r, row[0]}).minimum(); math.Abs(got-want) > 0.0051 {
					t.Errorf("r %v beta %v: %v, want %v", r, row[0], got, want)
				}
			}
		}
	}
	if (asymptote{5, 0}).minimum() != 0 {
		t.Error("without variation, K as small as can be")
	}
	for beta := 1e-6; beta < 1e9; beta *= 3 { // both branches of the closed form, by bisection
		for _, r := range []float64{0.1, 6.25, 18.75, 1e4} {
			lo, hi := 0.0, 10+2*math.Sqrt(r)+math.Cbrt(r*beta)
			for range 200 {
				if x := (lo + hi) / 2; 2*x*x*x+beta*x*x-r*beta < 0 {
					lo = x
				} else {
					hi = x
				}
			}
			a := asymptote{r, beta}
			within(t, "K_min", a.minimum(), lo*lo, 1e-9)
			if k := a.minimum(); a.costPerformance(k) > a.costPerformance(k*1.01)*(1+1e-12) || a.costPerformance(k) > a.costPerformance(k*0.99)*(1+1e-12) {
				t.Errorf("%+v: K = %v is no minimum", a, k)
			}
		}
	}
}

// The asymptote is eq. 20 of T = a K + b sqrt(K ln p), with costs that are p (C_processor + K C_memory).
func TestAsymptoteIsCostPerformance(t *testing.T) {
	m := &machine.WindTunnel{Processor: 20000, Memory: 3200, BusProcessors: 1 << 20, Network: 2}
	p := parameters()
	p.Sigma = 35
	printed, _ := Named("printed")
	c, err := newCalculator(printed, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range Hosts {
		for _, hosts := range []int{2, 8, 32} {
			a, err := c.asymptote(h, m, hosts)
			if err != nil {
				t.Fatal(err)
			}
			one, _ := c.time(32, 1)
			each := float64(one.total()-one.Overhead) / 32
			const k = 50
			time := each*k + 35*math.Sqrt(2*k*math.Log(float64(hosts)))
			want := time / (each * k * float64(hosts)) * float64(hosts) * float64(h.node(m)+k*m.Memory)
			within(t, "eq. 21", a.costPerformance(k)*float64(m.Memory), want, 1e-9)
		}
	}
}

// A host as in the paper: overhead that is worth a good part of the time. Parallel simulation becomes
// cost-effective at 16 to 32 targets [falsafi1997, sec. 6].
func TestBreakEven(t *testing.T) {
	p := parameters()
	for _, m := range Models[1:] {
		c, err := newCalculator(m, p)
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range Hosts {
			n, err := c.breakEven(h, sgi(t))
			if err != nil || n < 8 || n > []int{32, 64}[i] {
				t.Errorf("%s, %s: %d, %v", m.Name, h.Name, n, err)
			}
			cheap := *sgi(t)
			cheap.Memory /= 4
			if later, err := c.breakEven(h, &cheap); err != nil || later < n {
				t.Errorf("%s, %s: with cheap memory %d, before %d; %v", m.Name, h.Name, later, n, err)
			}
		}
		dear := *sgi(t)
		dear.Network = 1e5
		if n, err := c.breakEven(Hosts[1], &dear); err != nil || n != 0 {
			t.Errorf("a network for the price of %d hosts: %d, %v", 100000, n, err)
		}
	}
}
