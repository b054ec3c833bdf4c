package lookup

import (
	"fmt"
	"strings"
)

// Unknown returns the error for a name that is not in names. It suggests the nearest one and lists all of them.
// The argument what says what the name is of, as in `unknown kernel "ul"`.
func Unknown(what, name string, names []string) error {
	return UnknownIn(what, name, names, "known: "+strings.Join(names, ", "))
}

// UnknownIn is Unknown for long lists. The argument list says how to see all names, as in "'traces formats' lists all".
func UnknownIn(what, name string, names []string, list string) error {
	return UnknownError(what, name, Nearest(name, names), list)
}

// UnknownError is UnknownIn for a suggestion that the caller knows, or "".
func UnknownError(what, name, meant, list string) error {
	if meant != "" {
		meant = fmt.Sprintf("; did you mean %q?", meant)
	}
	return fmt.Errorf("unknown %s %q%s (%s)", what, name, meant, list)
}

// Nearest returns the one of names that is the fewest edits away from name, ignoring case.
// An edit inserts, deletes or replaces a letter, or swaps two neighbours. Of equals the first one wins.
// Nearest returns "" if more than half of name would have to change.
func Nearest(name string, names []string) string {
	best, distance := "", len(name)/2+1
	for _, n := range names {
		if d := edits(strings.ToLower(name), strings.ToLower(n)); d < distance {
			best, distance = n, d
		}
	}
	return best
}

// edits returns the number of edits that turn a into b: the optimal string alignment distance, in bytes.
func edits(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
