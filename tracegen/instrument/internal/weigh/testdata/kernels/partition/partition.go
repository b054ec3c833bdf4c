// Package partition splits an array like package slices: its outer loop has no test of its own, and begins with an inner
// loop.
package partition

// Run partitions pieces of an array, and returns the number of elements before all pivots.
func Run() float64 {
	a := make([]uint64, 1<<14)
	x := uint64(7)
	for i := range a {
		x = x*6364136223846793005 + 1442695040888963407
		a[i] = x >> 33
	}
	sum := 0
	for n := len(a); n > 4; n /= 2 {
		sum += partition(a[:n], 0, n)
	}
	return float64(sum)
}

func partition[E uint64 | string](data []E, a, b int) int {
	i, j := a+1, b-1
	for {
		for i <= j && less(data[i], data[a]) {
			i++
		}
		for i <= j && !less(data[j], data[a]) {
			j--
		}
		if i > j {
			break
		}
		data[i], data[j] = data[j], data[i]
		i++
		j--
	}
	data[j], data[a] = data[a], data[j]
	return j
}

func less[E uint64 | string](x, y E) bool { return x < y }
