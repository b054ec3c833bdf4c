package budget

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"spoor/predict/cluster"
	"spoor/predict/internal/catalogue"
	"spoor/traces/unit"
)

// Search finds the best machines.
//
// It does not predict a machine that cannot be in either list: its least time ([cluster.Series.LeastTime])
// has a worse value than all ranked so far, and is longer than the time of another one that costs no more.
//
// Numbers of nodes that are powers of two come first, and the largest number, to find good machines early. If a
// prediction takes much longer than its bound, machines come in the order of their bounds.
func (p *Problem) Search() (*Result, error) {
	r, err := p.search(false)
	if err != nil {
		return nil, err
	}
	p.leaveOut(r)
	return r, p.addWarnings(r)
}

// search is Search without warnings, of all machines; with rankedOnly, only the ranking.
func (p *Problem) search(rankedOnly bool) (*Result, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	s := &search{Problem: p, out: &Result{}, leastLate: unit.Seconds(math.Inf(1)), rankedOnly: rankedOnly}
	s.limits = p.Limits.list()
	if err := s.gather(); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(s.series, func(p priced) bool { return p.Slow }) {
		s.tryByBounds()
	} else {
		for _, seeding := range []bool{true, false} {
			for i := range s.series {
				s.try(&s.series[i], seeding)
			}
		}
	}
	if len(s.out.Ranked) == 0 {
		return nil, s.noResult()
	}
	s.out.Skipped = s.skipReasons()
	for _, n := range s.reasons {
		s.out.Unpredicted += n
	}
	return s.out, nil
}

// search is the state of a search.
type search struct {
	*Problem
	limits    []limit
	series    []priced
	out       *Result
	reasons   map[string]int // number of machines by the reason why they could not be predicted
	leastLate unit.Seconds   // the least time of machines that miss the deadline

	rankedOnly bool // without the front and smaller budgets
}

// priced is the machines with one kind of node and network that meet the limits and the budget.
type priced struct {
	*cluster.Series
	at    int
	parts catalogue.Parts
	last  int // number of nodes
}

// gather lists the series of machines within the limits and the budget.
func (s *search) gather() error {
	s.reasons = map[string]int{}
	for at, parts := range s.Catalogue.Configurations() {
		machines, last := 0, catalogue.Parts{}
		s.eachInSeries(at, parts, s.limits, func(c Candidate) bool {
			if s.affords(&c) {
				machines, last = machines+1, c.Parts
			}
			return s.affords(&c)
		})
		if machines == 0 {
			continue
		}
		s.out.All += machines
		runs, err := s.runsOn(last)
		if err != nil {
			return err
		}
		series, err := cluster.NewSeries(s.Model, runs, s.Catalogue.Machine(last))
		if err != nil {
			s.reasons[err.Error()] += machines
			continue
		}
		s.series = append(s.series, priced{series, at, parts, last.Nodes})
	}
	if s.out.All == 0 {
		return s.infeasible()
	}
	return nil
}

// affords reports whether c is within the budget, with a tolerance for rounding.
func (p *Problem) affords(c *Candidate) bool { return c.Paid <= p.Budget*(1+1e-12) }

// try tries the machines of a series: with seeding those that come first, otherwise the others.
func (s *search) try(series *priced, seeding bool) {
	s.within(series, func(c Candidate) {
		if first := bits.OnesCount(uint(c.Nodes)) == 1 || c.Nodes == series.last; first == seeding {
			least, err := series.LeastTime(c.Nodes)
			s.predict(series.Series, &c, least, err)
		}
	})
}

// within calls use for the machines of a series.
func (s *search) within(series *priced, use func(Candidate)) {
	s.eachInSeries(series.at, series.parts, s.limits, func(c Candidate) bool {
		if c.Nodes > series.last {
			return false
		}
		use(c)
		return true
	})
}

// bounded is a machine with only a bound of its time.
type bounded struct {
	Candidate // Time and Value are bounds
	of        *priced
	err       error // why there is no bound; such machines come first
}

// tryByBounds tries all machines, in the order of their bounds.
func (s *search) tryByBounds() {
	var all []bounded
	for i := range s.series {
		series := &s.series[i]
		s.within(series, func(c Candidate) {
			b := bounded{Candidate: c, of: series}
			if b.Time, b.err = series.LeastTime(c.Nodes); b.err == nil {
				b.Value = s.Objective.of(b.Time, s.JobCost(c.Worth, b.Time))
			}
			all = append(all, b)
		})
	}
	slices.SortFunc(all, func(a, b bounded) int {
		if a.before(&b.Candidate) {
			return -1
		}
		return 1
	})
	for i := range all {
		b := &all[i]
		s.predict(b.of.Series, &b.Candidate, b.Time, b.err)
	}
}

// predict predicts c if it can be in a list. Without err, its time is at least least.
func (s *search) predict(series *cluster.Series, c *Candidate, least unit.Seconds, err error) {
	if err == nil && s.ruledOut(c, least) {
		return
	}
	if err == nil {
		c.Time, err = series.Time(c.Nodes)
	}
	if err != nil {
		s.reasons[err.Error()]++
		return
	}
	s.out.Predicted++
	if d := s.Limits.longest(); d > 0 && c.Time > d {
		s.leastLate = min(s.leastLate, c.Time)
		return
	}
	c.Value = s.Objective.of(c.Time, s.JobCost(c.Worth, c.Time))
	s.rank(*c)
	s.out.Front = addToFront(s.out.Front, *c)
	s.out.SmallerBudgets = addToBestTwo(s.out.SmallerBudgets, *c)
}

// ruledOut reports whether c can be in no list if its time is at least least.
func (s *search) ruledOut(c *Candidate, least unit.Seconds) bool {
	if d := s.Limits.longest(); d > 0 && least > d && least >= s.leastLate {
		return true
	}
	if len(s.out.Ranked) < s.Top {
		return false
	}
	value := s.Objective.of(least, s.JobCost(c.Worth, least))
	switch ranked := value <= s.out.Ranked[len(s.out.Ranked)-1].Value*(1+1e-12); {
	case ranked || !s.rankedOnly && !twoBefore(s.out.SmallerBudgets, c, value):
		return false
	case s.rankedOnly:
		return true
	}
	f := s.out.Front
	i := sort.Search(len(f), func(i int) bool { return f[i].Paid > c.Paid })
	return i > 0 && f[i-1].Time < least
}

// rank inserts c into the ranking.
func (s *search) rank(c Candidate) {
	r := s.out.Ranked
	i := sort.Search(len(r), func(i int) bool { return c.before(&r[i]) })
	if i == s.Top {
		return
	}
	if len(r) == s.Top {
		r = r[:len(r)-1]
	}
	s.out.Ranked = slices.Insert(r, i, c)
}

// addToBestTwo adds c to the machines that are among the best two for some budget, best first. It removes each
// machine that two better ones match in price.
func addToBestTwo(list []Candidate, c Candidate) []Candidate {
	at := sort.Search(len(list), func(i int) bool { return c.before(&list[i]) })
	cheapest, second := unit.Dollars(math.Inf(1)), unit.Dollars(math.Inf(1)) // of the better ones
	return slices.DeleteFunc(slices.Insert(list, at, c), func(d Candidate) bool {
		if d.Paid >= second {
			return true
		}
		cheapest, second = min(cheapest, d.Paid), max(cheapest, d.Paid)
		return false
	})
}

// twoBefore reports whether two machines of list cost no more than c and are better than a value.
func twoBefore(list []Candidate, c *Candidate, value float64) bool {
	n := 0
	for i := range list {
		if list[i].Value >= value {
			break
		}
		if list[i].Paid <= c.Paid {
			n++
		}
		if n == 2 {
			return true
		}
	}
	return false
}

// noResult returns the reason why no machine is left.
func (s *search) noResult() error {
	if !math.IsInf(float64(s.leastLate), 0) {
		return fmt.Errorf("no machine meets %s within the budget and the other limits: the fastest takes %v", s.Limits.timeFlags(), s.leastLate)
	}
	text, reasons := "", s.skipReasons()
	for i, r := range reasons {
		if i == 3 {
			text += fmt.Sprintf("; and %d more reasons", len(reasons)-i)
			break
		}
		text += "; " + r.Error()
	}
	return fmt.Errorf("model %s can predict none of %d machines%s", s.Model.Name(), s.out.All, text)
}

// skipReasons returns the reasons why machines could not be predicted, most frequent first.
func (s *search) skipReasons() (all []error) {
	reasons := make([]string, 0, len(s.reasons))
	for r := range s.reasons {
		reasons = append(reasons, r)
	}
	slices.SortFunc(reasons, func(a, b string) int {
		return cmp.Or(s.reasons[b]-s.reasons[a], strings.Compare(a, b))
	})
	for _, r := range reasons {
		all = append(all, fmt.Errorf("%d machines were left out: %s", s.reasons[r], r))
	}
	return all
}
