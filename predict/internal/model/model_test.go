package model

import (
	"math"
	"testing"

	"spoor/traces/unit"
)

var nan, inf = unit.Seconds(math.NaN()), unit.Seconds(math.Inf(1))

func whole() Prediction {
	return Prediction{Program: "fft", Machine: "m", Processors: 4, Model: "mva", EInstr: 10, Limit: "ideal", Utilization: 0.5,
		Split: Split{Ideal: 4, Latency: 3, Contention: 2, Sync: 1}, Interval: Interval{9, 11, "service times"}}
}

func TestCheck(t *testing.T) {
	if err := whole().Check(); err != nil {
		t.Error(err)
	}
	if (Prediction{}).Check() == nil {
		t.Error("the zero prediction looks like an answer")
	}
	for name, spoil := range map[string]func(p *Prediction){
		"no model":         func(p *Prediction) { p.Model = "" },
		"no machine":       func(p *Prediction) { p.Machine = "" },
		"no processors":    func(p *Prediction) { p.Processors = 0 },
		"no time":          func(p *Prediction) { p.EInstr, p.Split = 0, Split{} },
		"NaN":              func(p *Prediction) { p.EInstr = nan },
		"endless":          func(p *Prediction) { p.EInstr, p.Split.Sync = inf, inf },
		"parts":            func(p *Prediction) { p.Split.Sync = 2 },
		"negative part":    func(p *Prediction) { p.Split.Sync, p.Split.Ideal = -1, 6 },
		"below":            func(p *Prediction) { p.Interval.Lo = 10.5 },
		"above":            func(p *Prediction) { p.Interval.Hi = 9.5 },
		"interval of NaN":  func(p *Prediction) { p.Interval.Lo = nan },
		"no limit":         func(p *Prediction) { p.Limit = "" },
		"tested by none":   func(p *Prediction) { p.Untested, p.ModelMargin = "locks", ModelMargin{0.1, 0.1, "other programs"} },
		"over-utilization": func(p *Prediction) { p.Utilization = 1.1 },
	} {
		t.Run(name, func(t *testing.T) {
			p := whole()
			spoil(&p)
			if p.Check() == nil {
				t.Errorf("no error")
			}
		})
	}
}

func TestLargest(t *testing.T) {
	for want, s := range map[string]Split{
		"ideal": {1, 1, 1, 1}, "latency": {1, 2, 2, 1}, "contention": {1, 2, 3, 1}, "sync": {0, 0, 0, 1},
	} {
		t.Run(want, func(t *testing.T) {
			if got := s.Largest(); got != want {
				t.Errorf("%+v: got %s, want %s", s, got, want)
			}
		})
	}
}

func TestAnUnknownIntervalIsNoInterval(t *testing.T) {
	p := whole()
	p.Interval = Interval{}
	if p.Interval.Known() || p.Check() != nil {
		t.Errorf("%+v, %v", p.Interval, p.Check())
	}
}

// What the model varies is not all of an error that nobody has tested.
func TestUntestedHasNoWholeInterval(t *testing.T) {
	p := whole()
	p.Untested = "waits at locks are not in it"
	if p.FullInterval().Known() || !p.Interval.Known() || p.Check() != nil {
		t.Errorf("%+v, %v", p.FullInterval(), p.Check())
	}
}
