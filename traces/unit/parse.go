package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// scales gives the size of every unit that Parse reads, in its base unit.
var scales = map[string]map[string]float64{
	"B": {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
		"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40},
	"s":      {"s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9, "ps": 1e-12, "min": 60, "h": 3600},
	"Hz":     {"Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
	"cycles": {"cycles": 1, "cycle": 1},
	"B/s": {"B/s": 1, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12,
		"KiB/s": 1 << 10, "MiB/s": 1 << 20, "GiB/s": 1 << 30,
		"b/s": 1.0 / 8, "kb/s": 1e3 / 8, "Mb/s": 1e6 / 8, "Gb/s": 1e9 / 8},
	"flop/s": {"flop/s": 1, "kflop/s": 1e3, "Mflop/s": 1e6, "Gflop/s": 1e9, "Tflop/s": 1e12,
		"f": 1, "kf": 1e3, "Mf": 1e6, "Gf": 1e9, "Tf": 1e12}, // the latter as in SimGrid's platforms
}

// examples shows one well-formed quantity of each base unit, for errors.
var examples = map[string]string{
	"B": "64KiB", "s": "2.5us", "Hz": "2.4GHz", "cycles": "58 cycles", "B/s": "10GB/s", "flop/s": "1Gf",
}

// Parse reads a number with its unit ("64 KiB", "2.4GHz") and returns it in base: "B", "s",
// "Hz", "cycles", "B/s" or "flop/s". It returns an error in these cases:
//
//   - the number has no unit, or a unit of another base;
//   - the prefix does not exist ("KB");
//   - the value is not finite.
func Parse(text, base string) (float64, error) {
	table, ok := scales[base]
	if !ok {
		panic("unit: no base unit " + base)
	}
	trimmed := strings.TrimSpace(text)
	cut := len(trimmed)
	for cut > 0 && !unicode.IsDigit(rune(trimmed[cut-1])) && trimmed[cut-1] != '.' {
		cut--
	}
	number, name := strings.TrimSpace(trimmed[:cut]), strings.TrimSpace(trimmed[cut:])
	if number == "" {
		return 0, fmt.Errorf("%q is not a quantity such as %q", text, examples[base])
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
		return 0, fmt.Errorf("%q: %q is not a finite number", text, number)
	}
	if name == "" {
		return 0, fmt.Errorf("%q has no unit; write for example %q", text, examples[base])
	}
	scale, ok := table[name]
	if !ok {
		return 0, fmt.Errorf("%q: unknown unit %q; write for example %q", text, name, examples[base])
	}
	if value *= scale; math.IsInf(value, 0) {
		return 0, fmt.Errorf("%q is not a finite number of %s", text, base)
	}
	return value, nil
}

// ParseBytes reads a whole, non-negative number of bytes.
func ParseBytes(text string) (Bytes, error) {
	v, err := Parse(text, "B")
	if err != nil {
		return 0, err
	}
	if v < 0 || v != math.Trunc(v) || v >= 1<<63 {
		return 0, fmt.Errorf("%q is not a whole number of bytes from 0 to 2^63-1", text)
	}
	return Bytes(v), nil
}
