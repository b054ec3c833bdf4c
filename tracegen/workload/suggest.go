package workload

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// unknown is the error of a name that is none of names: it suggests the nearest,
// if one is near, and lists all.
func unknown(what, name string, names []string) error {
	best, distance := "", len(name)/2+1
	for _, n := range names {
		if d := edits(strings.ToLower(name), n); d < distance {
			best, distance = n, d
		}
	}
	hint := ""
	if best != "" {
		hint = fmt.Sprintf("did you mean %q? ", best)
	}
	return fmt.Errorf("%s %q does not exist; %spossible: %s", what, name, hint, strings.Join(names, ", "))
}

// edits is the Levenshtein distance: how many insertions, deletions and
// replacements of a byte turn a into b.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func sortedKeys(v Values) []string { return slices.Sorted(maps.Keys(v)) }
