// Package life plays the game of life and draws the Mandelbrot set.
package life

// Run returns the living cells and the steps of the set.
func Run() float64 {
	const n = 48
	a, b := make([]bool, n*n), make([]bool, n*n)
	for i := range a {
		a[i] = i*i%7 < 3
	}
	for range 12 {
		next(b, a, n)
		a, b = b, a
	}
	alive := 0
	for _, v := range a {
		if v {
			alive++
		}
	}
	return float64(alive) + float64(mandelbrot(40))/1e6
}

func next(to, from []bool, n int) {
	for y := range n {
		for x := range n {
			count := 0
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					if dx == 0 && dy == 0 {
						continue
					}
					if from[(y+dy+n)%n*n+(x+dx+n)%n] {
						count++
					}
				}
			}
			to[y*n+x] = count == 3 || count == 2 && from[y*n+x]
		}
	}
}

func mandelbrot(n int) int {
	steps := 0
	for y := range n {
		for x := range n {
			c := complex(float64(x)/float64(n)*3-2, float64(y)/float64(n)*2-1)
			z := c
			k := 0
			for ; k < 50 && real(z)*real(z)+imag(z)*imag(z) <= 4; k++ {
				z = z*z + c
			}
			steps += k
		}
	}
	return steps
}
