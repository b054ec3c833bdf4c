package quanta

import (
	"fmt"
	"math/rand/v2"
	"slices"

	boot "spoor/analyze/bootstrap"
)

// replicates is the number of replicates of the bootstrap.
const replicates = 400

// replicate is one draw of n quanta and of processors.
type replicate struct {
	quantumSums
	n, procs  float64
	resampled bool // processors were resampled
}

// bootstrap holds draws of the sampled quanta and of the processors.
type bootstrap struct {
	sample replicate // the sample itself
	draws  []replicate
	method string
}

// bootstrap draws blocks of neighbouring quanta, because neighbouring quanta are similar. It draws processors
// independently. The longest time of a quantum always covers all its processors, because a maximum of fewer
// different ones would be too small.
func (s *samples) bootstrap(seed uint64) *bootstrap {
	n := len(s.number)
	block := boot.BlockOf(n)
	b := &bootstrap{draws: make([]replicate, replicates), method: fmt.Sprintf(
		"interval from %d bootstrap draws of blocks of %d of %d quanta, and of processors; seed %d", replicates, block, n, seed)}
	quanta := s.prefixSums(slices.Repeat([]uint32{1}, s.procs), nil)
	b.sample.add(quanta, 0, n)
	drawn := s.draw(rand.New(rand.NewPCG(seed, 1)))
	order := make([]int, len(drawn))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return slices.Compare(drawn[i].weights, drawn[j].weights) })
	var weights []uint32 // of the prefix sums; with one processor they never change
	for _, i := range order {
		if d := &drawn[i]; s.procs > 1 && !slices.Equal(d.weights, weights) {
			weights = d.weights
			quanta = s.prefixSums(weights, quanta)
		}
		b.draws[i] = drawn[i].replicate(quanta, block)
	}
	return b
}

// draw describes one replicate.
type draw struct {
	weights []uint32 // how often each processor was drawn
	from    []int32  // starts of blocks of quanta
}

// draw draws all replicates. With few processors there are fewer
// different draws than replicates. So it draws all replicates before any sums are computed.
func (s *samples) draw(r *rand.Rand) []draw {
	out := make([]draw, replicates)
	for i := range out {
		d := &out[i]
		d.weights = boot.Draw[uint32](r, s.procs)
		for from := range boot.Blocks(r, len(s.number)) {
			d.from = append(d.from, int32(from))
		}
	}
	return out
}

// replicate sums the drawn blocks of quanta. The prefix sums must be those of its weights. A block that
// passes the last quantum continues at the first.
func (d *draw) replicate(quanta *prefixSums, block int) replicate {
	k := replicate{resampled: true}
	n := len(quanta.number)
	left := n
	for _, from := range d.from {
		from, size := int(from), min(block, left)
		left -= size
		end := min(from+size, n)
		k.add(quanta, from, end)
		if rest := size - (end - from); rest > 0 {
			k.add(quanta, 0, rest)
		}
	}
	return k
}

// interval returns the 95 % interval of a value. It assumes that the value varies as the draws vary about the
// sample. The interval always contains the value.
func (b *bootstrap) interval(value float64, of statistic) (lo, hi float64) {
	shift := value - of(&b.sample)
	draws := make([]float64, len(b.draws))
	for i := range b.draws {
		draws[i] = of(&b.draws[i]) + shift
	}
	lo, hi = boot.Range(draws)
	return max(0, min(value, lo)), max(value, hi)
}
