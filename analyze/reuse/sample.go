package reuse

import (
	"fmt"
	"strconv"

	"spoor/traces/trace"
)

// Columns says what is in the tables.
const Columns = `Columns of reuse.arrow: number of uses by distance; the distance is the number of distinct other lines
since the line's last use, -1 for first uses. Processor -1, here and elsewhere, is all of them in the interleaved order.
Columns of curve.arrow, for fully associative LRU caches:
  lines              size in lines
  misses, refs       uses of lines that miss, and all: a reference that crosses lines uses several
  ratio              misses per use
  lo, hi             95 % interval of ratio: of a sample, by how parts of it differ; the ratio itself if it is exact
With --sample or --sample-lines, distances and counts are estimates, and so are footprint and all that is
made of them: a share of all lines is looked at (SHARDS), and short stretches of the trace are
measured exactly for the short distances. A share that is few lines says little of them: of what has no more than
--sample-least lines all are looked at, and it is exact; the share falls to that of --sample as lines become more. The
tables say sample_rate, sample_least, sample_lines and sample_seed; summaries have
the share of lines in the end as sampled, and lo and hi after each ratio. Segments of programs, which
intervals of locality come from, are not sampled: its intervals are then of what the sample does not know of this trace, and nothing
of what another run would change.
`

// Sampling says which lines are looked at. The zero value is all of them: exact distances.
//
// A line is kept if hash(line) mod P < T, with P = 2^64 and T = R P; the distances between
// uses of kept lines, divided by the rate R, are estimates of distances, and every use stands for 1/R
// uses [waldspurger2015]. If Lines is set, T is lowered whenever there might be more lines than
// that: lines that are out are forgotten, and what was found at rate R goes on standing for 1/R uses,
// which is what rescaling all counts by the ratio of rates comes to [waldspurger2015].
//
// The error of a sample depends on how many lines it has, not on what share they are. If Least is set, T begins at P and is
// lowered in the same way, to R P at last, as long as so many lines are left: a trace of fewer lines is measured exactly.
//
// A sample says nothing of distances below a few times 1/R, which are most. They are
// measured exactly in bursts, see [burst]. With bursts, the number of uses at distances that only the
// sample knows is known without the sample, and corrects it by regression; the rest
// goes to the short distances. Without (a short trace), the difference of expected and
// actual number of uses goes to distance 0, which is SHARDS-adj.
//
// Differs: T is lowered for a quarter of the lines at once, not for each new line; hash is
// stratified, see [sampler.hash].
//
// [waldspurger2015] C. A. Waldspurger, N. Park, A. Garthwaite, I. Ahmad: Efficient MRC
// construction with SHARDS. FAST 2015, pp. 95-110.
type Sampling struct {
	Rate  float64 // of lines; before there are more than Lines, if that is set; 0 is the same as 1, all
	Least int     // so many distinct lines at least, of every size and order, MinLines or more, where there are as many, whatever the rate; 0: whatever the rate gives
	Lines int     // at most so many distinct lines at a time, of every size and order, MinLines or more; 0: as many as there are
	Seed  uint64  // of the hash
}

// The least that makes a sample.
const (
	MinRate  = 1e-6
	MinLines = 64
	maxLines = 1 << 30
)

// Enough is the least number of lines that is good for most: the standard error of a share among n lines is no more
// than 0.5/sqrt(n), 0.011 here.
const Enough = 1 << 11

// Check tells of values that make no sample.
func (s Sampling) Check() error {
	if s.Rate != 0 && !(s.Rate >= MinRate && s.Rate <= 1) {
		return fmt.Errorf("%v is not a rate from %v to 1", s.Rate, MinRate)
	}
	for _, n := range []int{s.Least, s.Lines} {
		if n != 0 && (n < MinLines || n > maxLines) {
			return fmt.Errorf("a sample of %d lines is not one of %d to %d", n, MinLines, maxLines)
		}
	}
	return nil
}

// On reports whether not all lines are looked at.
func (s Sampling) On() bool { return s.Rate != 0 && s.Rate < 1 || s.Lines > 0 }

// Facts are what tables say of the sampling: nothing, if all lines are looked at.
func (s Sampling) Facts() []trace.Arg {
	if !s.On() {
		return nil
	}
	facts := []trace.Arg{{Key: "sample_rate", Value: strconv.FormatFloat(s.asked(), 'g', -1, 64)}}
	if n := s.least(); n > 0 {
		facts = append(facts, trace.Arg{Key: "sample_least", Value: strconv.Itoa(n)})
	}
	if s.Lines > 0 {
		facts = append(facts, trace.Arg{Key: "sample_lines", Value: strconv.Itoa(s.Lines)})
	}
	return append(facts, trace.Arg{Key: "sample_seed", Value: strconv.FormatUint(s.Seed, 10)})
}

// Warn is what a result named so says of the sampling.
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

// String says it in words.
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
	return fmt.Sprintf("sampled: rate %v%s, seed %d", s.asked(), limits, s.Seed)
}

// asked is the rate, before there are too many lines.
func (s Sampling) asked() float64 {
	if s.Rate == 0 {
		return 1
	}
	return s.Rate
}

// least is how many lines there are at least; 0 if that does not matter. It is well below what they may be at most.
func (s Sampling) least() int {
	switch {
	case s.asked() == 1:
		return 0
	case s.Lines > 0:
		return min(s.Least, s.Lines/2)
	}
	return s.Least
}

// varies reports whether the rate does.
func (s Sampling) varies() bool { return s.Lines > 0 || s.least() > 0 }
