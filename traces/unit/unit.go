// Package unit defines types for the quantities that all stages use, and reads and prints
// them. The prefix k is 1000, and Ki is 1024. A quantity without a unit is an error.
// Simulated time is an integer number of picoseconds.
//
// The types prevent swapped arguments; they do not check dimensions. There is no default
// clock: a conversion from cycles needs the frequency.
package unit

import (
	"fmt"
	"math"
	"math/bits"
)

// Bytes is an amount of memory or of payload, in bytes.
type Bytes int64

// Instructions counts executed machine instructions.
type Instructions uint64

// Cycles is a duration in periods of some clock; it need not be whole.
type Cycles float64

// Picos is simulated time in picoseconds: 2^63 ps is 106 days.
type Picos int64

// Seconds is a duration as models compute it.
type Seconds float64

// Hertz is a frequency in 1/s.
type Hertz float64

// BytesPerSecond is a bandwidth.
type BytesPerSecond float64

const picosPerSecond = 1e12

// Seconds converts simulated time to seconds.
func (p Picos) Seconds() Seconds { return Seconds(float64(p) / picosPerSecond) }

// Picos rounds a duration to the nearest picosecond.
func (s Seconds) Picos() Picos { return Picos(math.Round(float64(s) * picosPerSecond)) }

// At returns the duration of c periods of a clock with frequency f.
func (c Cycles) At(f Hertz) Seconds { return Seconds(float64(c) / float64(f)) }

// Over returns the time to transfer b bytes at bandwidth bw.
func (b Bytes) Over(bw BytesPerSecond) Seconds { return Seconds(float64(b) / float64(bw)) }

// IsPowerOfTwo reports whether b is 1, 2, 4, 8, ...
func (b Bytes) IsPowerOfTwo() bool { return b > 0 && bits.OnesCount64(uint64(b)) == 1 }

// Shift returns log2 of b. Addresses shifted right by it are line numbers. It panics if b is
// not a power of two, which the caller must check before.
func (b Bytes) Shift() uint {
	if !b.IsPowerOfTwo() {
		panic(fmt.Sprintf("unit: Shift of %d bytes, not a power of two", int64(b)))
	}
	return uint(bits.TrailingZeros64(uint64(b)))
}
