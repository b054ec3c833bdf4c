package host

import (
	"slices"

	"spoor/traces/unit"
)

// Rules decide when a point has enough samples.
type Rules struct {
	Least, Most int          // undisturbed samples
	Agree       float64      // the three smallest must agree within this share
	Patience    unit.Seconds // after it a point keeps the samples that it has
}

// Strict are the rules for parameters, Hasty those for a quick measurement.
var (
	Strict = Rules{Least: 15, Most: 60, Agree: 0.01, Patience: 0.25}
	Hasty  = Rules{Least: 3, Most: 6, Agree: 0.05, Patience: 0.02}
)

// Sampler takes samples by rules.
type Sampler struct {
	Host    Host
	Rules   Rules
	Samples []Sample
	wanted  unit.Seconds // a sentinel of the wanted state; 0: any
	bounds  []unit.Seconds
	reps    map[[2]int]int // number of samples by point and launch
	count   map[[2]int]int // number of those in the wanted state
}

// Take samples the trial of a point until the rules are met by samples of the wanted state, or until its time is
// over. It returns false if all samples are disturbed. A point may be taken again for more samples.
func (s *Sampler) Take(point, launch int, trial Trial) bool {
	if s.reps == nil {
		s.reps, s.count = map[[2]int]int{}, map[[2]int]int{}
	}
	key := [2]int{point, launch}
	var times []unit.Seconds
	begin := s.Host.Now()
	for tries := 0; !s.Rules.enough(times) && tries < 2*s.Rules.Most; {
		one := s.one(trial)
		one.Point, one.Launch, one.Rep = point, launch, s.reps[key]
		s.reps[key]++
		s.Samples = append(s.Samples, one)
		late := s.Host.Now() - begin
		switch {
		case one.Disturbed && late > hopeless*s.Rules.Patience:
			return tries > 0
		case one.Disturbed:
			continue
		case late > s.Rules.Patience:
			tries = 2 * s.Rules.Most
		}
		tries++
		if s.isWanted(one.Sentinel) {
			times = append(times, one.Time)
			s.count[key]++
		}
	}
	return true
}

// hopeless multiplies the patience for points with only disturbed samples.
const hopeless = 4

// Short reports whether a point has fewer samples of the wanted state than the rules need.
func (s *Sampler) Short(point, launch int) bool {
	return s.count[[2]int{point, launch}] < s.Rules.Least
}

// Settle computes the states of the samples so far. At the first call, the state of most samples becomes the
// wanted one.
func (s *Sampler) Settle() {
	sentinels := make([]unit.Seconds, len(s.Samples))
	for i, one := range s.Samples {
		sentinels[i] = one.Sentinel
	}
	s.bounds = States(sentinels)
	if s.wanted == 0 {
		s.wanted = s.usual(sentinels)
	}
	clear(s.count)
	for _, one := range s.Samples {
		if !one.Disturbed && s.isWanted(one.Sentinel) {
			s.count[[2]int{one.Point, one.Launch}]++
		}
	}
}

// usual returns the median sentinel of the state with the most samples; 0 if none was answered.
func (s *Sampler) usual(sentinels []unit.Seconds) unit.Seconds {
	of := make([][]unit.Seconds, len(s.bounds)+1)
	for _, one := range sentinels {
		if one > 0 {
			i := index(s.bounds, one)
			of[i] = append(of[i], one)
		}
	}
	most := slices.MaxFunc(of, func(a, b []unit.Seconds) int { return len(a) - len(b) })
	if len(most) == 0 {
		return 0
	}
	slices.Sort(most)
	return most[len(most)/2]
}

// State returns the name of a sentinel's state, as far as states are known.
func (s *Sampler) State(sentinel unit.Seconds) string { return State(s.bounds, sentinel) }

// Wanted returns the name of the wanted state.
func (s *Sampler) Wanted() string { return s.State(s.wanted) }

// Bounds returns the bounds between states.
func (s *Sampler) Bounds() []unit.Seconds { return s.bounds }

func (s *Sampler) isWanted(sentinel unit.Seconds) bool {
	return s.wanted == 0 || index(s.bounds, sentinel) == index(s.bounds, s.wanted)
}

func (s *Sampler) one(trial Trial) Sample {
	one := Sample{Sentinel: s.Host.Sentinel(), At: s.Host.Now()}
	before := s.Host.Switches()
	one.Time = trial()
	one.Disturbed = s.Host.Switches() != before || !(one.Time > 0)
	return one
}

func (r Rules) enough(times []unit.Seconds) bool {
	n := len(times)
	if n < r.Least || n < 3 {
		return false
	}
	if n >= r.Most {
		return true
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[2] <= sorted[0]*unit.Seconds(1+r.Agree)
}
