package platform

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// units are the names of units with their sizes. The file format allows prefixes of 1000 from k to Y, and of 1024
// from Ki to Ei, and numbers without unit.
var (
	speeds = prefixed(1, "f", "flops")
	rates  = with(prefixed(1, "Bps"), prefixed(0.125, "bps"))
	times  = map[string]float64{"w": 7 * 86400, "d": 86400, "h": 3600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12}
)

// prefixed returns units with all prefixes.
func prefixed(size float64, names ...string) map[string]float64 {
	all := map[string]float64{}
	for _, name := range names {
		all[name] = size
		for i, prefix := range []string{"k", "M", "G", "T", "P", "E", "Z", "Y"} {
			all[prefix+name] = size * math.Pow(1000, float64(i+1))
			all[strings.ToUpper(prefix)+"i"+name] = size * math.Pow(1024, float64(i+1))
		}
		all["K"+name] = size * 1000
	}
	for i, prefix := range []string{"kilo", "mega", "giga", "tera", "peta", "exa", "zetta", "yotta"} {
		all[prefix+"flops"] = size * math.Pow(1000, float64(i+1))
	}
	return all
}

func with(a, b map[string]float64) map[string]float64 {
	for name, size := range b {
		a[name] = size
	}
	return a
}

// quantity reads an attribute that is a number with a unit. The number 0, and in files of old versions any number,
// needs none.
func (s *source) quantity(e *element, name, text string, units map[string]float64) (float64, error) {
	end := len(text)
	for end > 0 && (text[end-1] >= 'a' && text[end-1] <= 'z' || text[end-1] >= 'A' && text[end-1] <= 'Z') {
		end--
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(text[:end]), 64)
	size, known := units[text[end:]]
	switch {
	case text == "":
		return 0, s.errorf(e.line, "the attribute %s of <%s> is missing", name, e.name)
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0:
		return 0, s.errorf(e.line, "%s: %q is not a finite number of zero or more with a unit", name, text)
	case end == len(text):
		if v != 0 {
			s.note("%s: %q has no unit; it is read in the base unit, as SimGrid does", name, text)
		}
		return v, nil
	case !known:
		return 0, s.errorf(e.line, "%s: the unit of %q is not known", name, text)
	}
	return v * size, nil
}

// integers reads numbers from 1 to 65536 with separators.
func integers(text, separator string) (all []int, err error) {
	for part := range strings.SplitSeq(text, separator) {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 || n > 1<<16 {
			return nil, fmt.Errorf("%q is not a number from 1 to 65536", part)
		}
		all = append(all, n)
	}
	return all, nil
}

// radicals counts the hosts of a list such as 0-3,7.
func radicals(text string) (int, error) {
	count := 0
	for part := range strings.SplitSeq(text, ",") {
		first, last, many := strings.Cut(strings.TrimSpace(part), "-")
		if !many {
			last = first
		}
		a, err1 := strconv.Atoi(strings.TrimSpace(first))
		b, err2 := strconv.Atoi(strings.TrimSpace(last))
		if err1 != nil || err2 != nil || a < 0 || b < a || b-a >= 1<<16 || count+b-a >= 1<<16 {
			return 0, fmt.Errorf("radical: %q is not a list of at most 65536 numbers such as 0-3,7", text)
		}
		count += b - a + 1
	}
	return count, nil
}

func product(numbers []int) int {
	n := 1
	for _, v := range numbers {
		if n *= v; n > 1<<32 {
			return n
		}
	}
	return n
}
