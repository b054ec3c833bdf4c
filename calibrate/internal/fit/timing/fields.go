package timing

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// field is a column of Spoor's own tables.
type field struct {
	name, base string // base unit: "s", "B" or none
	set        func(t *Timing, text string, v float64) error
	get        func(t *Timing) any // an int64, uint64, float64 or string
}

// fields are the columns in the order in which they are written.
var fields = []field{
	{"experiment", "", setExperiment, func(t *Timing) any { return string(t.Experiment) }},
	whole("rows", "", func(t *Timing) *int64 { return &t.Rows }),
	whole("cols", "", func(t *Timing) *int64 { return &t.Cols }),
	whole("item", "B", func(t *Timing) *int64 { return (*int64)(&t.Item) }),
	whole("stride", "B", func(t *Timing) *int64 { return (*int64)(&t.Stride) }),
	{"base", "B", setBase, func(t *Timing) any { return t.Base }},
	whole("blocks", "", func(t *Timing) *int64 { return &t.Blocks }),
	whole("bytes", "B", func(t *Timing) *int64 { return (*int64)(&t.Bytes) }),
	whole("accesses", "", func(t *Timing) *int64 { return &t.Accesses }),
	whole("ops", "", func(t *Timing) *int64 { return &t.Ops }),
	whole("count", "", func(t *Timing) *int64 { return &t.Count }),
	duration("delay", func(t *Timing) *unit.Seconds { return &t.Delay }),
	{"set", "", func(t *Timing, text string, _ float64) error { t.Set = packing.Set(text); return nil }, func(t *Timing) any { return string(t.Set) }},
	number("launch", func(t *Timing) *int { return &t.Launch }),
	number("rep", func(t *Timing) *int { return &t.Rep }),
	{"state", "", func(t *Timing, text string, _ float64) error { t.State = text; return nil }, func(t *Timing) any { return t.State }},
	duration("sentinel", func(t *Timing) *unit.Seconds { return &t.Sentinel }),
	duration("time", func(t *Timing) *unit.Seconds { return &t.Time }),
}

func setExperiment(t *Timing, text string, _ float64) error {
	if !slices.Contains(Experiments, packing.Experiment(text)) {
		return fmt.Errorf("%q is not one of %v", text, Experiments)
	}
	t.Experiment = packing.Experiment(text)
	return nil
}

// setBase keeps all 64 bits of addresses that are given in bytes.
func setBase(t *Timing, text string, _ float64) (err error) {
	t.Base, err = strconv.ParseUint(text, 0, 64)
	if err != nil {
		return fmt.Errorf("%q is not an address", text)
	}
	return nil
}

func whole(name, base string, of func(*Timing) *int64) field {
	return field{name, base, func(t *Timing, text string, v float64) error {
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			return fmt.Errorf("%s is not a whole number below 2^53", text)
		}
		*of(t) = int64(v)
		return nil
	}, func(t *Timing) any { return *of(t) }}
}

func number(name string, of func(*Timing) *int) field {
	f := whole(name, "", nil)
	f.set = func(t *Timing, text string, v float64) error {
		if v != math.Trunc(v) || v < 0 || v > 1<<31 {
			return fmt.Errorf("%s is not a whole number from 0 to 2^31", text)
		}
		*of(t) = int(v)
		return nil
	}
	f.get = func(t *Timing) any { return int64(*of(t)) }
	return f
}

func duration(name string, of func(*Timing) *unit.Seconds) field {
	return field{name, "s", func(t *Timing, _ string, v float64) error { *of(t) = unit.Seconds(v); return nil },
		func(t *Timing) any { return float64(*of(t)) }}
}

// textual are the fields whose values are not numbers.
var textual = []string{"experiment", "set", "state", "base"}
