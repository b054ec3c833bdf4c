// Package capacity has what tables of misses by capacity have in common.
package capacity

// Of returns the powers of two below footprint, the means of neighbouring powers, and footprint
// itself.
func Of(footprint uint64) []int64 {
	var out []int64
	for c := uint64(1); c < footprint && c != 0; c *= 2 {
		out = append(out, int64(c))
		if mid := c + c/2; c > 1 && mid < footprint {
			out = append(out, int64(mid))
		}
	}
	if footprint > 0 {
		out = append(out, int64(footprint))
	}
	return out
}

// InSummary lists the capacities, in lines, whose miss ratios are in summaries.
var InSummary = [...]int64{16, 256, 4096, 65536}
