package du2000

import (
	"fmt"
	"math"
)

// Verify compares the last blurred image and the edges, to the bit, with edge focusing written directly from its
// definition: one processor, whole images, no margins, and separate arrays for every level.
func (e *edge) Verify() error {
	n := e.size
	image := edgeInput(n, e.seed)
	var blurred []float32
	var edges []bool
	for level := range edgeLevels {
		blurred = serialBlur(image, n, sigma(level), window(level))
		found := serialRegister(blurred, n, e.threshold)
		if level > 0 {
			found = serialMatch(found, edges, n)
		}
		edges = found
	}
	last := (edgeLevels - 1) % 2
	for i := range n * n {
		if got := e.blurred[last][i]; got != blurred[i] {
			return fmt.Errorf("pixel (%d,%d) of the blurred image is %v, serially %v", i/n, i%n, got, blurred[i])
		}
		if got := e.edges[last][i] == 1; got != edges[i] {
			return fmt.Errorf("pixel (%d,%d) is an edge: %v, serially %v", i/n, i%n, got, edges[i])
		}
	}
	return nil
}

func serialBlur(image []float32, n int, sigma float64, w int) []float32 {
	g := gaussian(sigma, w)
	out := make([]float32, n*n)
	for i := range n {
		for j := range n {
			for y := range w {
				for x := range w {
					out[i*n+j] += float32(image[mirror(i+y-w/2, n)*n+mirror(j+x-w/2, n)] * g[y*w+x])
				}
			}
		}
	}
	return out
}

// serialRegister finds the greatest gradients along their direction. The angle determines the nearest of the four
// pairs of neighbours.
func serialRegister(f []float32, n int, threshold float32) []bool {
	pixel := func(i, j int) float32 { return f[i*n+j] }
	slope := func(i, j int) (dy, dx, size float32) {
		if i == 0 || j == 0 || i == n-1 || j == n-1 {
			return 0, 0, 0
		}
		dy, dx = (pixel(i+1, j)-pixel(i-1, j))/2, (pixel(i, j+1)-pixel(i, j-1))/2
		return dy, dx, float32(math.Sqrt(float64(float32(dy*dy) + float32(dx*dx))))
	}
	out := make([]bool, n*n)
	for i := 1; i < n-1; i++ {
		for j := 1; j < n-1; j++ {
			dy, dx, size := slope(i, j)
			if size < threshold {
				continue
			}
			eighth := math.Round(math.Atan2(float64(dy), float64(dx)) / (math.Pi / 4))
			sin, cos := math.Sincos(eighth * math.Pi / 4)
			di, dj := int(math.Round(sin)), int(math.Round(cos))
			if di < 0 || (di == 0 && dj < 0) {
				di, dj = -di, -dj // opposite directions are equivalent; use the one that points downwards or to the right
			}
			_, _, behind := slope(i-di, j-dj)
			_, _, ahead := slope(i+di, j+dj)
			out[i*n+j] = size > behind && size >= ahead
		}
	}
	return out
}

func serialMatch(found, previous []bool, n int) []bool {
	out := make([]bool, n*n)
	for i := 1; i < n-1; i++ {
		for j := 1; j < n-1; j++ {
			near := false
			for y := i - 1; y <= i+1; y++ {
				for x := j - 1; x <= j+1; x++ {
					near = near || previous[y*n+x]
				}
			}
			out[i*n+j] = found[i*n+j] && near
		}
	}
	return out
}
