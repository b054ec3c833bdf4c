package host

import (
	"math"
	"slices"
	"strconv"

	"spoor/traces/unit"
)

const (
	// stateWidth is the least ratio of sentinels between which the histogram is empty, for two states. Known
	// states differ by 1.8 or more, sentinels of one state by 1.1.
	stateWidth = 1.25
	binsOctave = 24
	// leastShare is the least share of the samples that a state needs; fewer are strays of other states.
	// leastNumber samples suffice whatever the share: a state in which a launch began has fewer samples than one
	// that lasts.
	leastShare  = 0.03
	leastNumber = 200
	valley      = 0.1 // share of the lower of two peaks; if the histogram between them is lower, they are two states
)

// States divides round trips into states: the peaks of their histogram over logarithms. Between two states the
// histogram is below a tenth of the lower peak for at least stateWidth. States returns the bounds between states,
// ascending.
func States(sentinels []unit.Seconds) (bounds []unit.Seconds) {
	var logs []float64
	for _, s := range sentinels {
		if s > 0 {
			logs = append(logs, math.Log2(float64(s))*binsOctave)
		}
	}
	if len(logs) == 0 {
		return nil
	}
	least := math.Floor(slices.Min(logs))
	bins := make([]float64, int(slices.Max(logs)-least)+1)
	for _, l := range logs {
		bins[int(l-least)]++
	}
	peaks := peaksOf(bins, min(leastShare*float64(len(logs)), leastNumber))
	for i := 1; i < len(peaks); i++ {
		middle := least + float64(peaks[i-1].last+1+peaks[i].first)/2
		bounds = append(bounds, unit.Seconds(math.Exp2(middle/binsOctave)))
	}
	return bounds
}

// peak is a range of bins of one state.
type peak struct {
	first, last int
	mass, top   float64
}

// peaksOf joins adjacent bins to peaks. It then joins peaks that are too near or too small with their neighbours.
func peaksOf(bins []float64, leastMass float64) (peaks []peak) {
	smooth := make([]float64, len(bins))
	for i := range bins {
		for k := max(i-1, 0); k <= min(i+1, len(bins)-1); k++ {
			smooth[i] += bins[k]
		}
	}
	top := slices.Max(smooth)
	floor := max(valley*min(top, leastMass), 0.5)
	gap := int(math.Log2(stateWidth) * binsOctave)
	for i, v := range smooth {
		if v < floor {
			continue
		}
		if n := len(peaks); n > 0 && i-peaks[n-1].last <= gap {
			p := &peaks[n-1]
			p.last, p.mass, p.top = i, p.mass+bins[i], max(p.top, v)
			continue
		}
		peaks = append(peaks, peak{i, i, bins[i], v})
	}
	large := slices.DeleteFunc(slices.Clone(peaks), func(p peak) bool { return p.mass < leastMass })
	if len(large) == 0 {
		return peaks[:1]
	}
	return large
}

// Unknown is the state of samples whose sentinel was not answered, if there are several states.
const Unknown = "unknown"

// State returns the name of a sentinel's state; "" if there is only one.
func State(bounds []unit.Seconds, sentinel unit.Seconds) string {
	switch i := index(bounds, sentinel); {
	case len(bounds) == 0:
		return ""
	case i < 0:
		return Unknown
	default:
		return "s" + strconv.Itoa(i+1)
	}
}

// index returns the number of a sentinel's state; -1 if it was not answered and there are several.
func index(bounds []unit.Seconds, sentinel unit.Seconds) int {
	if len(bounds) > 0 && sentinel <= 0 {
		return -1
	}
	i, _ := slices.BinarySearch(bounds, sentinel)
	return i
}
