package windtunnel

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"spoor/calibrate/machine"
	"spoor/predict/model"
)

// Case is what is to be predicted.
type Case struct {
	Run     *Run
	Model   Model
	Prices  *machine.Prices
	Targets []int // sizes of the target system; none: the one that was measured
	Hosts   []int // numbers of hosts, each of which divides a size at least; none: all powers of two
	// Placement is that of targets on hosts, for models that know it; the zero Placement is in blocks.
	Placement Placement
}

// Prediction is T(K,p) and what it is worth, of every size on every number of hosts. The zero Prediction
// is none: see Check.
type Prediction struct {
	Program, Trace string
	Model          string
	Prices         string
	Points         []Point
	Summary        []Quantity
	Terms          []model.Term
	Covers         string  // what intervals cover
	Warnings       []error // what makes the result doubtful
}

// Point is a size on a number of hosts.
type Point struct {
	Targets, Hosts int
	Time           Time
	Speedup        float64 // T(Kp,1)/T(K,p); not a number if the model gives no time
	Lo, Hi         float64 // interval of Speedup
	Offers         []Offer
}

// Quantity is one number of a summary.
type Quantity struct {
	Name, Host string
	Value      float64 // not a number if there is none
	Unit, What string
}

// Check says why p is no answer.
func (p Prediction) Check() error {
	if p.Model == "" || len(p.Points) == 0 || p.Covers == "" {
		return errors.New("an empty prediction")
	}
	for _, pt := range p.Points {
		switch {
		case pt.Hosts < 1 || pt.Targets%pt.Hosts != 0:
			return fmt.Errorf("%d targets on %d hosts", pt.Targets, pt.Hosts)
		case math.IsNaN(float64(pt.Time.Total())) || math.IsInf(float64(pt.Time.Total()), 0):
			return fmt.Errorf("%d targets on %d hosts: a time of %v", pt.Targets, pt.Hosts, pt.Time.Total())
		case !math.IsNaN(pt.Speedup) && !(pt.Lo <= pt.Speedup && pt.Speedup <= pt.Hi):
			return fmt.Errorf("%d targets on %d hosts: speedup %v is outside %v to %v", pt.Targets, pt.Hosts, pt.Speedup, pt.Lo, pt.Hi)
		}
	}
	return nil
}

// Predict is an error if a size or number of hosts is impossible.
func Predict(in Case) (Prediction, error) {
	r := in.Run
	if in.Prices == nil || in.Prices.WindTunnel == nil {
		return Prediction{}, errors.New("no prices of hosts; the section [windtunnel] is missing in the list of prices")
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

// hosts are the numbers of hosts for a size.
func (in Case) hosts(targets int) (out []int, err error) {
	if targets < 2 || targets > MostTargets {
		return nil, fmt.Errorf("%d targets: from 2 to %d are predicted", targets, MostTargets)
	}
	for _, n := range in.Hosts {
		switch {
		case n < 1 || n > targets:
			return nil, fmt.Errorf("%d hosts for %d targets: there must be from one to as many hosts as targets", n, targets)
		case targets%n != 0:
			return nil, fmt.Errorf("%d hosts do not divide %d targets: all have the same number of targets", n, targets)
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

// point is a size on a number of hosts.
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
		missed, err := c.missed(r, targets, hosts)
		if err != nil {
			return Point{}, err
		}
		pt.Lo, pt.Hi = u.interval(pt.Speedup, targets, hosts, missed)
	}
	if u.beyond.Known() && hosts > 1 {
		pt.Lo, pt.Hi = pt.Lo*(1-u.beyond.Below), pt.Hi*(1+u.beyond.Above)
	}
	if hosts == 1 {
		cost := Uniprocessor(prices, targets)
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

// summary is what it all comes to.
func (c *calculator) summary(prices *machine.WindTunnel) (out []Quantity, err error) {
	n := c.Targets
	for _, h := range Hosts {
		for _, p := range []int{2, n} {
			a, err := c.asymptote(h, prices, p)
			if err != nil {
				return nil, err
			}
			out = append(out, Quantity{"K_min", h.Name, a.Minimum(), "targets", fmt.Sprintf("per host, of least cost/performance by eq. 21, for %d hosts: r = %.4g, %s", p, a.R, a.beta())})
		}
		p, o, err := c.best(h, prices, n)
		if err != nil {
			return nil, err
		}
		best := Quantity{"best K", h.Name, math.NaN(), "targets", "none: no number of hosts has a speedup"}
		if p > 0 {
			best.Value, best.What = float64(n/p), fmt.Sprintf("per host, of least cost/performance for %d targets by eq. 20: %.4g dollars, a uniprocessor %.4g", n, float64(o.CostPerformance), float64(Uniprocessor(prices, n)))
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
		out = append(out, Quantity{"break-even", h.Name, value, "targets", fmt.Sprintf("from which on, up to %d, it is more cost-effective than a uniprocessor", breakEvenLimit)})
	}
	return out, nil
}

// terms are the inputs in the paper's symbols.
func (c *calculator) terms(r *Run) []model.Term {
	p := c.Parameters
	terms := []model.Term{
		{Symbol: "N", Value: float64(p.Targets), Unit: "targets", What: "of the run that was measured"},
		{Symbol: "mu", Value: float64(p.Mu), Unit: "cycles", What: "mean processing time of a target in a quantum"},
		{Symbol: "sigma_intra", Value: float64(p.Sigma), Unit: "cycles", What: "its standard deviation within a quantum"},
		{Symbol: "Q", Value: float64(p.Quantum), Unit: "cycles", What: "quantum, which no processing time exceeds; 0 if they may"},
		{Symbol: "N_cxsw", Value: p.Active, Unit: "targets", What: "active in a quantum"},
		{Symbol: "N_fp", Value: p.Running, Unit: "targets", What: "with a running processor in a quantum"},
		{Symbol: "sigma_cxsw", Value: p.SigmaActive, Unit: "1", What: "standard deviation within a quantum of whether a target is active; not in the paper"},
		{Symbol: "sigma_fp", Value: p.SigmaRunning, Unit: "1", What: "and of whether it runs"},
		{Symbol: "T_cxsw", Value: float64(p.Switch), Unit: "cycles", What: "context switch"},
		{Symbol: "N_win", Value: p.Underflows, Unit: "1", What: "register window underflows of a switch"},
		{Symbol: "T_win", Value: float64(p.Underflow), Unit: "cycles", What: "register window underflow"},
		{Symbol: "T_fp", Value: float64(p.FloatingPt), Unit: "cycles", What: "to save and restore floating-point registers"},
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

// warnings are those of the model and the case.
func (c *calculator) warnings(r *Run, in Case, p Prediction) (out []error) {
	warn := func(format string, args ...any) { out = append(out, fmt.Errorf(format, args...)) }
	if r.Slowest > 0 {
		t, err := c.time(1, c.Targets)
		if e := float64(t.Processing()/r.Slowest) - 1; err == nil && math.Abs(e) > 0.05 {
			warn("the model has the slowest target of a quantum at %.4g cycles, %+.0f %% of what was measured", float64(t.Processing()), 100*e)
		}
	}
	c.simulatedOtherwise(r, warn)
	if r.Samples == nil {
		warn("there are no samples beside the parameters: how far off the model is can only be said of other programs")
	} else if !c.model.placed {
		out = append(out, r.Samples.imbalanceWarnings()...)
	}
	if most := slices.Max(in.Targets); most != c.Targets || slices.Min(in.Targets) != c.Targets {
		warn("%d targets were measured, up to %d are predicted: a program whose data grow with the machine is taken to have the same quanta", c.Targets, most)
		if c.model.placed {
			warn("of other sizes than %d targets it is not known which share a host: they are predicted by model kinds", c.Targets)
		}
	}
	if slices.ContainsFunc(p.Points, func(pt Point) bool { return math.IsNaN(pt.Speedup) }) {
		warn("interference as printed [falsafi1997, eq. 12] counts sets that nobody uses against it, and makes times negative: they are no times, and have no speedup")
	}
	return out
}
