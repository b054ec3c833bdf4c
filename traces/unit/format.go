package unit

import (
	"math"
	"strconv"
)

// String prints b with the largest binary prefix that divides it: "64KiB", "1000B". It uses a decimal prefix from M on
// if that is shorter: "16GB".
func (b Bytes) String() string {
	binary, n := scaled(b, 1024)
	if thousands, k := scaled(b, 1000); k >= 2 && len(thousands) < len(binary) {
		return thousands + []string{"MB", "GB", "TB"}[k-2]
	}
	return binary + []string{"B", "KiB", "MiB", "GiB", "TiB"}[n]
}

// scaled divides b by base as often as possible without a remainder, at most four times.
func scaled(b Bytes, base Bytes) (digits string, times int) {
	for b != 0 && b%base == 0 && times < 4 {
		b /= base
		times++
	}
	return strconv.FormatInt(int64(b), 10), times
}

// String prints c as "58 cycles" or "1 cycle".
func (c Cycles) String() string {
	if c == 1 {
		return "1 cycle"
	}
	return strconv.FormatFloat(float64(c), 'g', -1, 64) + " cycles"
}

// String prints s with four significant digits and a decimal prefix: "2.5us".
func (s Seconds) String() string { return decimal(float64(s), "s") }

// String prints p as seconds.
func (p Picos) String() string { return p.Seconds().String() }

// String prints f as "2.4GHz".
func (f Hertz) String() string { return decimal(float64(f), "Hz") }

// String prints bw as "10GB/s".
func (bw BytesPerSecond) String() string { return decimal(float64(bw), "B/s") }

// decimal prints v with a prefix from p to T and four significant digits.
func decimal(v float64, unit string) string {
	prefixes := []string{"p", "n", "u", "m", "", "k", "M", "G", "T"}
	i := 4
	if v != 0 && !math.IsInf(v, 0) && !math.IsNaN(v) {
		i = min(max(int(math.Floor(math.Log10(math.Abs(v))/3))+4, 0), len(prefixes)-1)
		v /= math.Pow(1000, float64(i-4))
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + prefixes[i] + unit
}
