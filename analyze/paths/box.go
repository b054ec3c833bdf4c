package paths

import (
	"math"
	"math/rand/v2"

	"spoor/traces/trace"
)

// span is the range of a cost in picoseconds.
type span struct{ low, high float64 }

// box is the range of each cost. A program whose costs are all the same number of times as large takes as many times as long, so
// that one cost is fixed: that of an instruction, or of work in picoseconds.
type box [costs]span

// boxOf returns costs from those of the fastest machines to those of slow networks, for instructions of 1 ns.
func boxOf(p *Program, unit trace.WorkUnit) box {
	b := box{
		Instruction: {1000, 1000},
		Work:        {10, 5000},
		Send:        {1e4, 1e8},
		Receive:     {1e4, 1e8},
		Latency:     {1e5, 1e9},
		Gap:         {1e4, 1e8},
		Byte:        {5, 1e5},
	}
	if unit == trace.WorkPicos {
		b[Work], b[Instruction] = span{1, 1}, span{50, 5000}
	}
	if p.work == 0 {
		b[Work], b[Instruction] = span{}, span{1000, 1000}
	} else if p.instr == 0 {
		b[Instruction] = span{}
	}
	return b
}

// at returns the costs at a share of each range, from 0 to 1, in whole picoseconds. Shares are of logarithms.
func (b *box) at(share func(Cost) float64) (v Vector) {
	for i, s := range b {
		if s.high > 0 {
			v[i] = int64(math.Round(s.low * math.Pow(s.high/s.low, share(Cost(i)))))
		}
	}
	return v
}

// middle returns the costs in the middle of the box.
func (b *box) middle() Vector { return b.at(func(Cost) float64 { return 0.5 }) }

// corners returns the corners of the box for the costs that vary. o_s and o_r are at the same end.
func (b *box) corners() (all []Vector) {
	free := []Cost{}
	for i, s := range b {
		if c := Cost(i); s.high > s.low && c != Receive {
			free = append(free, c)
		}
	}
	for ends := range 1 << len(free) {
		all = append(all, b.at(func(c Cost) float64 {
			if c == Receive {
				c = Send
			}
			for i, f := range free {
				if f == c {
					return float64(ends >> i & 1)
				}
			}
			return 0
		}))
	}
	return all
}

// random returns random costs.
func (b *box) random(rng *rand.Rand) Vector {
	return b.at(func(Cost) float64 { return rng.Float64() })
}
