// Package align compares sequences by dynamic programming, with max, min and
// early exits.
package align

// Run returns the best local score and an edit distance.
func Run() float64 {
	a, b := sequence(300, 1), sequence(280, 5)
	return float64(local(a, b)) + float64(distance(a, b))/1e6
}

func sequence(n int, seed uint32) []byte {
	s := make([]byte, n)
	for i := range s {
		seed = seed*1664525 + 1013904223
		s[i] = "ACGT"[seed>>30]
	}
	return s
}

func local(a, b []byte) int {
	row := make([]int, len(b)+1)
	best := 0
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			score := diagonal - 1
			if x == y {
				score = diagonal + 2
			}
			diagonal = row[j+1]
			score = max(score, row[j]-1, diagonal-1, 0)
			row[j+1] = score
			best = max(best, score)
		}
	}
	return best
}

func distance(a, b []byte) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			d := diagonal
			if x != y {
				d = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
