package host

import (
	"slices"

	"spoor/traces/unit"
)

// Rules are when a point has been sampled enough.
type Rules struct {
	Least, Most int          // undisturbed samples
	Agree       float64      // to within which the three smallest agree
	Patience    unit.Seconds // after which a point is left with what it has
}

// Strict are the rules for parameters, Hasty those for a look.
var (
	Strict = Rules{Least: 15, Most: 60, Agree: 0.01, Patience: 0.25}
	Hasty  = Rules{Least: 3, Most: 6, Agree: 0.05, Patience: 0.02}
)

// Sampler takes samples by rules.
type Sampler struct {
	Host    Host
	Rules   Rules
	Samples []Sample
	wanted  unit.Seconds // a sentinel of the state that samples are wanted in; 0: any
	bounds  []unit.Seconds
	reps    map[[2]int]int // by point and launch
	count   map[[2]int]int // of them, those that are wanted
}

// Take samples the trial of a point until the rules are content with those of the wanted state, or nothing more is to be
// hoped for: it is false if all samples are disturbed. A point may be taken again, for more samples.
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
		case one.Disturbed && tries == 0 && late > hopeless*s.Rules.Patience:
			return false
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

// hopeless is how many times their patience points are given that were only disturbed so far.
const hopeless = 4

// Short reports whether a point has fewer samples of the wanted state than the rules ask for.
func (s *Sampler) Short(point, launch int) bool {
	return s.count[[2]int{point, launch}] < s.Rules.Least
}

// Settle finds the states of the samples so far; at the first call, that of most of them becomes the wanted one.
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

// usual is the middle sentinel of the state that most are in; 0 if nobody answered.
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

// State names the state of a sentinel as far as states are known.
func (s *Sampler) State(sentinel unit.Seconds) string { return State(s.bounds, sentinel) }

// Wanted is the state in which samples are wanted.
func (s *Sampler) Wanted() string { return s.State(s.wanted) }

// Bounds are between states.
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
