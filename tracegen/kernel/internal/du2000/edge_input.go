package du2000

import (
	"math"
	"slices"

	"spoor/tracegen/kernel/internal/workload"
)

// edgeInput returns an image of overlapping discs and rectangles of random size and grey, with noise of 6 grey
// levels.
func edgeInput(n int, seed uint64) []float32 {
	rng := workload.Generator(seed)
	image := slices.Repeat([]float32{64}, n*n)
	for range 12 {
		ci, cj, reach := rng.IntN(n), rng.IntN(n), n/16+rng.IntN(n/6+1)
		grey, round := float32(rng.IntN(greatest+1)), rng.IntN(2) == 0
		for i := max(ci-reach, 0); i < min(ci+reach, n); i++ {
			for j := max(cj-reach, 0); j < min(cj+reach, n); j++ {
				if !round || (i-ci)*(i-ci)+(j-cj)*(j-cj) < reach*reach {
					image[i*n+j] = grey
				}
			}
		}
	}
	for i := range image {
		noisy := math.Round(float64(image[i]) + 6*rng.NormFloat64())
		image[i] = float32(min(max(noisy, 0), greatest))
	}
	return image
}

// mirrored surrounds an n x n image with edgeMargin pixels of its mirror image.
func mirrored(image []float32, n int) []float32 {
	wide := n + 2*edgeMargin
	out := make([]float32, wide*wide)
	for i := range wide {
		for j := range wide {
			out[i*wide+j] = image[mirror(i-edgeMargin, n)*n+mirror(j-edgeMargin, n)]
		}
	}
	return out
}

// mirror folds an index from -n..2n-1 into 0..n-1.
func mirror(i, n int) int {
	switch {
	case i < 0:
		return -1 - i
	case i >= n:
		return 2*n - 1 - i
	default:
		return i
	}
}

// gaussian returns a w x w window of exp(-(x^2+y^2)/(2 sigma^2)), divided by its sum.
func gaussian(sigma float64, w int) []float32 {
	g := make([]float64, w*w)
	var sum float64
	for y := range w {
		for x := range w {
			dy, dx := float64(y-w/2), float64(x-w/2)
			g[y*w+x] = math.Exp(-(dx*dx + dy*dy) / (2 * sigma * sigma))
			sum += g[y*w+x]
		}
	}
	out := make([]float32, len(g))
	for i := range g {
		out[i] = float32(g[i] / sum)
	}
	return out
}
