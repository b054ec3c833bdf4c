package budget

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/predict/cluster"
	"spoor/predict/internal/catalogue"
	"spoor/predict/internal/model"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// shop is a catalogue with two kinds of nodes and two networks.
const shop = `name = "shop"
[catalogue]
date = "1999-06"
lifetime = "1000 h"
[[node]]
name = "ws"
price = "$1000"
processors = [1]
most = 20
[node.processor]
clock = "200 MHz"
cpi = 1
[node.last_cache]
sizes = ["256 KiB", "512 KiB"]
prices = ["$0", "$150"]
line = "64 B"
ways = 2
latency = "1 cycle"
[node.memory]
sizes = ["64 MiB", "128 MiB"]
prices = ["$100", "$200"]
latency = "50 cycles"
[node.disk]
latency = "2000 cycles"
[[node]]
name = "smp"
price = "$1800"
processors = [2, 4]
processor_price = "$300"
most = 12
[node.processor]
clock = "200 MHz"
cpi = 1
[node.last_cache]
sizes = ["256 KiB"]
line = "64 B"
ways = 2
latency = "1 cycle"
[node.memory]
sizes = ["64 MiB"]
latency = "50 cycles"
[[network]]
name = "ethernet"
price = "$40"
base = "$110"
[network.link]
model = "bus"
bandwidth = "100 Mb/s"
latency = "75 cycles"
[[network]]
name = "atm"
price = "$350"
base = "$1000"
most = 16
[network.link]
model = "switch"
bandwidth = "155 Mb/s"
latency = "75 cycles"
`

func catalogueOf(t testing.TB, text string) *catalogue.Catalogue {
	t.Helper()
	p, err := machine.ParsePrices("shop.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return (*catalogue.Catalogue)(p.Catalogue)
}

func params(alpha, beta, gamma float64) string {
	return fmt.Sprintf("[alpha]\nvalue = %v\nunit = \"1\"\n[beta]\nvalue = %v\nunit = \"lines\"\n[gamma]\nvalue = %v\nunit = \"1\"\n"+
		"[line]\nvalue = 64.0\nunit = \"B\"\n[processors]\nvalue = 1.0\nunit = \"1\"\n[instructions]\nvalue = 1e9\nunit = \"1\"\n", alpha, beta, gamma)
}

func powerLaw(t testing.TB, alpha, beta, gamma float64) []*cluster.Run {
	t.Helper()
	set, err := param.Parse("prog", []byte(params(alpha, beta, gamma)))
	if err != nil {
		t.Fatal(err)
	}
	return []*cluster.Run{{Name: "prog", Program: "prog", Processors: 1, Params: set}}
}

// traced is a run with stack distances in lines of 64 B and blocks of 256 B.
func traced(t testing.TB) []*cluster.Run {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "locality.params.toml"), []byte(params(1.2, 100, 0.3)), 0o666); err != nil {
		t.Fatal(err)
	}
	var proc []int32
	var line, distance []int64
	var count []uint64
	for _, l := range []int64{64, 256} {
		for d, n := int64(-1), uint64(100000); d < 1<<21; d, n = max(1, d*2), n*2/3+1 {
			proc, line, distance, count = append(proc, 0), append(line, l), append(distance, d), append(count, n)
		}
	}
	reuse := &store.Table{Name: "reuse", Meta: []trace.Arg{{Key: "program", Value: "prog"}, {Key: "procs", Value: "1"}, {Key: "trace", Value: ""}},
		Columns: []store.Column{{Name: "proc", Data: proc}, {Name: "line", Data: line}, {Name: "distance", Data: distance}, {Name: "count", Data: count}}}
	if err := store.WriteTable(filepath.Join(dir, "reuse.arrow"), reuse); err != nil {
		t.Fatal(err)
	}
	r, err := cluster.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return []*cluster.Run{r}
}

func problem(t testing.TB, text string, runs []*cluster.Run, m model.Model[*cluster.Case]) *Problem {
	return &Problem{Runs: runs, Model: m, Catalogue: catalogueOf(t, text), Budget: 30000, Objective: Objectives[0], Top: 7, Beaten: true, Error: math.NaN()}
}

// plain enumerates everything, predicts everything as predict cluster does, and sorts.
func plain(t testing.TB, p *Problem) (ranked, front []Candidate) {
	t.Helper()
	c := p.Catalogue
	for at, s := range c.Configurations() {
		for nodes := 1; nodes <= 200; nodes++ {
			s.Nodes = nodes
			single := s.Network == catalogue.NoNetwork
			offer := c.Nodes[s.Node]
			n := nodes * s.Processors
			switch {
			case single != (nodes == 1), offer.MaxNodes > 0 && nodes > offer.MaxNodes, !single && c.Networks[s.Network].MaxNodes > 0 && nodes > c.Networks[s.Network].MaxNodes:
				continue
			case p.Limits.PowerOfTwo && n&(n-1) != 0, p.Limits.MaxNodes > 0 && nodes > p.Limits.MaxNodes:
				continue
			case p.Limits.MinMemory > offer.Memories[s.Memory].Size:
				continue
			}
			one := offer.Price + unit.Dollars(s.Processors)*(offer.PerProcessor+offer.Caches[s.Cache].Price) + offer.Memories[s.Memory].Price
			price := one
			if !single {
				price = c.Networks[s.Network].Base + unit.Dollars(nodes)*(one+c.Networks[s.Network].Price)
			}
			if price > p.Budget {
				continue
			}
			pred, err := p.Predict(Candidate{Parts: s})
			if err != nil {
				t.Fatal(err)
			}
			e := Candidate{Parts: s, Paid: price, Worth: price, Time: pred.EInstr * 1e9, at: at}
			e.Value = float64(e.Time)
			job := float64(price) * float64(e.Time) / (1000 * 3600)
			switch p.Objective.Name {
			case "cost-per-job":
				e.Value = job
			case "time-cost":
				e.Value *= job
			}
			if p.Limits.Deadline > 0 && e.Time > p.Limits.Deadline {
				continue
			}
			ranked = append(ranked, e)
		}
	}
	slices.SortStableFunc(ranked, func(a, b Candidate) int {
		switch {
		case a.Value < b.Value:
			return -1
		case a.Value > b.Value:
			return 1
		}
		return int(a.Paid - b.Paid)
	})
	for i, a := range ranked {
		beaten := slices.ContainsFunc(ranked, func(b Candidate) bool {
			return b.Paid <= a.Paid && b.Time <= a.Time && (b.Paid < a.Paid || b.Time < a.Time)
		})
		if !beaten {
			front = append(front, ranked[i])
		}
	}
	slices.SortFunc(front, func(a, b Candidate) int { return int(a.Paid - b.Paid) })
	return ranked, front
}

// near says whether two lists are of the same machines with equal times and values, rounding aside.
func near(t *testing.T, what string, got, want []Candidate) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d machines, want %d", what, len(got), len(want))
		return
	}
	for i := range got {
		a, b := got[i], want[i]
		if a.Parts != b.Parts || math.Abs(a.Value-b.Value) > 1e-12*math.Abs(b.Value) || math.Abs(float64(a.Time-b.Time)) > 1e-12*float64(b.Time) || a.Paid != b.Paid {
			t.Errorf("%s: place %d: %+v, want %+v", what, i+1, a, b)
		}
	}
}

// affordable are those of list that cost no more than so much.
func affordable(list []Candidate, money unit.Dollars) []Candidate {
	return slices.DeleteFunc(slices.Clone(list), func(c Candidate) bool { return c.Paid > money })
}

// The search with bounds finds what plain enumeration finds.
func TestSearchIsEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range testsize.Cases(40, 16) {
		runs := powerLaw(t, 1.05+random.Float64(), math.Exp(8*random.Float64()), random.Float64())
		var m model.Model[*cluster.Case] = cluster.Paper{Raise: float64(i%2) * 0.124}
		switch i % 8 {
		case 5:
			m = cluster.Paper{Printed: true}
		case 7:
			runs, m = traced(t), cluster.Curve{}
		}
		p := problem(t, shop, runs, m)
		p.Objective = Objectives[i%len(Objectives)]
		p.Budget = unit.Dollars(3000 + random.IntN(40000))
		p.Limits = Limits{PowerOfTwo: i%5 == 1, MaxNodes: []int{0, 0, 7}[i%3]}
		p.Top = []int{1, 3, 10, 1000}[i%4]
		ranked, front := plain(t, p)
		if i%6 == 5 {
			p.Limits.Deadline = ranked[len(ranked)/2].Time
			ranked, front = plain(t, p)
		}
		r, err := p.Search()
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprintf("case %d, ranking", i), r.Ranked, ranked[:min(len(ranked), p.Top)])
		near(t, fmt.Sprintf("case %d, front", i), r.Front, front)
		unbeaten := *p
		unbeaten.Beaten = false
		alone, err := unbeaten.Search()
		if err != nil {
			t.Fatal(err)
		}
		left := slices.DeleteFunc(slices.Clone(ranked), func(c Candidate) bool {
			return !slices.ContainsFunc(front, func(d Candidate) bool { return c.Parts == d.Parts })
		})
		near(t, fmt.Sprintf("case %d, without those that are beaten", i), alone.Ranked, left[:min(len(left), p.Top)])
		for _, c := range ranked { // with just so much money as some machine costs
			got, want := affordable(r.SmallerBudgets, c.Paid), affordable(ranked, c.Paid)
			near(t, fmt.Sprintf("case %d, for %v", i, c.Paid), got[:min(2, len(got))], want[:min(2, len(want))])
		}
		if r.Predicted > r.All || p.Limits.Deadline == 0 && len(ranked) != r.All {
			t.Errorf("case %d: %d of %d machines, want %d", i, r.Predicted, r.All, len(ranked))
		}
	}
}

// A decision holds the ranking, and the best two of every smaller budget, which have no rank.
func TestDecision(t *testing.T) {
	p := problem(t, shop, powerLaw(t, 1.2, 100, .3), cluster.Paper{})
	p.Top, p.Error = 1, .1
	r, err := p.Search()
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Decision(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	ranks, _ := store.Data[int32](d, "rank")
	price, _ := store.Data[float64](d, "price")
	e, _ := store.Data[float64](d, "e_instr")
	time, _ := store.Data[float64](d, "time")
	if d.Name != "budget" || d.Fact("model_error") != "0.1" || len(ranks) != len(r.SmallerBudgets) || len(ranks) < 5 || ranks[0] != 1 || slices.Max(ranks[1:]) > 0 {
		t.Fatalf("%d rows of %d, ranks %v, facts %v", len(ranks), len(r.SmallerBudgets), ranks, d.Meta)
	}
	for i, c := range r.SmallerBudgets { // the runs have 10^9 instructions
		if price[i] != float64(c.Paid) || math.Abs(e[i]/time[i]-1) > 1e-12 {
			t.Errorf("row %d: $%v, %v ns, %v s; want %+v", i, price[i], e[i], time[i], c)
		}
	}
}

// A series agrees with predictions bit by bit, and bounds them from below.
func TestSeriesIsPrediction(t *testing.T) {
	for _, m := range []model.Model[*cluster.Case]{cluster.Paper{}, cluster.Paper{NoBarriers: true}, cluster.Paper{Raise: 0.124}, cluster.Paper{Printed: true}, cluster.Curve{}} {
		runs := traced(t)
		instr, err := runs[0].Params.Get("instructions", "1")
		if err != nil {
			t.Fatal(err)
		}
		c := catalogueOf(t, shop)
		for _, s := range c.Configurations() {
			s.Nodes = c.MaxNodes(s)
			series, err := cluster.NewSeries(m, runs, c.Machine(s))
			if err != nil {
				t.Fatal(err)
			}
			for most := s.Nodes; s.Nodes >= 1; s.Nodes-- {
				if s.Network == catalogue.NoNetwork != (s.Nodes == 1) {
					continue
				}
				p, err := m.Predict(&cluster.Case{Runs: runs, Machine: c.Machine(s), Processors: s.Nodes * s.Processors})
				if err != nil {
					t.Fatal(err)
				}
				got, err := series.Time(s.Nodes)
				least, err2 := series.LeastTime(s.Nodes)
				if want := p.EInstr * unit.Seconds(instr.Value); err != nil || err2 != nil || got != want || least > got {
					t.Errorf("%s, %s of %d: %v to %v, want %v", m.Name(), c.Name(s), most, least, got, want)
				}
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, row := range []struct {
		change func(p *Problem)
		say    string
	}{
		{func(p *Problem) { p.Budget = 1099 }, "no machine within the limits costs at most $1099: the cheapest is 1x1 ws 256KiB 64MiB for $1100"},
		{func(p *Problem) { p.Budget, p.Limits.MinMemory = 1199, 65<<20 }, "the cheapest is 1x1 ws 256KiB 128MiB for $1200"},
		{func(p *Problem) { p.Limits.MinMemory = 1 << 40 }, "no machine of the catalogue meets --min-memory 1TiB at any price; drop --min-memory 1TiB"},
		{func(p *Problem) { p.Limits = Limits{MaxNodes: 2, MinProcessors: 9, PowerOfTwo: true} }, "meets --power-of-two, --max-nodes 2, --min-processors 9 at any price; drop --max-nodes 2 or --min-processors 9"},
		{func(p *Problem) { p.Limits = Limits{MaxNodes: 2, MinProcessors: 9, MinMemory: 1 << 40} }, "dropping one of these limits does not help"},
		{func(p *Problem) { p.Limits.Deadline = 1e-9 }, "no machine meets --deadline 1ns within the budget and the other limits: the fastest takes"},
		{func(p *Problem) { p.Budget = unit.Dollars(math.NaN()) }, "not an amount of 0 or more"},
		{func(p *Problem) { p.Budget = -1 }, "not an amount of 0 or more"},
		{func(p *Problem) { p.Budget = unit.Dollars(math.Inf(1)) }, "not an amount of 0 or more"},
		{func(p *Problem) { p.Top = 0 }, "cannot rank 0 machines"},
		{func(p *Problem) { p.Catalogue = nil }, "has no [catalogue]"},
		{func(p *Problem) { p.Model = cluster.Curve{} }, "model curve can predict none of"},
		{func(p *Problem) {
			p.Catalogue = catalogueOf(t, strings.Replace(shop, "lifetime = \"1000 h\"\n", "", 1))
			p.Objective = Objectives[1]
		}, "objective cost-per-job needs catalogue.lifetime"},
	} {
		t.Run(row.say, func(t *testing.T) {
			p := problem(t, shop, powerLaw(t, 1.2, 100, 0.3), cluster.Paper{})
			row.change(p)
			if _, err := p.Search(); err == nil || !strings.Contains(err.Error(), row.say) {
				t.Errorf("got %v, want %q", err, row.say)
			}
		})
	}
	if _, err := ObjectiveNamed("luck"); err == nil {
		t.Error("there is no such objective")
	}
}

// The margin is held against the model's error, and a parameter that decides shows.
func TestDoubt(t *testing.T) {
	p := problem(t, shop, powerLaw(t, 1.2, 100, 0.3), cluster.Paper{})
	warned := func() string {
		r, err := p.Search()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(r.Warnings)
	}
	if got := warned(); !strings.Contains(got, "is inside the model's error, which is -46 % to") {
		t.Error(got)
	}
	if p.Error = 1; !strings.Contains(warned(), "inside the model's error of 1e+02 %") {
		t.Error(warned())
	}
	if p.Error = 0; strings.Contains(warned(), "inside the model's error") {
		t.Error(warned())
	}
	r, _ := p.Search()
	shifts, err := p.Sensitivity(r, 0.1)
	if err != nil || len(shifts) == 0 {
		t.Fatal(err, shifts)
	}
	for _, s := range shifts {
		up := s.Factor > 1
		switch s.Parameter {
		case "1/S", "gamma", "beta", "tau_1", "tau_2":
			if up != (s.Change > 0) {
				t.Errorf("%+v", s)
			}
		case "alpha":
			if up != (s.Change < 0) {
				t.Errorf("%+v", s)
			}
		}
		if s.Regret < 0 {
			t.Errorf("the winner of before is better than the best: %+v", s)
		}
	}
}

func TestUpgrade(t *testing.T) {
	p := problem(t, shop, powerLaw(t, 1.2, 100, 0.3), cluster.Paper{})
	have := catalogue.Parts{Nodes: 3, Processors: 1, Network: 0}
	q, err := p.UpgradeOf(p.Catalogue.Machine(have))
	if err != nil || *q.Have != have {
		t.Fatal(err, q.Have)
	}
	ws := func(nodes, cache, memory, network int) catalogue.Parts {
		return catalogue.Parts{Nodes: nodes, Processors: 1, Cache: cache, Memory: memory, Network: network}
	}
	for _, row := range []struct {
		parts catalogue.Parts
		want  unit.Dollars
	}{
		{have, 0},
		{ws(5, 0, 0, 0), 2 * (1100 + 40)},
		{ws(3, 0, 1, 0), 3 * 100},      // the memory that is missing
		{ws(3, 1, 0, 0), 3 * 150},      // new caches
		{ws(3, 0, 0, 1), 1000 + 3*350}, // a new network
		{ws(4, 1, 1, 1), 1000 + 4*350 + 3*(150+100) + 1000 + 350}, // all of it, and a node
		{catalogue.Parts{Node: 1, Nodes: 2, Processors: 4, Network: 0}, 110 + 2*(1800+4*300+40)},
	} {
		t.Run(fmt.Sprint(row.want), func(t *testing.T) {
			if got := q.addition(row.parts); got != row.want {
				t.Errorf("%+v: %v, want %v", row.parts, got, row.want)
			}
		})
	}
	q.Budget = 5000
	r, err := q.Search()
	if err != nil {
		t.Fatal(err)
	}
	if first := r.Front[0]; first.Paid != 0 || first.Parts != have {
		t.Errorf("nothing costs nothing: %+v", first)
	}
	for _, c := range r.Ranked {
		if c.Paid > 5000 || c.Node == 0 && c.Nodes < 3 {
			t.Errorf("%+v", c)
		}
	}
	for _, row := range []struct {
		change func(m *machine.Machine)
		say    string
	}{
		{func(m *machine.Machine) { m.Processor.CPI = 2 }, "no node has a processor of 200MHz with a cpi of 2"},
		{func(m *machine.Machine) { m.Caches = slices.Clone(m.Caches); m.Caches[0].Size *= 4 }, "has these caches, the last of 1MiB"},
		{func(m *machine.Machine) { m.Memory.Size *= 16 }, "has a memory of 1GiB"},
		{func(m *machine.Machine) { m.System.Processors = 3 }, "no such node has 3 processors"},
		{func(m *machine.Machine) { n := *m.Network; n.Bandwidth.Value *= 3; m.Network = &n }, "it has no such network"},
		{func(m *machine.Machine) { m.System.Nodes = 21 }, "there are no 21 such nodes"},
	} {
		t.Run(row.say, func(t *testing.T) {
			m := p.Catalogue.Machine(have)
			row.change(m)
			if _, err := p.UpgradeOf(m); err == nil || !strings.Contains(err.Error(), row.say) {
				t.Errorf("got %v, want %q", err, row.say)
			}
		})
	}
}

// What is written of a machine reads back as it.
func TestDescribe(t *testing.T) {
	p := problem(t, shop, powerLaw(t, 1.2, 100, 0.3), cluster.Paper{})
	r, err := p.Search()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "machines")
	if err := p.Describe(r, dir); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.toml"))
	if len(files) != len(r.Ranked) {
		t.Fatal(files)
	}
	for i, f := range files {
		m, err := machine.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		if parts, err := p.Catalogue.PartsOf(m); err != nil || parts != r.Ranked[i].Parts {
			t.Errorf("%s: %+v, %v", f, parts, err)
		}
	}
}

// many is a catalogue of about a million machines for the money.
func many() (string, unit.Dollars) {
	var b strings.Builder
	b.WriteString("name = \"many\"\n[catalogue]\ndate = \"never\"\nlifetime = \"1000 h\"\n")
	for i := range 10 {
		fmt.Fprintf(&b, "[[node]]\nname = \"n%d\"\nprice = \"$%d\"\nprocessors = [1, 2, 4, 8]\nprocessor_price = \"$%d\"\n[node.processor]\nclock = \"%d MHz\"\ncpi = 1\n"+
			"[node.last_cache]\nsizes = [\"256 KiB\", \"512 KiB\", \"1 MiB\"]\nprices = [\"$0\", \"$100\", \"$300\"]\nline = \"64 B\"\nways = 2\nlatency = \"1 cycle\"\n"+
			"[node.memory]\nsizes = [\"64 MiB\", \"128 MiB\", \"256 MiB\", \"512 MiB\"]\nprices = [\"$100\", \"$200\", \"$400\", \"$800\"]\nlatency = \"250 ns\"\n[node.disk]\nlatency = \"10 us\"\n",
			i, 900+70*i, 100+30*i, 200+20*i)
	}
	for i := range 5 {
		for j, kind := range []string{"bus", "switch"} {
			fmt.Fprintf(&b, "[[network]]\nname = \"l%d%s\"\nprice = \"$%d\"\nbase = \"$%d\"\n[network.link]\nmodel = \"%s\"\nbandwidth = \"%d Mb/s\"\nlatency = \"1 us\"\n", i, kind, 20+60*i+90*j, 100+i*400, kind, 10<<(2*i))
		}
	}
	return b.String(), 580000
}

// BenchmarkMillion looks for the best of a million machines, and counts how many had to be predicted.
func BenchmarkMillion(b *testing.B) {
	text, money := many()
	for _, law := range []struct {
		name               string
		alpha, beta, gamma float64
	}{{"local", 1.7, 85, 0.45}, {"scattered", 1.14, 120, 0.37}} {
		b.Run(law.name, func(b *testing.B) {
			p := problem(b, text, powerLaw(b, law.alpha, law.beta, law.gamma), cluster.Paper{})
			p.Budget = money
			for b.Loop() {
				r, err := p.Search()
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.All), "machines")
				b.ReportMetric(float64(r.Predicted), "predicted")
			}
		})
	}
}
