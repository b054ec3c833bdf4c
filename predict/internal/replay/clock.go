package replay

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// Clock converts the work of a processor into ideal time: the time of its instructions and touches if every touch
// hits the cache. Times are computed from cumulative counts in units of 2^-64 ps and rounded once, so rounding errors
// do not accumulate.
type Clock struct{ instr, touch fixed }

// fixed is a duration in picoseconds with a fraction in units of 2^-64 ps.
type fixed struct{ whole, frac uint64 }

// maxStep bounds the time of one instruction and of one touch, so that the work of one reference cannot overflow
// simulated time.
const maxStep = unit.Seconds(1e-6)

// NewClock returns the clock of a processor of frequency f. An instruction takes cpi periods. Each line that a load
// or store touches takes touch periods more.
func NewClock(f unit.Hertz, cpi, touch unit.Cycles) (Clock, error) {
	if !(f > 0) || math.IsInf(float64(f), 0) {
		return Clock{}, fmt.Errorf("the clock is %v; it must be above 0", f)
	}
	for _, c := range []unit.Cycles{cpi, touch} {
		if !(c >= 0) || !(c.At(f) <= maxStep) {
			return Clock{}, fmt.Errorf("%v at %v: an instruction or a cache access must take from 0 to %v", c, f, maxStep)
		}
	}
	return Clock{instr: periods(cpi, f), touch: periods(touch, f)}, nil
}

// ClockOf returns the clock of the processors of m. A touch costs the latency of the nearest cache, or of the memory
// if there are no caches.
func ClockOf(m *machine.Machine) (Clock, error) {
	touch := m.Memory.Latency
	if len(m.Caches) > 0 {
		touch = m.Caches[0].Latency
	}
	return NewClock(m.Processor.Clock, m.Processor.CPI, touch.Cycles(m.Processor.Clock))
}

// ClocksOf returns the clocks of the processors of m in order, or nil if all nodes are of one kind.
func ClocksOf(m *machine.Machine) (all []Clock, err error) {
	if len(m.OtherNodes) == 0 {
		return nil, nil
	}
	for p := range m.Count() {
		i := m.NodeOf(p)
		c, err := ClockOf(m.Node(i))
		if err != nil {
			return nil, fmt.Errorf("node %d, %s: %w", i, m.Node(i).Name, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// periods returns the time of c periods of f, rounded to 2^-64 ps.
func periods(c unit.Cycles, f unit.Hertz) fixed {
	ps := new(big.Rat).SetFloat64(float64(c))
	ps.Mul(ps, big.NewRat(1e12, 1))
	ps.Quo(ps, new(big.Rat).SetFloat64(float64(f)))
	scaled := new(big.Int).Lsh(ps.Num(), 65) // twice the value, to round half up
	scaled.Quo(scaled, ps.Denom())
	scaled.Rsh(scaled.Add(scaled, big.NewInt(1)), 1)
	frac := new(big.Int).And(scaled, new(big.Int).SetUint64(math.MaxUint64))
	return fixed{whole: scaled.Rsh(scaled, 64).Uint64(), frac: frac.Uint64()}
}

// At returns the ideal time of instr instructions and of touches, to the nearest picosecond.
func (c *Clock) At(instr, touches uint64) unit.Picos {
	instrHi, instrLo := bits.Mul64(instr, c.instr.frac)
	touchHi, touchLo := bits.Mul64(touches, c.touch.frac)
	lo, carry := bits.Add64(instrLo, touchLo, 0)
	_, round := bits.Add64(lo, 1<<63, 0)
	return unit.Picos(instr*c.instr.whole + touches*c.touch.whole + instrHi + touchHi + carry + round)
}

// maxInstructions returns how many instructions fit into the time d.
func (c *Clock) maxInstructions(d unit.Picos) uint64 { return uint64(d) / (c.instr.whole + 1) }
