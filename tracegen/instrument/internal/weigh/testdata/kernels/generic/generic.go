// Package generic has functions of several types.
package generic

type number interface{ ~int | ~int32 | ~float64 }

// Run sums, searches and sorts in several types.
func Run() float64 {
	a, b, c := fill[int](3000), fill[int32](2000), fill[float64](1000)
	heapSort(a)
	heapSort(c)
	s := sum(a) + sum(b) + sum(c)
	for i := range 2000 {
		s += float64(search(a, i*3))
		s += float64(search(c, float64(i)))
	}
	return s
}

func fill[T number](n int) []T {
	s := make([]T, n)
	x := uint32(n)
	for i := range s {
		x = x*1664525 + 1013904223
		s[i] = T(x >> 18)
	}
	return s
}

func sum[T number](s []T) float64 {
	t := 0.0
	for _, v := range s {
		t += float64(v)
	}
	return t
}

func search[T number](s []T, v T) int {
	lo, hi := 0, len(s)
	for lo < hi {
		if mid := (lo + hi) / 2; s[mid] < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

func heapSort[T number](s []T) {
	for i := len(s)/2 - 1; i >= 0; i-- {
		down(s, i)
	}
	for n := len(s) - 1; n > 0; n-- {
		s[0], s[n] = s[n], s[0]
		down(s[:n], 0)
	}
}

func down[T number](s []T, i int) {
	for {
		c := 2*i + 1
		if c >= len(s) {
			return
		}
		if c+1 < len(s) && s[c+1] > s[c] {
			c++
		}
		if s[i] >= s[c] {
			return
		}
		s[i], s[c] = s[c], s[i]
		i = c
	}
}
