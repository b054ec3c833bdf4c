package reuse

import (
	"fmt"
	"strconv"

	"spoor/traces/trace"
)

// Sampling selects the lines to measure. The zero value selects all of them: exact distances.
//
// A line is kept if hash(line) mod P < T, with P = 2^64 and T = R P. The distances between uses of kept
// lines, divided by the rate R, estimate the true distances. Every use counts 1/R times [waldspurger2015]. If
// Lines is set, T is lowered whenever there might be more lines than that. Lines above the new T are removed.
// Uses found at rate R still count 1/R times, which equals rescaling all counts by the ratio of the rates
// [waldspurger2015].
//
// The error of a sample depends on its number of lines, not on its rate. If Least is set, T starts at P. It
// is lowered in the same way, down to R P, while at least Least lines remain. So a trace of fewer lines is
// measured exactly.
//
// A sample cannot measure distances below a few times 1/R, which are most. They are measured exactly in
// bursts, see [burst]. Bursts then also determine the number of uses at the larger distances. A regression
// corrects the sample with it. The remaining uses have short distances. A trace that is too short for bursts
// adds the difference between expected and actual number of uses to distance 0, which is SHARDS-adj.
//
// Differs: T is lowered for a quarter of the lines at once, not for each new line. The hash is stratified,
// see [sampler.hash].
type Sampling struct {
	Rate  float64 // share of lines, from minRate to 1, before Lines lowers it; 0: all
	Least int     // minimum of distinct lines for each size and order, from minLines, if the trace has them; 0: none
	Lines int     // maximum of distinct lines at a time for each size and order, from minLines; 0: none
	Seed  uint64  // of the hash
}

// Limits of a sample.
const (
	minRate  = 1e-6
	minLines = 64
	maxLines = 1 << 30
)

// enoughLines is a number of lines that suffices for most uses. The standard error of a share among n lines
// is at most 0.5/sqrt(n), here 0.011.
const enoughLines = 1 << 11

// check returns an error if a value is out of range.
func (s Sampling) check() error {
	if s.Rate != 0 && !(s.Rate >= minRate && s.Rate <= 1) {
		return fmt.Errorf("sampling rate %v is outside %v to 1", s.Rate, minRate)
	}
	for _, n := range []int{s.Least, s.Lines} {
		if n != 0 && (n < minLines || n > maxLines) {
			return fmt.Errorf("a sample of %d lines is outside %d to %d", n, minLines, maxLines)
		}
	}
	return nil
}

// On reports whether lines are sampled.
func (s Sampling) On() bool { return s.Rate != 0 && s.Rate < 1 || s.Lines > 0 }

// Meta returns the metadata of tables of this sampling; none if all lines are measured.
func (s Sampling) Meta() []trace.Arg {
	if !s.On() {
		return nil
	}
	facts := []trace.Arg{{Key: "sample_rate", Value: strconv.FormatFloat(s.targetRate(), 'g', -1, 64)}}
	if n := s.least(); n > 0 {
		facts = append(facts, trace.Arg{Key: "sample_least", Value: strconv.Itoa(n)})
	}
	if s.Lines > 0 {
		facts = append(facts, trace.Arg{Key: "sample_lines", Value: strconv.Itoa(s.Lines)})
	}
	return append(facts, trace.Arg{Key: "sample_seed", Value: strconv.FormatUint(s.Seed, 10)})
}

// Warn returns the warning that the named result is an estimate.
func (s Sampling) Warn(name string) []error {
	if !s.On() {
		return nil
	}
	where := ""
	if s.least() > 0 {
		where = "; exact where sampled is 1"
	}
	return []error{fmt.Errorf("%s is an estimate, %v%s", name, s, where)}
}

// String describes the sampling.
func (s Sampling) String() string {
	if !s.On() {
		return "all lines"
	}
	limits := ""
	if n := s.least(); n > 0 {
		limits = fmt.Sprintf(", %d lines at least", n)
	}
	if s.Lines > 0 {
		limits += fmt.Sprintf(", %d lines at most", s.Lines)
	}
	return fmt.Sprintf("sampled: rate %v%s, seed %d", s.targetRate(), limits, s.Seed)
}

// targetRate returns the rate before the maximum of lines lowers it.
func (s Sampling) targetRate() float64 {
	if s.Rate == 0 {
		return 1
	}
	return s.Rate
}

// least returns the minimum of lines; 0 if there is none. It is at most half of the maximum.
func (s Sampling) least() int {
	switch {
	case s.targetRate() == 1:
		return 0
	case s.Lines > 0:
		return min(s.Least, s.Lines/2)
	}
	return s.Least
}

// varies reports whether the rate changes during the trace.
func (s Sampling) varies() bool { return s.Lines > 0 || s.least() > 0 }
