// Package records works on large structures: copies, clears, maps, interfaces and
// deferred calls.
package records

type record struct {
	id   int
	data [24]float64
}

type shape interface{ area() float64 }

type square struct{ side float64 }

type circle struct{ radius float64 }

func (s square) area() float64 { return s.side * s.side }

func (c circle) area() float64 { return 3.14159 * c.radius * c.radius }

// Run returns a checksum.
func Run() float64 {
	all := make([]record, 200)
	for i := range all {
		all[i].id = i * 37 % 200
		all[i].data[i%24] = float64(i)
	}
	for i := range all {
		j := (i * 7) % len(all)
		all[i], all[j] = all[j], all[i]
	}
	sum := 0.0
	for i, r := range all {
		if i%3 == 0 {
			var empty record
			all[i] = empty
			continue
		}
		sum += r.data[r.id%24]
	}
	shapes := make([]shape, 0, 8)
	for i := range 300 {
		if i%2 == 0 {
			shapes = append(shapes, square{float64(i)})
		} else {
			shapes = append(shapes, circle{float64(i)})
		}
	}
	for _, s := range shapes {
		sum += s.area()
		if c, ok := s.(circle); ok {
			sum -= c.radius
		}
	}
	for i := range 200 {
		sum += guarded(i)
	}
	return sum + float64(sieve(5000))
}

func guarded(i int) (v float64) {
	defer func() { v++ }()
	if i%5 == 0 {
		return 0
	}
	return float64(i)
}

func sieve(n int) int {
	composite := make([]bool, n+1)
	primes := 0
	for p := 2; p <= n; p++ {
		if composite[p] {
			continue
		}
		primes++
		for q := p * p; q <= n; q += p {
			composite[q] = true
		}
	}
	return primes
}
