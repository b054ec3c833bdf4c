package grow

import (
	"math/bits"

	"spoor/traces/trace"
)

// form is how the partner of an event follows from the rank, the number of ranks and the round.
type form uint8

// The forms of a partner. Here x is the coordinate of the rank on the axis, n the size of the axis, c the parameter, and
// k the round.
const (
	nobody     form = 1 + iota // no partner, or any
	object                     // no rank: the number c of a barrier, lock, flag or marker
	root                       // c, unless it is the rank itself
	itself                     // c, also if it is the rank itself: roots of collectives
	itselfLast                 // n-1-c, also if it is the rank itself
	last                       // n-1-c, unless it is the rank itself
	shift                      // x+c, if there is one
	cyclic                     // x+c, modulo n
	exchange                   // x XOR c
	mirror                     // n-1-x
	half                       // x+n/2, modulo n
	heapParent                 // (x-1)/c
	lowParent                  // x without its lowest bit
	highParent                 // x without its highest bit
	offsets                    // a step in several dimensions
	transposed                 // the coordinates exchanged
	folded                     // x XOR 1, for the ranks that a fold leaves out or adds to
	powerXor                   // x XOR 2^k
	foldedXor                  // the same among a power of two of active ranks
	powerPlus                  // x+2^k, modulo n
	powerMinus                 // x-2^k, modulo n
	powerUp                    // x+2^k, if there is one
	powerDown                  // x-2^k, if there is one
	lowChild                   // x+2^k, for x divisible by 2^(k+1)
	highChild                  // x+2^k, for x below 2^k
	heapChild                  // c x+1+k
	plus                       // x+k+1, modulo n
	minus                      // x-k-1, modulo n
	xorAll                     // x XOR k+1
	others                     // all but x, in turn
	everyone                   // all, in turn
	dealt                      // 1 + k modulo n-1: the tasks that rank 0 deals to the others
)

// partner is the partner of an event as a function of its place and round.
type partner struct {
	form  form
	axis  int8
	down  bool // the rounds go down
	c     int32
	steps [maxAxes]int16 // of offsets
	wraps uint8          // of offsets: bit d is set if dimension d is periodic
}

// at returns the partner in round k of n. It returns false if the event does not take place.
func (f *partner) at(p *place, k, n int) (int32, bool) {
	if f.down {
		k = n - 1 - k
	}
	switch f.form {
	case nobody:
		return trace.None, true
	case object:
		return f.c, true
	case offsets:
		return f.offset(p)
	case transposed:
		return int32(p.coord[2]*p.size[1] + p.coord[1]), p.size[1] == p.size[2]
	}
	x, ok := f.coordinate(p.coord[f.axis], p.size[f.axis], k)
	if !ok || x < 0 || x >= p.size[f.axis] {
		return 0, false
	}
	return int32(p.moved(int(f.axis), x)), true
}

// coordinate returns the coordinate of the partner on the axis.
func (f *partner) coordinate(x, n, k int) (int, bool) {
	if f.form >= powerXor {
		return f.inRound(x, n, k)
	}
	c := int(f.c)
	switch f.form {
	case root:
		return c, x != c
	case itself:
		return c, true
	case itselfLast:
		return n - 1 - c, true
	case last:
		return n - 1 - c, x != n-1-c
	case shift:
		return x + c, true
	case cyclic:
		return modulo(x+c, n), true
	case exchange:
		return x ^ c, true
	case folded:
		return x ^ 1, x < 2*foldOf(n).extra
	case mirror:
		return n - 1 - x, true
	case half:
		return modulo(x+n/2, n), n%2 == 0
	case heapParent:
		return (x - 1) / c, x > 0
	case lowParent:
		return x & (x - 1), x > 0
	case highParent:
		return x &^ (1 << max(0, bits.Len(uint(x))-1)), x > 0
	}
	return 0, false
}

// inRound returns the coordinate of a partner that depends on the round.
func (f *partner) inRound(x, n, k int) (int, bool) {
	bit := 1 << k
	switch f.form {
	case powerXor:
		return x ^ bit, true
	case foldedXor:
		return foldOf(n).partner(x, bit)
	case powerPlus:
		return modulo(x+bit, n), true
	case powerMinus:
		return modulo(x-bit, n), true
	case powerUp:
		return x + bit, true
	case powerDown:
		return x - bit, true
	case lowChild:
		return x + bit, x%(2*bit) == 0
	case highChild:
		return x + bit, x < bit
	case heapChild:
		return int(f.c)*x + 1 + k, true
	case plus:
		return modulo(x+k+1, n), true
	case minus:
		return modulo(x-k-1, n), true
	case xorAll:
		return x ^ (k + 1), true
	case others:
		if k >= x {
			k++
		}
		return k, true
	case everyone:
		return k, true
	case dealt:
		return 1 + k%max(1, n-1), n > 1
	}
	return 0, false
}

// offset returns the partner in several dimensions.
func (f *partner) offset(p *place) (int32, bool) {
	to := p.rank
	for d := 1; d < p.axes; d++ {
		x := p.coord[d] + int(f.steps[d])
		if f.wraps>>d&1 != 0 {
			x = modulo(x, p.size[d])
		}
		if x < 0 || x >= p.size[d] {
			return 0, false
		}
		to += (x - p.coord[d]) * p.stride[d]
	}
	return int32(to), true
}

func modulo(x, n int) int {
	if x %= n; x < 0 {
		x += n
	}
	return x
}

// count is the number of rounds of a block.
type count struct {
	form countForm
	axis int8
	a, b int32 // a f(n) + b, for n the size of the axis
}

type countForm uint8

const (
	once           countForm = iota // one round
	logarithm                       // a log2 n + b, the logarithm rounded up
	wholeLogarithm                  // the same, rounded down
	linear                          // a n + b
	dealtCount                      // the share of the rank if b tasks are dealt in turn; a is the first rank that gets one
	shareCount                      // the share of the rank if b tasks are divided into blocks; a as before
	openAll                         // a round for each open request, the oldest first
	openDown                        // the same, the latest first
	openKind                        // a round for each open request of the kind of event a, the oldest first
)

// of returns the number of rounds at a place.
func (c count) of(p *place) int {
	n := p.size[c.axis]
	a, b := int(c.a), int(c.b)
	switch c.form {
	case once:
		return 1
	case logarithm:
		return a*rounds(n) + b
	case wholeLogarithm:
		return a*(bits.Len(uint(n))-1) + b
	case linear:
		return a*n + b
	case dealtCount, shareCount:
		x, n := p.rank-a, p.ranks-a
		if x < 0 || n < 1 {
			return 0
		}
		if c.form == shareCount {
			return (x+1)*b/n - x*b/n
		}
		return b/n + btoi(x < b%n)
	}
	return 0
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
