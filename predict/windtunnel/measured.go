package windtunnel

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"spoor/analyze/footprint"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// Comparison is a model against what was measured of a fully parallel run.
type Comparison struct {
	Placement string
	Hosts     int
	Model     string
	// Processing is the speedup by processing times alone, Whole with all that a quantum takes, of the
	// model and as measured.
	Processing, Whole Speedups
	// Lo and Hi are the interval of Whole.Predicted by the program's quanta and the parameters, without how far off the model is on
	// them; of halves, with that.
	Lo, Hi float64
	Half   int // of the quanta from which it is predicted, 1 or 2; 0: all
}

// Inside reports whether what was measured is in the interval.
func (c *Comparison) Inside() bool { return c.Lo <= c.Whole.Measured && c.Whole.Measured <= c.Hi }

// Speedups is one as predicted and as measured.
type Speedups struct{ Predicted, Measured float64 }

// Error is by how much the prediction is above what was measured, relative to that.
func (s Speedups) Error() float64 { return s.Predicted/s.Measured - 1 }

// Measured is what a fully parallel run has of the same run on fewer hosts.
type Measured struct {
	run    *Run
	varied map[string]*uncertainty // by model
}

func newMeasured(r *Run) *Measured { return &Measured{r, map[string]*uncertainty{}} }

// extras are the misses of the cache and the TLB that a switch causes as simulated, by number of targets on a
// host.
type extras [2]map[int]float64

// per is the time of these of one switch between k targets. It is not known if it has not been simulated.
func (e extras) per(p *Parameters, k int) (out [2]unit.Cycles, err error) {
	for i, miss := range []unit.Cycles{p.Cache.Miss, p.TLB.Miss} {
		if miss == 0 || k == 1 {
			continue
		}
		extra, known := e[i][k]
		if !known {
			return [2]unit.Cycles{}, fmt.Errorf("interference of %d targets on a host was not simulated; analyze does so for powers of two", k)
		}
		out[i] = unit.Cycles(extra) * miss
	}
	return out, nil
}

// OpenMeasured reads the tables quanta and interference of an analysis, for the host of r.
func OpenMeasured(r *Run, dir string) (*Measured, error) {
	of := *r
	if err := of.sample(filepath.Join(dir, quantaTable+".arrow")); err != nil {
		return nil, fmt.Errorf("%w; analyze --run quanta,footprint makes what is measured", err)
	}
	path := filepath.Join(dir, interferenceTable+".arrow")
	if of.Parameters.Cache.Miss+of.Parameters.TLB.Miss > 0 {
		if err := of.simulated(path); err != nil {
			return nil, fmt.Errorf("%w; analyze --run footprint makes it", err)
		}
	}
	for i, l := range []struct {
		*Level
		name string
	}{{&of.Parameters.Cache, "cache"}, {&of.Parameters.TLB, "tlb"}} {
		if l.Miss > 0 && len(of.Simulated[i]) == 0 {
			return nil, fmt.Errorf("%s has no %s of %v, as the host has; analyze --run footprint --footprint-%s %v simulates it", path, l.name, l.Shape, l.name, l.Shape)
		}
	}
	return newMeasured(&of), nil
}

// interferenceTable is the name of a table of analyze.
const interferenceTable = "interference"

// simulated reads what was simulated in caches as the host's.
func (r *Run) simulated(path string) error {
	return r.perSwitch(path, interferenceTable, func(t *store.Table, i int, l *Level, block float64) (err error) {
		r.Simulated[i], err = perSwitch(t, "extra_misses", l.Shape, block)
		return err
	})
}

// switchesTable is the name of a table of analyze.
const switchesTable = "footprint_switches"

// predicted reads what follows from the sets that targets use, in caches as the host's.
func (r *Run) predicted(path string) error {
	return r.perSwitch(path, switchesTable, func(t *store.Table, _ int, l *Level, block float64) (err error) {
		l.PerSwitch, err = perSwitch(t, "", l.Shape, block)
		return err
	})
}

// perSwitch has each level of the host take what it needs from a table of analyze.
func (r *Run) perSwitch(path, name string, take func(t *store.Table, i int, l *Level, block float64) error) error {
	t, err := store.ReadTable(path)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	if hash := t.Fact("trace"); t.Name != name || hash != r.Trace {
		return fmt.Errorf("%s: a %s table of trace %.12s; the parameters are of %.12s; take it away, or analyze the trace again into a folder of its own", path, t.Name, hash, r.Trace)
	}
	for i, l := range []struct {
		*Level
		name string
	}{{&r.Parameters.Cache, "cache"}, {&r.Parameters.TLB, "tlb"}} {
		var block float64
		if p, known := r.Params.Lookup("block_" + l.name); known {
			block = p.Value
		}
		if l.Miss == 0 {
			continue
		}
		if err := take(t, i, l.Level, block); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
	}
	return nil
}

// perSwitch are the misses that a switch causes in a cache of this shape and block size (0: any), by number of
// processes that take turns on it, as a source says; of a table without sources that is empty.
func perSwitch(t *store.Table, from string, shape footprint.Shape, block float64) (map[int]float64, error) {
	var whole [4][]int64
	var err error
	for i, name := range []string{"block", "sets", "ways", "processes"} {
		var e error
		whole[i], e = store.Data[int64](t, name)
		err = errors.Join(err, e)
	}
	source := make([]string, len(whole[0]))
	if from != "" {
		var e error
		source, e = store.Data[string](t, "source")
		err = errors.Join(err, e)
	}
	each, e := store.Data[float64](t, "per_switch")
	if err = errors.Join(err, e); err != nil {
		return nil, err
	}
	out := map[int]float64{}
	for i, s := range source {
		if s == from && whole[1][i] == int64(shape.Sets) && whole[2][i] == int64(shape.Ways) && (block == 0 || float64(whole[0][i]) == block) {
			if k := whole[3][i]; !(k >= 1 && k <= MostTargets && math.Abs(each[i]) <= mostHost) {
				return nil, fmt.Errorf("row %d: %v misses of %d processes", i, each[i], k)
			}
			out[int(whole[3][i])] = each[i]
		}
	}
	return out, nil
}

// time is the mean time of a quantum on the slowest of so many hosts: targets take the times of the
// run, and cost a host what switches and the simulated misses take. Alone leaves these out.
func (m *Measured) time(p Placement, hosts int, alone bool) (float64, error) {
	in := &m.run.Parameters
	if alone {
		return p.critical(m.run.Samples, hosts, cost{}), nil
	}
	c, err := m.run.cost(in.Targets / hosts)
	if err != nil {
		return 0, err
	}
	return p.critical(m.run.Samples, hosts, c), nil
}

// cost is what a host with k targets pays. Without the misses, if these have not been simulated, it comes with an error.
func (r *Run) cost(k int) (cost, error) {
	p := &r.Parameters
	c := cost{active: p.direct(1, 0), running: p.direct(0, 1), quantum: float64(p.Overhead)}
	extra, err := r.Simulated.per(p, k)
	c.active += float64(extra[0] + extra[1])
	return c, err
}

// Compare is every model that applies, with all placements on 2, 4, ... hosts, up to one for each target.
func (m *Measured) Compare() ([]Comparison, error) { return m.compare(m, 0) }

// compare is models of m beside what was measured of other, with whole intervals if m is a half.
func (m *Measured) compare(other *Measured, half int) (out []Comparison, err error) {
	predictions := map[string]map[int]Comparison{} // by model
	for _, placement := range Placements {
		for hosts := 2; hosts <= m.run.Parameters.Targets; hosts *= 2 {
			if m.run.Parameters.Targets%hosts != 0 {
				continue
			}
			measured, err := other.speedups(placement, hosts)
			if err != nil {
				return nil, err
			}
			for _, model := range Models {
				if model.applies(&m.run.Parameters) != nil {
					continue
				}
				if predictions[model.Name] == nil || model.placed && hosts == 2 { // others know no placement
					if predictions[model.Name], err = m.predictions(model, placement, half > 0); err != nil {
						return nil, fmt.Errorf("model %s: %w", model.Name, err)
					}
				}
				c := predictions[model.Name][hosts]
				c.Half, c.Placement, c.Processing.Measured, c.Whole.Measured = half, placement.Name, measured[0], measured[1]
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// speedups are those of processing times and of all, measured.
func (m *Measured) speedups(p Placement, hosts int) (out [2]float64, err error) {
	for i, alone := range []bool{true, false} {
		one, err := m.time(p, 1, alone)
		if err != nil {
			return out, err
		}
		several, err := m.time(p, hosts, alone)
		if err != nil {
			return out, err
		}
		out[i] = one / several
	}
	return out, nil
}

// predictions are those of a model, by number of hosts.
func (m *Measured) predictions(model Model, on Placement, half bool) (map[int]Comparison, error) {
	p, out := &m.run.Parameters, map[int]Comparison{}
	c, err := newCalculator(model, p)
	if err != nil {
		return nil, err
	}
	c = c.on(on)
	name := model.Name
	if model.kinds {
		name = "kinds" // which vary alike
	}
	u := m.varied[name]
	if u == nil {
		u = newUncertainty(c, m.run, 1)
		u.unseen = half
		m.varied[name] = u
	}
	one, err := c.time(p.Targets, 1)
	if err != nil {
		return nil, err
	}
	for hosts := 2; hosts <= p.Targets; hosts *= 2 {
		if p.Targets%hosts != 0 {
			continue
		}
		t, err := c.time(p.Targets/hosts, hosts)
		if err != nil {
			return nil, err
		}
		whole := ratio(one, t)
		var missed [2]float64
		if half {
			if missed, err = c.missed(m.run, p.Targets, hosts); err != nil {
				return nil, err
			}
		}
		row := Comparison{Hosts: hosts, Model: model.Name, Processing: Speedups{Predicted: float64(one.Processing() / t.Processing())}, Whole: Speedups{Predicted: whole}, Lo: math.NaN(), Hi: math.NaN()}
		if !math.IsNaN(whole) {
			row.Lo, row.Hi = u.interval(whole, p.Targets, hosts, missed)
		}
		out[hosts] = row
	}
	return out, nil
}
