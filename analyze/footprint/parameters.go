package footprint

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"spoor/analyze/internal/paramfile"
)

// parameters returns F_S, F_avg and F_max for both kinds of sharing, the block size and the window.
func (s *space) parameters(source string, w Window) (out []paramfile.Param) {
	for _, by := range []struct {
		infix, shared, private string
		sum                    func(*counts) uint64
	}{
		{"", "that several processors use in the trace", "that no other processor uses in the trace", byTrace},
		{"window_", "that several processors use in the window", "that no other processor uses in the window", byWindow},
	} {
		f := s.footprints(by.sum)
		if len(f.shareds) == 0 {
			return nil
		}
		what := fmt.Sprintf("distinct blocks of %v in windows of %v, mean of the windows in which a processor uses any; those ", s.Size, w)
		mean := func(name, of string, values []float64) paramfile.Param {
			return paramfile.Param{Name: name + by.infix + s.Name, Unit: "blocks", N: uint64(len(values)), Source: source,
				Estimate: meanOf(values), Method: what + of + ", mean over processors; Student's interval over processors"}
		}
		out = append(out, mean("f_s_", by.shared, f.shareds), mean("f_avg_", by.private, f.privates),
			paramfile.Exact("f_max_"+by.infix+s.Name, f.largest, "blocks", uint64(len(f.privates)), what+by.private+", of the processor that has most", source))
	}
	out = append(out, paramfile.Exact("block_"+s.Name, float64(s.Size), "B", 1, "chosen: size of a block", source))
	if w.End == Quanta {
		out = append(out, paramfile.Exact("window_"+s.Name, float64(w.Length), "instructions", 1, "chosen: length of a window", source))
	}
	return out
}

// meanOf returns the mean of values that are not negative.
func meanOf(values []float64) paramfile.Estimate {
	mean, sd := stat.MeanStdDev(values, nil)
	if len(values) < 2 {
		return paramfile.Estimate{Value: mean, Lo: mean, Hi: mean}
	}
	n := float64(len(values))
	width := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * sd / math.Sqrt(n)
	return paramfile.Estimate{Value: mean, Lo: max(0, mean-width), Hi: mean + width}
}
