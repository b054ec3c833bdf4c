package host

import (
	"math"
	"slices"
	"strconv"

	"spoor/traces/unit"
)

const (
	// stateWidth is the ratio of neighbouring sentinels, sorted into bins, that an empty stretch between two
	// states has at least. States that are known differ by 1.8 and more, sentinels of one state by 1.1.
	stateWidth = 1.25
	binsOctave = 24
	// leastShare is which share of the samples a state has at least, or it is strays of others; so many are enough, however many
	// others there are: a state in which a launch began is sampled less than one that lasts.
	leastShare  = 0.03
	leastNumber = 200
	valley      = 0.1 // of the lower of two peaks, below which they are two
)

// States divides round trips into states: peaks of their histogram over logarithms, which stretches of at least
// stateWidth part in which there is less than a tenth of the lower peak. It gives the bounds between states, ascending.
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

// peak is a stretch of bins that belong together.
type peak struct {
	first, last int
	mass, top   float64
}

// peaksOf joins bins to stretches, then stretches that are near or too small with their neighbours.
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

// Unknown is the state of samples before which nobody answered, where there are several states.
const Unknown = "unknown"

// State names the state of a sentinel: empty if there is but one.
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

// index is the state of a sentinel as a number; -1 if nobody answered and there are several.
func index(bounds []unit.Seconds, sentinel unit.Seconds) int {
	if len(bounds) > 0 && sentinel <= 0 {
		return -1
	}
	i, _ := slices.BinarySearch(bounds, sentinel)
	return i
}
