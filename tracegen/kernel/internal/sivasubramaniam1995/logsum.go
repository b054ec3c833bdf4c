package sivasubramaniam1995

import "spoor/tracegen/spmd"

// sumCell is one rank's cell in a logarithmic sum: a value and, in the same cache block, a flag with the number of
// the sum that it belongs to. The rest of the block is unused [sivasubramaniam1995, app., EP]. It is in the memory
// of the rank that writes it.
type sumCell[T int64 | float64] struct {
	value T
	flag  int64
	_     [48]byte
}

// publish writes a value into cell at, then its flag, the number of the sum.
func publish[T int64 | float64](r *spmd.Rank, cells []sumCell[T], at, sum int, value T) {
	cells[at].value = value
	cells[at].flag = int64(sum)
	r.Signal(int32(at))
}

// await waits for the value of a sum in cell at. The wait is an event. Of the spinning on the flag, only the last
// test remains; a replay on a machine without caches simulates the others.
func await[T int64 | float64](r *spmd.Rank, cells []sumCell[T], at, sum int) T {
	r.WaitFlag(int32(at), sum)
	for cells[at].flag < int64(sum) {
	}
	return cells[at].value
}

// logSum adds the values of all ranks in ceil(log2 P) steps and gives every rank the sum. In step i the ranks that
// are multiples of 2^(i+1) receive from the rank at distance 2^i and add. All ranks read the sum from the cell of
// rank 0 [sivasubramaniam1995, app., EP]. There is a cell for each rank.
//
// The sums of a program are numbered from 1, and use the same cells. A rank that has a sum knows that every rank
// has written its part, and so has read the sum before.
func logSum[T int64 | float64](r *spmd.Rank, cells []sumCell[T], sum int, value T) T {
	id, procs := r.ID(), r.Procs()
	for distance := 1; distance < procs && id&distance == 0; distance *= 2 {
		if from := id + distance; from < procs {
			value += await(r, cells, from, sum)
		}
	}
	publish(r, cells, id, sum, value)
	if id == 0 {
		return value
	}
	return await(r, cells, 0, sum)
}

// logSumBefore adds the values of all ranks below this one in ceil(log2 P) steps. In step i a rank receives the sum
// of up to 2^i ranks from the rank at distance 2^i below. There is a cell for each rank and step, used once.
func logSumBefore[T int64 | float64](r *spmd.Rank, cells []sumCell[T], value T) T {
	id, procs := r.ID(), r.Procs()
	steps := sumSteps(procs)
	var before T
	for step := range steps {
		distance := 1 << step
		if id+distance < procs {
			publish(r, cells, id*steps+step, 1, before+value)
		}
		if id >= distance {
			before += await(r, cells, (id-distance)*steps+step, 1)
		}
	}
	return before
}

// sumSteps returns ceil(log2 procs), the steps of a logarithmic sum.
func sumSteps(procs int) (steps int) {
	for distance := 1; distance < procs; distance *= 2 {
		steps++
	}
	return steps
}
