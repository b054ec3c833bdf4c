package budget

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"spoor/analyze/phases"
	"spoor/predict/cluster"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// growing is a table in the making.
type growing struct {
	table store.Table
}

func (g *growing) column(name string) *store.Column {
	for i := range g.table.Columns {
		if g.table.Columns[i].Name == name {
			return &g.table.Columns[i]
		}
	}
	g.table.Columns = append(g.table.Columns, store.Column{Name: name})
	return &g.table.Columns[len(g.table.Columns)-1]
}

// add adds a row of names and values.
func (g *growing) add(row ...any) {
	for i := 0; i < len(row); i += 2 {
		c := g.column(row[i].(string))
		switch v := row[i+1].(type) {
		case int32:
			data, _ := c.Data.([]int32)
			c.Data = append(data, v)
		case int:
			data, _ := c.Data.([]int64)
			c.Data = append(data, int64(v))
		case uint64:
			data, _ := c.Data.([]uint64)
			c.Data = append(data, v)
		case string:
			data, _ := c.Data.([]string)
			c.Data = append(data, v)
		}
	}
}

// windowed are runs of a program that nobody wrote, with phases and traffic, on 1 to 16 processors.
func windowed(t *testing.T, random *rand.Rand) (runs []*cluster.Run) {
	t.Helper()
	for _, n := range []int{1, 2, 4, 8, 16} {
		dir := t.TempDir()
		facts := func(more ...string) (all []trace.Arg) {
			more = append(more, "program", "prog", "procs", fmt.Sprint(n), "trace", "")
			for i := 0; i < len(more); i += 2 {
				all = append(all, trace.Arg{Key: more[i], Value: more[i+1]})
			}
			return all
		}
		p := &growing{table: store.Table{Name: "phases", Meta: facts("sets", "2048, 4096", "window", "100000", "locks", "0", "flags", "0")}}
		a := &growing{table: store.Table{Name: "traffic", Meta: facts("block", "256", "processors of a node", "1, 2, 4", "placement", "first-touch, interleaved",
			"network", "ideal, bus, switch", "delay", "0, 1000, 100000", "delay of rights", "0.1")}}
		for proc := range int32(n) {
			for phase := range 3 {
				for window := range 2 {
					phaseRows(p, random, proc, phase, window)
					trafficRows(a, random, n, proc, phase, window)
				}
			}
		}
		if n < 2 {
			a.add("per_node", 1, "placement", "interleaved", "network", "ideal", "delay", 0, "proc", int32(0), "phase", 0, "window", 0, "kind", "fetch", "from", int32(0), "to", int32(0), "count", uint64(1))
		}
		for _, g := range []*growing{p, a} {
			if err := store.WriteTable(filepath.Join(dir, g.table.Name+".arrow"), &g.table); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "locality.params.toml"), []byte(params(1.2, 100, 0.3)), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := cluster.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	return runs
}

func phaseRows(p *growing, random *rand.Rand, proc int32, phase, window int) {
	row := func(sets int, event string, distance int, count uint64) {
		p.add("proc", proc, "phase", phase, "window", window, "line", 64, "sets", sets, "event", event, "distance", distance, "count", count)
	}
	instr := 1 + random.Uint64N(100_000)
	row(0, "instr", 0, instr)
	row(0, "load", 0, instr/4)
	row(0, "store", 0, instr/8)
	for _, sets := range []int{2048, 4096} {
		for distance := -1; distance < 4; distance++ {
			row(sets, "reuse_load", distance, random.Uint64N(1+instr/50))
			row(sets, "reuse_store", distance, random.Uint64N(1+instr/100))
		}
		row(sets, "upgrade_plus", 1, random.Uint64N(1+instr/200))
		row(sets, "writeback_plus", 1, random.Uint64N(1+instr/40))
	}
}

func trafficRows(a *growing, random *rand.Rand, n int, proc int32, phase, window int) {
	for _, perNode := range []int{1, 2, 4} {
		nodes := n / perNode
		if nodes < 2 {
			continue
		}
		for _, placement := range []string{"first-touch", "interleaved"} {
			for _, network := range []phases.Network{phases.Ideal, phases.Bus, phases.Switch} {
				for _, delay := range []int{0, 1000, 100000} {
					from := int32(int(proc) / perNode)
					to := (from + 1 + random.Int32N(int32(nodes-1))) % int32(nodes)
					for _, kind := range []string{"block", "right", "upgrade", "wait"} {
						a.add("per_node", perNode, "placement", placement, "network", string(network), "delay", delay, "proc", proc, "phase", phase, "window", window,
							"kind", kind, "from", from, "to", to, "count", random.Uint64N(10<<(2*random.IntN(4))))
					}
				}
			}
		}
	}
}

// Bounds of model mva are below its predictions, and a search by them finds what plain enumeration finds.
func TestSearchOfMVA(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	predicted, all := 0, 0
	defer func() { t.Logf("%d of %d machines were predicted", predicted, all) }()
	for i := range testsize.Cases(3, 1) {
		p := problem(t, shop, windowed(t, random), cluster.MVA{})
		p.Objective, p.Top, p.Budget = Objectives[i%len(Objectives)], []int{1, 3}[i%2], 20000
		p.Limits = Limits{PowerOfTwo: true, MaxNodes: 4}
		ranked, front := plain(t, p)
		r, err := p.Search()
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprintf("case %d, ranking", i), r.Ranked, ranked[:p.Top])
		near(t, fmt.Sprintf("case %d, front", i), r.Front, front)
		for _, c := range ranked {
			got, want := affordable(r.SmallerBudgets, c.Paid), affordable(ranked, c.Paid)
			near(t, fmt.Sprintf("case %d, for %v", i, c.Paid), got[:min(2, len(got))], want[:min(2, len(want))])
		}
		predicted, all = predicted+r.Predicted, all+r.All
		best, err := p.search(true)
		if err != nil || best.Predicted > r.Predicted {
			t.Fatalf("case %d: %v, %d predicted for the ranked alone, %d for all", i, err, best.Predicted, r.Predicted)
		}
		near(t, fmt.Sprintf("case %d, ranked alone", i), best.Ranked, r.Ranked)
		for _, c := range ranked {
			series, err := cluster.NewSeries(p.Model, p.Runs, p.Catalogue.Machine(c.Parts))
			if err != nil {
				t.Fatal(err)
			}
			least, err := series.LeastTime(c.Nodes)
			if err != nil || !(least > 0 && least <= c.Time) {
				t.Errorf("case %d, %s: at least %v, %v; it takes %v", i, p.Catalogue.Name(c.Parts), least, err, c.Time)
			}
		}
	}
	if predicted >= all {
		t.Error("no bound is of use")
	}
}
