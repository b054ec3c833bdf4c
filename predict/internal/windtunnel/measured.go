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

// Comparison compares a model with measurements of a fully parallel run.
type Comparison struct {
	Placement string
	Hosts     int
	Model     string
	// Processing is the speedup of processing times alone. Whole is the speedup of whole quanta.
	Processing, Whole Speedups
	// Lo and Hi are the interval of Whole.Predicted. It covers the program's quanta and the parameters, and with
	// cross-validation also the model's error.
	Lo, Hi float64
	Half   int // half of the quanta behind the prediction, 1 or 2; 0: all
}

// inside reports whether the measurement is in the interval.
func (c *Comparison) inside() bool { return c.Lo <= c.Whole.Measured && c.Whole.Measured <= c.Hi }

// Speedups is a predicted and a measured speedup.
type Speedups struct{ Predicted, Measured float64 }

// Error returns the relative error of the prediction.
func (s Speedups) Error() float64 { return s.Predicted/s.Measured - 1 }

// Measured is the measured times of a fully parallel run, summed for fewer hosts.
type Measured struct {
	run    *Run
	varied map[string]*uncertainty // by model
}

func newMeasured(r *Run) *Measured { return &Measured{r, map[string]*uncertainty{}} }

// simulatedMisses is the simulated misses of cache and TLB per switch, by number of targets on a host.
type simulatedMisses [2]map[int]float64

// per returns the time of these misses for one switch between k targets. It returns an error if k was not
// simulated.
func (e simulatedMisses) per(p *Parameters, k int) (out [2]unit.Cycles, err error) {
	for i, miss := range []unit.Cycles{p.Cache.Miss, p.TLB.Miss} {
		if miss == 0 || k == 1 {
			continue
		}
		extra, known := e[i][k]
		if !known {
			return [2]unit.Cycles{}, fmt.Errorf("interference of %d targets on a host was not simulated; analyze simulates powers of two", k)
		}
		out[i] = unit.Cycles(extra) * miss
	}
	return out, nil
}

// OpenMeasured reads the tables quanta and interference of an analysis, for the host of r.
func OpenMeasured(r *Run, dir string) (*Measured, error) {
	if _, host := r.Params.Lookup("elapsed"); host {
		return nil, fmt.Errorf("the parameters have times of this host, from predict replay --host-times, and the quanta of %s those of targets; give the parameters of the quanta", dir)
	}
	of := *r
	if err := of.readQuanta(filepath.Join(dir, quantaTable+".arrow")); err != nil {
		return nil, fmt.Errorf("%w; run analyze with --run quanta,footprint", err)
	}
	path := filepath.Join(dir, interferenceTable+".arrow")
	if of.Parameters.Cache.Miss+of.Parameters.TLB.Miss > 0 {
		if err := of.readInterference(path); err != nil {
			return nil, fmt.Errorf("%w; run analyze with --run footprint", err)
		}
	}
	for i, l := range []struct {
		*Level
		name string
	}{{&of.Parameters.Cache, "cache"}, {&of.Parameters.TLB, "tlb"}} {
		if l.Miss > 0 && len(of.Simulated[i]) == 0 {
			return nil, fmt.Errorf("%s has no %s of %v like the host; run analyze with --run footprint --footprint-%s %v", path, l.name, l.Shape, l.name, l.Shape)
		}
	}
	return newMeasured(&of), nil
}

// interferenceTable is the name of a table of analyze with simulated misses.
const interferenceTable = "interference"

// readInterference reads the simulated misses for caches like the host's.
func (r *Run) readInterference(path string) error {
	return r.perSwitch(path, interferenceTable, func(t *store.Table, i int, l *Level, block float64) (err error) {
		r.Simulated[i], err = perSwitch(t, "extra_misses", l.Shape, block)
		return err
	})
}

// switchesTable is the name of a table of analyze with misses per switch.
const switchesTable = "footprint_switches"

// readSwitches reads the misses that follow from the sets that targets use, for caches like the host's.
func (r *Run) readSwitches(path string) error {
	return r.perSwitch(path, switchesTable, func(t *store.Table, _ int, l *Level, block float64) (err error) {
		l.PerSwitch, err = perSwitch(t, "", l.Shape, block)
		return err
	})
}

// perSwitch calls take for each level of the host with a table of analyze.
func (r *Run) perSwitch(path, name string, take func(t *store.Table, i int, l *Level, block float64) error) error {
	t, err := store.ReadTable(path)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	if hash := t.Fact("trace"); t.Name != name || hash != r.Trace {
		return fmt.Errorf("%s: a %s table of trace %.12s, but the parameters are of %.12s; delete it, or analyze the trace again into another folder", path, t.Name, hash, r.Trace)
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

// perSwitch returns the misses per switch in a cache of this shape and block size (0: any), by number of
// processes that share it. The argument from selects a source, or is empty for a table without sources.
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
			if k := whole[3][i]; !(k >= 1 && k <= mostTargets && math.Abs(each[i]) <= maxHostTime) {
				return nil, fmt.Errorf("row %d: %v misses of %d processes", i, each[i], k)
			}
			out[int(whole[3][i])] = each[i]
		}
	}
	return out, nil
}

// time returns the mean time of a quantum on the slowest of so many hosts. Targets take the times of the run.
// A host also pays for switches and simulated misses, except with alone.
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

// cost returns the costs on a host with k targets. If the misses were not simulated, it leaves them out and
// returns an error.
func (r *Run) cost(k int) (cost, error) {
	p := &r.Parameters
	c := cost{active: p.direct(1, 0), running: p.direct(0, 1), quantum: float64(p.Overhead)}
	extra, err := r.Simulated.per(p, k)
	c.active += float64(extra[0] + extra[1])
	return c, err
}

// Compare returns every model that applies, with all placements on 2, 4, ... hosts, up to one for each target.
func (m *Measured) Compare() ([]Comparison, error) { return m.compare(m, 0) }

// compare compares models of m with measurements of other. With half, the intervals include the model's error.
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
				if predictions[model.Name] == nil || model.placed && hosts == 2 { // other models use no placement
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

// speedups returns the measured speedups of processing times and of whole quanta.
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

// predictions returns the predictions of a model, by number of hosts.
func (m *Measured) predictions(model Model, on Placement, half bool) (map[int]Comparison, error) {
	p, out := &m.run.Parameters, map[int]Comparison{}
	c, err := newCalculator(model, p)
	if err != nil {
		return nil, err
	}
	c = c.on(on)
	name := model.Name
	if model.kinds {
		name = "kinds" // they vary alike
	}
	u := m.varied[name]
	if u == nil {
		u = newUncertainty(c, m.run, 1)
		u.halfSample = half
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
		var modelError [2]float64
		if half {
			if modelError, err = c.modelError(m.run, p.Targets, hosts); err != nil {
				return nil, err
			}
		}
		row := Comparison{Hosts: hosts, Model: model.Name, Processing: Speedups{Predicted: float64(one.processing() / t.processing())}, Whole: Speedups{Predicted: whole}, Lo: math.NaN(), Hi: math.NaN()}
		if !math.IsNaN(whole) {
			row.Lo, row.Hi = u.interval(whole, p.Targets, hosts, modelError)
		}
		out[hosts] = row
	}
	return out, nil
}
