// Package queens counts placements by recursion and with closures.
package queens

// Run returns the number of placements, counted in two ways.
func Run() float64 {
	const n = 7
	return float64(place(n, 0, 0, 0, 0)) + float64(closures(n))/1e6
}

func place(n, row int, columns, up, down uint) int {
	if row == n {
		return 1
	}
	count := 0
	for c := range n {
		u, d := uint(1)<<(row+c), uint(1)<<(row-c+n)
		if columns>>c&1 != 0 || up&u != 0 || down&d != 0 {
			continue
		}
		count += place(n, row+1, columns|1<<c, up|u, down|d)
	}
	return count
}

func closures(n int) int {
	at := make([]int, n)
	count := 0
	var try func(row int)
	try = func(row int) {
		if row == n {
			count++
			return
		}
		for c := 0; c < n; c++ {
			at[row] = c
			if free(at[:row+1]) {
				try(row + 1)
			}
		}
	}
	try(0)
	return count
}

func free(at []int) bool {
	last := len(at) - 1
	for r := range last {
		if d := at[last] - at[r]; d == 0 || d == last-r || d == r-last {
			return false
		}
	}
	return true
}
