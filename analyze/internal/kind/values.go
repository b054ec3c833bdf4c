package kind

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// Sorted returns the values in ascending order without duplicates.
func Sorted[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// Texts returns the values as strings.
func Texts[T ~string](values []T) (out []string) {
	for _, v := range values {
		out = append(out, string(v))
	}
	return out
}

// MaxBlocks is the maximum number of blocks of a cache that an analysis fills or simulates.
const MaxBlocks = 1<<24 - 1

// Shape is a cache, by its sets and ways.
type Shape struct{ Sets, Ways int }

// ParseShapes reads caches such as 512x4, each once.
func ParseShapes(flag string, texts []string) (out []Shape, err error) {
	for _, text := range texts {
		sets, ways, found := strings.Cut(text, "x")
		s := Shape{}
		var err1, err2 error
		s.Sets, err1 = strconv.Atoi(sets)
		s.Ways, err2 = strconv.Atoi(ways)
		if !found || err1 != nil || err2 != nil || s.Sets < 1 || s.Ways < 1 || s.Sets > MaxBlocks/s.Ways {
			return nil, fmt.Errorf("%s: %q is not sets x ways, such as 512x4, with at most %d blocks in total", flag, text, MaxBlocks)
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, nil
}

// HasRefs reports whether the trace has references.
func HasRefs(src *store.Trace) bool {
	for p := range trace.Proc(src.Header().Procs) {
		if src.Totals(p).Refs > 0 {
			return true
		}
	}
	return false
}
