package budget

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spoor/predict/cluster"
	"spoor/predict/internal/catalogue"
	"spoor/predict/internal/model"
)

// TestBetter compares the probability with draws of the two errors.
func TestBetter(t *testing.T) {
	p := problem(t, shop, powerLaw(t, 1.2, 100, 0.3), cluster.Curve{})
	width := func(below, above float64) model.Prediction {
		return model.Prediction{EInstr: 1, ModelMargin: model.ModelMargin{Below: below, Above: above, Covers: "simulations"}}
	}
	for _, c := range []struct {
		name      string
		err       float64
		objective int
		margin    float64
	}{{"given error", 0.16, 0, 0.1}, {"equal", 0.16, 0, 0}, {"far behind", 0.16, 0, 2}, {"time-cost", 0.16, 2, 0.1}, {"interval", math.NaN(), 0, 0.1}, {"interval", math.NaN(), 1, 0.3}} {
		p.Error, p.Objective = c.err, Objectives[c.objective]
		best, second := width(0.2, 0.25), width(0.5, 1)
		got := p.better(best, second, c.margin)
		a, b := 0.16*math.Sqrt(math.Pi/2), 0.16*math.Sqrt(math.Pi/2)
		if math.IsNaN(c.err) {
			a, b = math.Log(1.25/0.8)/2/1.959964, math.Log(2/0.5)/2/1.959964
		}
		draw, better := rand.New(rand.NewPCG(1, 2)), 0
		const draws = 200000
		for range draws {
			first, other := math.Exp(a*draw.NormFloat64()), math.Exp(b*draw.NormFloat64())
			if p.Objective.of(1, 1) != 1 {
				t.Fatal("the objective of 1 is not 1")
			}
			power := 1.0
			if c.objective == 2 {
				power = 2
			}
			if (1+c.margin)*math.Pow(other, power) < math.Pow(first, power) {
				better++
			}
		}
		if share := float64(better) / draws; math.Abs(got-share) > 0.004 {
			t.Errorf("%s: %v, in draws %v", c.name, got, share)
		}
	}
	p.Error = math.NaN()
	if got := p.better(width(0.1, 0.1), model.Prediction{EInstr: 1}, 0.1); !math.IsNaN(got) {
		t.Errorf("%v without an error of the model", got)
	}
}

// TestJobs: so many jobs a month are a limit of the time, and divide the price of a bought machine.
func TestJobs(t *testing.T) {
	p := problem(t, shop, powerLaw(t, 1.2, 100, 0.3), cluster.Paper{})
	all, err := p.Search()
	if err != nil {
		t.Fatal(err)
	}
	p.Limits.Deadline = all.Ranked[3].Time
	want, err := p.Search()
	if err != nil {
		t.Fatal(err)
	}
	p.Limits.Deadline, p.Limits.Jobs = 0, float64(month/all.Ranked[3].Time)*(1-1e-12)
	got, err := p.Search()
	if err != nil || !reflect.DeepEqual(got.Ranked, want.Ranked) {
		t.Errorf("%+v\nwant %+v, %v", got, want, err)
	}
	if cost := p.JobCost(1000, 5); math.Abs(float64(cost)*p.Limits.Jobs/(1000*730.5/1000)-1) > 1e-9 { // a life of 1000 h is 1.37 months
		t.Errorf("a job costs %v", cost)
	}
	if s := p.Summary(got); !strings.Contains(s, "a job is one run of prog") || !strings.Contains(s, "a month take ") {
		t.Error(s)
	}
	p.Limits.Deadline, p.Limits.Jobs = 1, 1e15
	if _, err := p.Search(); err == nil || !strings.Contains(err.Error(), "--deadline 1s and --jobs 1000000000000000 a month") {
		t.Error(err)
	}
	p.Limits.Deadline, p.Limits.Jobs = all.Ranked[2].Time, 1
	if d := p.Limits.longest(); d != p.Limits.Deadline {
		t.Errorf("the longest time is %v", d)
	}
}

// TestLeavingOutKeepsTheBest: also of upgrades, whose cost of a job does not follow from the price to pay.
func TestLeavingOutKeepsTheBest(t *testing.T) {
	for _, objective := range Objectives {
		for nodes := 1; nodes <= 4; nodes++ {
			p := problem(t, shop, powerLaw(t, 1.2, 100, 0.3), cluster.Paper{})
			have := catalogue.Parts{Nodes: nodes, Processors: 1, Cache: 1, Memory: 1, Network: 1}
			if nodes == 1 {
				have.Network = catalogue.NoNetwork
			}
			q, err := p.UpgradeOf(p.Catalogue.Machine(have))
			if err != nil {
				t.Fatal(err)
			}
			q.Objective, q.Budget, q.Limits.Jobs, q.Top = objective, 20000, 1000, 1000
			all, err := q.Search()
			if err != nil {
				t.Fatal(err)
			}
			q.Beaten = false
			some, err := q.Search()
			if err != nil || some.Ranked[0] != all.Ranked[0] {
				t.Fatalf("%s, %d nodes: %+v is left out for %+v, %v", objective.Name, nodes, all.Ranked[0], some.Ranked[0], err)
			}
			for _, c := range all.Ranked {
				left := !slices.Contains(some.Ranked, c)
				beaten := slices.ContainsFunc(all.Ranked, func(d Candidate) bool {
					return d.Time <= c.Time && d.Paid <= c.Paid && d.Value <= c.Value && d != c
				})
				if left && !beaten {
					t.Errorf("%s, %d nodes: no machine beats %+v", objective.Name, nodes, c)
				}
			}
		}
	}
}
