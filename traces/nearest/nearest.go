// Package nearest finds the name that somebody meant who mistyped one.
package nearest

import "strings"

// Name is the one of names that takes the fewest insertions, deletions and
// replacements of letters to make of name, whose case does not count; the first of
// several, and "" if name has to change by more than half.
func Name(name string, names []string) string {
	best, distance := "", len(name)/2+1
	for _, n := range names {
		if d := edits(strings.ToLower(name), strings.ToLower(n)); d < distance {
			best, distance = n, d
		}
	}
	return best
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
