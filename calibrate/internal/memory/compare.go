package memory

import (
	"fmt"
	"math"

	"spoor/calibrate/internal/host"
	"spoor/traces/unit"
)

// near is the largest factor between a measured size and the kernel's size of the same cache: a step of a quarter
// of an octave, and a few percent for the blurred rise.
const near = 1.25

// Found is a measured level with the kernel's cache of the same size.
type Found struct {
	Level
	Kernel *host.KernelCache // nil: the kernel reports none of this size
}

// Found pairs levels with the kernel's caches, and lists disagreements.
func (r *Result) Found() (list []Found, disagreements []string) {
	used := make([]bool, len(r.Facts.Kernel))
	for _, l := range r.caches() {
		f := Found{Level: l}
		for i := range r.Facts.Kernel {
			k := &r.Facts.Kernel[i]
			if !used[i] && math.Abs(math.Log(l.Size.Value/float64(k.Size))) < math.Log(near) {
				f.Kernel, used[i] = k, true
				break
			}
		}
		if f.Kernel == nil {
			disagreements = append(disagreements, fmt.Sprintf("a level of %v was measured that the kernel does not report", rounded(l.Size.Value)))
		}
		list = append(list, f)
	}
	for i, k := range r.Facts.Kernel {
		if !used[i] {
			disagreements = append(disagreements, fmt.Sprintf("the kernel reports a level %d of %v, but times do not rise there", k.Level, k.Size))
		}
		if r.Line.Value > 0 && float64(k.Line) != r.Line.Value {
			disagreements = append(disagreements, fmt.Sprintf("lines of %g B were measured; the kernel reports %v in level %d", r.Line.Value, k.Line, k.Level))
		}
	}
	if len(r.Facts.Kernel) == 0 {
		disagreements = append(disagreements, "the kernel reports no caches")
	}
	return list, disagreements
}

// caches returns the levels without the memory.
func (r *Result) caches() []Level { return r.Levels[:len(r.Levels)-1] }

func (r *Result) memory() Level { return r.Levels[len(r.Levels)-1] }

// rounded returns a size with three digits, for people.
func rounded(bytes float64) unit.Bytes {
	scale := math.Exp2(math.Floor(math.Log2(bytes)) - 6)
	return unit.Bytes(math.Round(bytes/scale) * scale)
}

// geometry returns the buildable cache nearest to a size: 8, 10, 12 or 14 ways and a power of two of sets.
func geometry(size float64, line unit.Bytes) (unit.Bytes, int) {
	best, ways, least := unit.Bytes(0), 0, math.Inf(1)
	for w := 8; w <= 14; w += 2 {
		sets := math.Exp2(math.Max(math.Round(math.Log2(size/float64(w)/float64(line))), 0))
		built := unit.Bytes(sets) * unit.Bytes(w) * line
		if far := math.Abs(math.Log(float64(built) / size)); far < least {
			best, ways, least = built, w, far
		}
	}
	return best, ways
}
