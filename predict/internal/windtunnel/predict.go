package windtunnel

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"spoor/calibrate/machine"
	"spoor/predict/internal/model"
)

// Case is a prediction to make.
type Case struct {
	Run     *Run
	Model   Model
	Prices  *machine.Prices
	Targets []int // sizes of the target system; none: the measured size
	Hosts   []int // numbers of hosts, which must divide the sizes; none: all powers of two
	// Placement is the placement of targets on hosts, for models that use it. The zero Placement is in blocks.
	Placement Placement
}

// Prediction is T(K,p) and its cost/performance, of every size on every number of hosts. The zero Prediction
// is invalid: see Check.
type Prediction struct {
	Program, Trace string
	Model          string
	Prices         string
	Points         []Point
	Summary        []Quantity
	Terms          []model.Term
	Covers         string  // the uncertainties that intervals include
	Warnings       []error // what makes the result doubtful
}

// Point is a size on a number of hosts.
type Point struct {
	Targets, Hosts int
	Time           Time
	Speedup        float64 // T(Kp,1)/T(K,p); NaN if the model gives no positive time
	Lo, Hi         float64 // interval of Speedup
	Offers         []Offer
}

// Quantity is one number of a summary.
type Quantity struct {
	Name, Host string
	Value      float64 // NaN if there is none
	Unit, What string
}

// Check returns an error if p is invalid.
func (p Prediction) Check() error {
	if p.Model == "" || len(p.Points) == 0 || p.Covers == "" {
		return errors.New("the prediction is empty")
	}
	for _, pt := range p.Points {
		switch {
		case pt.Hosts < 1 || pt.Targets%pt.Hosts != 0:
			return fmt.Errorf("%d targets on %d hosts", pt.Targets, pt.Hosts)
		case math.IsNaN(float64(pt.Time.total())) || math.IsInf(float64(pt.Time.total()), 0):
			return fmt.Errorf("%d targets on %d hosts: the time %v is not finite", pt.Targets, pt.Hosts, pt.Time.total())
		case !math.IsNaN(pt.Speedup) && !(pt.Lo <= pt.Speedup && pt.Speedup <= pt.Hi):
			return fmt.Errorf("%d targets on %d hosts: speedup %v is outside %v to %v", pt.Targets, pt.Hosts, pt.Speedup, pt.Lo, pt.Hi)
		}
	}
	return nil
}

// Predict returns an error if a size or number of hosts is impossible.
func Predict(in Case) (Prediction, error) {
	r := in.Run
	if in.Prices == nil || in.Prices.WindTunnel == nil {
		return Prediction{}, errors.New("the list of prices has no section [windtunnel] with prices of hosts")
	}
	c, err := newCalculator(in.Model, &r.Parameters)
	if err != nil {
		return Prediction{}, err
	}
	if len(in.Targets) == 0 {
		in.Targets = []int{r.Parameters.Targets}
	}
	if in.Placement.Of != nil {
		c = c.on(in.Placement)
	}
	u := newUncertainty(c, r, 1)
	p := Prediction{Program: r.Program, Trace: r.Trace, Model: in.Model.Name, Prices: in.Prices.Name, Covers: u.covers, Warnings: slices.Clone(r.Warnings)}
	for _, targets := range in.Targets {
		hosts, err := in.hosts(targets)
		if err != nil {
			return Prediction{}, err
		}
		for _, n := range hosts {
			pt, err := c.point(u, r, in.Prices.WindTunnel, targets, n)
			if err != nil {
				return Prediction{}, fmt.Errorf("%d targets on %d hosts: %w", targets, n, err)
			}
			p.Points = append(p.Points, pt)
		}
	}
	if p.Summary, err = c.summary(in.Prices.WindTunnel); err != nil {
		return Prediction{}, err
	}
	p.Terms = c.terms(r)
	p.Warnings = append(p.Warnings, c.warnings(r, in, p)...)
	return p, p.Check()
}

// hosts returns the numbers of hosts for a size.
func (in Case) hosts(targets int) (out []int, err error) {
	if targets < 2 || targets > mostTargets {
		return nil, fmt.Errorf("%d targets: the number must be 2 to %d", targets, mostTargets)
	}
	for _, n := range in.Hosts {
		switch {
		case n < 1 || n > targets:
			return nil, fmt.Errorf("%d hosts for %d targets: the number of hosts must be 1 to the number of targets", n, targets)
		case targets%n != 0:
			return nil, fmt.Errorf("%d hosts do not divide %d targets: all hosts must have equally many targets", n, targets)
		}
	}
	if len(in.Hosts) > 0 {
		return in.Hosts, nil
	}
	for n := 1; n <= targets; n *= 2 {
		if targets%n == 0 {
			out = append(out, n)
		}
	}
	return out, nil
}

// point predicts a size on a number of hosts.
func (c *calculator) point(u *uncertainty, r *Run, prices *machine.WindTunnel, targets, hosts int) (Point, error) {
	one, err := c.time(targets, 1)
	if err != nil {
		return Point{}, err
	}
	t, err := c.time(targets/hosts, hosts)
	if err != nil {
		return Point{}, err
	}
	pt := Point{Targets: targets, Hosts: hosts, Time: t, Speedup: ratio(one, t)}
	pt.Lo, pt.Hi = math.NaN(), math.NaN()
	if !math.IsNaN(pt.Speedup) {
		modelError, err := c.modelError(r, targets, hosts)
		if err != nil {
			return Point{}, err
		}
		pt.Lo, pt.Hi = u.interval(pt.Speedup, targets, hosts, modelError)
	}
	if u.margin.Known() && hosts > 1 {
		pt.Lo, pt.Hi = pt.Lo*(1-u.margin.Below), pt.Hi*(1+u.margin.Above)
	}
	pt.Lo = max(0, pt.Lo) // keeps NaN
	if hosts == 1 {
		cost := uniprocessor(prices, targets)
		pt.Offers = []Offer{{Host: "uni", Cost: cost, Costup: 1, CostPerformance: cost}}
		return pt, nil
	}
	for _, h := range Hosts {
		if h.Takes(prices, hosts) {
			pt.Offers = append(pt.Offers, offer(h, prices, targets, hosts, pt.Speedup))
		}
	}
	return pt, nil
}

// summary returns the decisions that follow from the model.
func (c *calculator) summary(prices *machine.WindTunnel) (out []Quantity, err error) {
	n := c.Targets
	for _, h := range Hosts {
		for _, p := range []int{2, n} {
			a, err := c.asymptote(h, prices, p)
			if err != nil {
				return nil, err
			}
			out = append(out, Quantity{"K_min", h.Name, a.minimum(), "targets", fmt.Sprintf("per host, with the least cost/performance by eq. 21 for %d hosts: r = %.4g, %s", p, a.R, a.beta())})
		}
		p, o, err := c.best(h, prices, n)
		if err != nil {
			return nil, err
		}
		best := Quantity{"best K", h.Name, math.NaN(), "targets", "none: no number of hosts has a speedup"}
		if p > 0 {
			best.Value, best.What = float64(n/p), fmt.Sprintf("per host, with the least cost/performance for %d targets by eq. 20: %.4g dollars, a uniprocessor %.4g", n, float64(o.CostPerformance), float64(uniprocessor(prices, n)))
		}
		out = append(out, best)
		even, err := c.breakEven(h, prices)
		if err != nil {
			return nil, err
		}
		value := math.NaN()
		if even > 0 {
			value = float64(even)
		}
		out = append(out, Quantity{"break-even", h.Name, value, "targets", fmt.Sprintf("from which it is more cost-effective than a uniprocessor, up to %d", breakEvenLimit)})
	}
	return out, nil
}

// terms returns the inputs in the paper's symbols.
func (c *calculator) terms(r *Run) []model.Term {
	p := c.Parameters
	terms := []model.Term{
		{Symbol: "N", Value: float64(p.Targets), Unit: "targets", What: "of the measured run"},
		{Symbol: "mu", Value: float64(p.Mu), Unit: "cycles", What: "mean processing time of a target in a quantum"},
		{Symbol: "sigma_intra", Value: float64(p.Sigma), Unit: "cycles", What: "its standard deviation within a quantum"},
		{Symbol: "Q", Value: float64(p.Quantum), Unit: "cycles", What: "quantum, the upper bound of processing times; 0: none"},
		{Symbol: "N_cxsw", Value: p.Active, Unit: "targets", What: "active in a quantum"},
		{Symbol: "N_fp", Value: p.Running, Unit: "targets", What: "with a running processor in a quantum"},
		{Symbol: "sigma_cxsw", Value: p.SigmaActive, Unit: "1", What: "standard deviation within a quantum of the indicator that a target is active; not in the paper"},
		{Symbol: "sigma_fp", Value: p.SigmaRunning, Unit: "1", What: "the same of the indicator that it runs"},
		{Symbol: "T_cxsw", Value: float64(p.Switch), Unit: "cycles", What: "context switch"},
		{Symbol: "N_win", Value: p.Underflows, Unit: "1", What: "register window underflows of a switch"},
		{Symbol: "T_win", Value: float64(p.Underflow), Unit: "cycles", What: "register window underflow"},
		{Symbol: "T_fp", Value: float64(p.FloatingPt), Unit: "cycles", What: "time to save and restore floating-point registers"},
		{Symbol: "T_quantumoverhead", Value: float64(p.Overhead), Unit: "cycles", What: "barrier and scheduling"},
	}
	for _, l := range []struct {
		*Level
		name, key string
	}{{&p.Cache, "cache", "cache"}, {&p.TLB, "TLB", "tlb"}} {
		if l.Miss == 0 {
			continue
		}
		f := l.Turn
		if c.model.published {
			f = l.Trace
		}
		terms = append(terms, model.Term{Symbol: "T_" + l.name + "miss", Value: float64(l.Miss), Unit: "cycles", What: "miss of a " + l.Shape.String() + " " + l.name},
			model.Term{Symbol: "F_S " + l.name, Value: f.Shared, Unit: "blocks", What: "shared footprint"},
			model.Term{Symbol: "F_avg " + l.name, Value: f.Average, Unit: "blocks", What: "average private footprint"},
			model.Term{Symbol: "F_max " + l.name, Value: f.Largest, Unit: "blocks", What: "largest private footprint"})
		for k := 2; k <= p.Targets; k *= 2 {
			if m, err := c.missesOf(l.name, l.Level, k); err == nil {
				terms = append(terms, model.Term{Symbol: fmt.Sprintf("M_%s(%d)", l.name, k), Value: m, Unit: "misses", What: "interference of so many targets in a quantum"})
			}
		}
	}
	return terms
}

// warnings returns the warnings about the model and the case.
func (c *calculator) warnings(r *Run, in Case, p Prediction) (out []error) {
	warn := func(format string, args ...any) { out = append(out, fmt.Errorf(format, args...)) }
	if r.Slowest > 0 {
		t, err := c.time(1, c.Targets)
		if e := float64(t.processing()/r.Slowest) - 1; err == nil && math.Abs(e) > 0.05 {
			warn("the slowest target of a quantum takes %.4g cycles in the model, %+.0f %% from the measured time", float64(t.processing()), 100*e)
		}
	}
	c.simulationWarnings(r, warn)
	if r.Samples == nil {
		warn("there are no samples of quanta, so the model's error is that on other programs; run analyze with --run quanta")
	} else if !c.model.placed {
		out = append(out, r.Samples.imbalanceWarnings()...)
	}
	if most := slices.Max(in.Targets); most != c.Targets || slices.Min(in.Targets) != c.Targets {
		warn("%d targets were measured and up to %d are predicted: the model assumes that quanta stay the same as data grows with the machine", c.Targets, most)
		if c.model.placed {
			warn("sizes other than %d targets are predicted by model kinds, because it is not known which targets share a host", c.Targets)
		}
	}
	if slices.ContainsFunc(p.Points, func(pt Point) bool { return math.IsNaN(pt.Speedup) }) {
		warn("interference as printed [falsafi1997, eq. 12] subtracts unused sets, so some times are negative; these have no speedup")
	}
	return out
}
