package quanta

import (
	"math/big"
	"math/bits"
)

// wide is an exact sum of products, with 128 bits.
type wide struct{ hi, lo uint64 }

// add adds n x y. The sum must stay below 2^128.
func (w *wide) add(n, x, y uint64) {
	hi, lo := bits.Mul64(x, y)
	over, lo := bits.Mul64(lo, n)
	var carry uint64
	w.lo, carry = bits.Add64(w.lo, lo, 0)
	w.hi += hi*n + over + carry
}

func (w wide) big() *big.Int {
	out := new(big.Int).SetUint64(w.hi)
	return out.Or(out.Lsh(out, 64), new(big.Int).SetUint64(w.lo))
}

// sums has the sums over all quanta. Times are in instructions.
type sums struct {
	quanta  uint64
	time    uint64 // of all processors
	slowest uint64 // sum over quanta of the longest time of a processor
	squares wide   // squares of each processor's time in each quantum
	between wide   // squares of each quantum's time, summed over processors
	running uint64 // sum over quanta of the number of running processors; active likewise
	active  uint64
	// Sums of the squares of the numbers of running and active processors in each quantum.
	runningSquares, activeSquares wide
}

// quantumTotals has the sums of one quantum.
type quantumTotals struct {
	time, slowest   uint64
	squares         wide
	running, active uint64
}

// add adds a processor with its time.
func (q *quantumTotals) add(time uint64, event bool) {
	q.time += time
	q.slowest = max(q.slowest, time)
	q.squares.add(1, time, time)
	if time > 0 {
		q.running++
	}
	if time > 0 || event {
		q.active++
	}
}

func (s *sums) add(q *quantumTotals) {
	s.quanta++
	s.time += q.time
	s.slowest += q.slowest
	var carry uint64
	s.squares.lo, carry = bits.Add64(s.squares.lo, q.squares.lo, 0)
	s.squares.hi += q.squares.hi + carry
	s.between.add(1, q.time, q.time)
	s.running += q.running
	s.active += q.active
	s.runningSquares.add(1, q.running, q.running)
	s.activeSquares.add(1, q.active, q.active)
}

// addIdentical adds n quanta in which the given number of processors run all the time.
func (s *sums) addIdentical(n, length, running uint64) {
	s.quanta += n
	s.time += n * length * running
	if running > 0 {
		s.slowest += n * length
	}
	s.squares.add(n*running, length, length)
	s.between.add(n, length*running, length*running)
	s.running += n * running
	s.active += n * running
	s.runningSquares.add(n, running, running)
	s.activeSquares.add(n, running, running)
}

// deviations returns the sum of squares about the means of quanta of a value that is 1 for count processors
// and quanta and 0 for the others. w has the sum over quanta of the squares of these numbers.
func (w wide) deviations(count uint64, procs int) float64 {
	p := big.NewInt(int64(procs))
	v := new(big.Int).Mul(p, new(big.Int).SetUint64(count))
	f, _ := new(big.Rat).SetFrac(v.Sub(v, w.big()), p).Float64()
	return f
}

// sumsOfSquares returns the sums of squares about the means of quanta (SSE) and about the mean of all (SST),
// in instructions^2.
func (s *sums) sumsOfSquares(procs int) (sse, sst float64) {
	p := big.NewInt(int64(procs))
	n := new(big.Int).Mul(p, new(big.Int).SetUint64(s.quanta))
	time := new(big.Int).SetUint64(s.time)
	squares := s.squares.big()
	about := func(count, of *big.Int) float64 { // squares - of/count
		v := new(big.Int).Mul(squares, count)
		f, _ := new(big.Rat).SetFrac(v.Sub(v, of), count).Float64()
		return f
	}
	return about(p, s.between.big()), about(n, time.Mul(time, time))
}

// betweenQuanta returns the sum of the squares of the means of quanta about the mean of all. It is exact
// until it is rounded.
func (s *sums) betweenQuanta(procs int) float64 {
	p, n := big.NewInt(int64(procs)), new(big.Int).SetUint64(s.quanta)
	time := new(big.Int).SetUint64(s.time)
	v := s.between.big()
	v.Mul(v, n).Sub(v, time.Mul(time, time)) // n times, of sums over processors
	f, _ := new(big.Rat).SetFrac(v, n.Mul(n, p.Mul(p, p))).Float64()
	return f
}
