package loggp

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"spoor/calibrate/internal/fit"
)

// maxClasses bounds the number of protocols: eager, buffered, rendezvous, and one more.
const maxClasses = 4

// class is a range of sizes whose times are on one line over s-1.
type class struct {
	first, last int64 // sizes
	line        fit.Line
}

// classes approximate a curve by lines.
type classes []class

// at returns the curve's value at a size. Between two classes it uses the one nearer by ratio.
func (c classes) at(size float64) float64 {
	k := 0
	for k+1 < len(c) && size*size > float64(c[k].last)*float64(c[k+1].first) {
		k++
	}
	return c[k].line.At(max(size-1, 0))
}

// bytesBehind returns s-1 of the sizes of c, and the index of the first. It omits messages of no bytes, which have
// no first byte.
func (c *curve) bytesBehind() (x []float64, from int) {
	for from < len(c.sizes) && c.sizes[from] < 1 {
		from++
	}
	for _, size := range c.sizes[from:] {
		x = append(x, float64(size-1))
	}
	return x, from
}

// lines divides a curve into classes and adds their parameters under the given name: intercepts and slopes, by
// class if there are several.
func (s *Study) lines(c *curve, name string, seed uint64) classes {
	x, from := c.bytesBehind()
	if len(x) < 2 {
		if len(c.sizes) > 0 {
			s.warn("%s: a single size does not determine the cost of a byte", name)
		}
		return nil
	}
	times := &fit.Times{Cluster: c.times.Cluster, Of: c.times.Of[from:]}
	segments, err := fit.Segments(x, times.Means(), maxClasses)
	if err != nil {
		s.warn("%s: %w", name, err)
		return nil
	}
	var out classes
	anew := over(times, x, segments, seed)
	for k, segment := range segments {
		one := class{c.sizes[from+segment.First], c.sizes[from+segment.Last], segment.Line}
		suffix, where := "", fmt.Sprintf("sizes %d to %d", one.first, one.last)
		if len(segments) > 1 {
			suffix = fmt.Sprintf("_%d", k+1)
			where = fmt.Sprintf("class %d of %d, %s", k+1, len(segments), where)
		}
		s.line(x[segment.First:segment.Last+1], &fit.Times{Cluster: times.Cluster, Of: times.Of[segment.First : segment.Last+1]},
			anew[k], names[name], suffix, c.method+"; line of relative errors over s-1; "+where, seed)
		out = append(out, one)
	}
	return out
}

// over returns the standard deviations of the lines of segments over draws of clusters. Each draw is divided into
// segments again, because another run can find other ends. The line of a segment is the draw's line at the middle
// point of the segment. The intercept of the first and the slope of the last segment are g and G. Their deviations
// are at least those of the draw's first and last segment. It is nil for a segment if there is only one cluster,
// or if draws have no solution.
func over(times *fit.Times, x []float64, segments []fit.Segment, seed uint64) [][]float64 {
	sd := times.ClusterSD(func(means []float64, drawn []int) ([]float64, error) {
		if slices.Contains(drawn, 0) {
			return nil, errors.New("not measured in any of these launches")
		}
		again, err := fit.Segments(x, means, maxClasses)
		if err != nil {
			return nil, err
		}
		var values []float64
		for _, one := range segments {
			middle := (one.First + one.Last) / 2
			i := slices.IndexFunc(again, func(s fit.Segment) bool { return middle <= s.Last })
			values = append(values, again[i].Line.At0, again[i].Line.Slope)
		}
		return append(values, again[0].Line.At0, again[len(again)-1].Line.Slope), nil
	}, 2*len(segments)+2, seed)
	out := make([][]float64, len(segments))
	for k := range out {
		if sd != nil && !math.IsNaN(sd[2*k]) {
			out[k] = sd[2*k : 2*k+2]
		}
	}
	if ends := 2 * len(segments); sd != nil && !math.IsNaN(sd[ends]) {
		sd[0], sd[ends-1] = max(sd[0], sd[ends]), max(sd[ends-1], sd[ends+1])
	}
	return out
}

// names has the names of intercept, slope and end of a class.
var names = map[string][3]string{"gap": {"g", "G", "gap_upto"}, "half": {"half", "perbyte", "half_upto"},
	"duplex": {"duplex", "duplexperbyte", "duplex_upto"}}

// line adds the parameters of one class. anew has their standard deviations over clusters if classes can vary
// between draws, else nil.
func (s *Study) line(x []float64, times *fit.Times, anew []float64, names [3]string, suffix, method string, seed uint64) {
	law := func(means []float64, drawn []int) ([]float64, error) {
		l, err := fit.LineOf(x, means, drawn)
		return []float64{l.At0, l.Slope}, err
	}
	found, err := law(times.Means(), nil)
	if err != nil {
		return
	}
	if anew == nil {
		anew = times.ClusterSD(law, 2, seed)
	}
	spread := times.SpreadWith(law, 2, anew, false, seed)
	for j, unit := range []string{"s", "s/B"} {
		v := Value{Name: names[j] + suffix, Unit: unit, Value: found[j], Method: method + "; " + spread.What}
		v.Lo, v.Hi = spread.Interval(j, v.Value)
		s.Values = append(s.Values, v)
		if j == 1 && v.Value < 0 {
			s.warn("%s is negative, %.3g s/B: larger messages took less time", v.Name, v.Value)
		}
	}
	if suffix != "" {
		upto := x[len(x)-1] + 1
		s.Values = append(s.Values, Value{Name: names[2] + suffix, Unit: "B", Value: upto, Lo: math.NaN(), Hi: math.NaN(), Method: "largest size of the class"})
	}
}

// gaps adds g and G of LogGP if gaps have several classes. g is that of the smallest messages, and G, the gap for
// each byte of long messages, that of the largest [alexandrov1995].
func (s *Study) gaps(gap classes) {
	if len(gap) == 0 {
		s.warn("g and G are not known: there are no bursts and no stream of several sizes")
	}
	if len(gap) < 2 {
		return
	}
	for _, v := range s.Values {
		switch v.Name {
		case "g_1":
			v.Name = "g"
		case fmt.Sprintf("G_%d", len(gap)):
			v.Name = "G"
		default:
			continue
		}
		s.Values = append(s.Values, v)
	}
}
