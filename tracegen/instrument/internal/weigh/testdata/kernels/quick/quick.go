// Package quick sorts by partition and, small pieces, by insertion.
package quick

// Run sorts and returns the number of elements out of order.
func Run() float64 {
	a := make([]int, 20000)
	x := uint64(7)
	for i := range a {
		x = x*6364136223846793005 + 1
		a[i] = int(x >> 40)
	}
	quick(a)
	wrong := 0
	for i := range a {
		if i > 0 && a[i-1] > a[i] {
			wrong++
		}
	}
	return float64(wrong)
}

func quick(a []int) {
	for len(a) > 12 {
		p := median(a[0], a[len(a)/2], a[len(a)-1])
		i, j := 0, len(a)-1
		for i <= j {
			for a[i] < p {
				i++
			}
			for a[j] > p {
				j--
			}
			if i <= j {
				a[i], a[j] = a[j], a[i]
				i++
				j--
			}
		}
		if j+1 < len(a)-i {
			quick(a[:j+1])
			a = a[i:]
		} else {
			quick(a[i:])
			a = a[:j+1]
		}
	}
	insert(a)
}

func insert(a []int) {
	for i := 1; i < len(a); i++ {
		for j := i; j > 0 && a[j] < a[j-1]; j-- {
			a[j], a[j-1] = a[j-1], a[j]
		}
	}
}

func median(a, b, c int) int {
	if a > b {
		a, b = b, a
	}
	if b > c {
		b = c
		if a > b {
			return a
		}
	}
	return b
}
