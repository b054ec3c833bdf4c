package du2000

import (
	"math"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// Edge finds the edges of a grey image by edge focusing [F. Bergholm: Edge focusing. IEEE Transactions on Pattern
// Analysis and Machine Intelligence 9(6), 1987, pp. 726-741; du2000, sec. 4.2]. Each of eight iterations
//
//   - blurs the image with a Gaussian of scale sigma, by convolution with a window
//     of w = ceil(8 sigma) pixels (31 27 23 19 15 11 7 3). Sigma is 3.8 at first
//     and 0.5 less each time;
//   - registers as candidates the pixels where the gradient of the blurred image is
//     at least the threshold, and greatest along its own direction;
//   - matches: it keeps the candidates with an edge of the previous iteration among
//     their 3 x 3 neighbours. Edges move by less than a pixel when the scale falls
//     by 0.5. The first iteration keeps all.
//
// The edges of the last iteration are the result. Rows are partitioned contiguously among ranks. There is one
// barrier in each iteration, after the blur: 8 in all. Blurred images and edges alternate between two arrays.
// Therefore a rank never writes what its neighbours still read.
//
// Differs: the coefficients are divided by their sum instead of 2 pi sigma^2, so that a flat image stays flat at
// small scales too. The paper does not define the image outside its border; here it is the mirrored image.
var Edge = workload.Kernel{
	Name: "edge", Paper: "du2000",
	Doc: "edge detection by edge focusing (Bergholm)",
	Params: []workload.Param{
		{Name: "size", Default: 128, Min: edgeMargin, Max: 8192, Doc: "rows and columns of the image, in pixels"},
		{Name: "threshold", Default: 4, Min: 1, Max: 255, Doc: "least gradient of an edge, in grey levels per pixel"},
	},
	Small: workload.Values{"size": 32},
	Make:  newEdge,
}

const (
	edgeLevels = 8
	edgeMargin = 15 // half of the first window
	greatest   = 255
)

// sigma returns the scale of an iteration, in pixels.
func sigma(level int) float64 { return 3.8 - 0.5*float64(level) }

// window returns the width of an iteration's window. The product is first rounded to a picopixel, because 8 x 0.5
// could become 4.000000000000001.
func window(level int) int { return int(math.Ceil(math.Round(8*sigma(level)*1e12) / 1e12)) }

type edge struct {
	size, procs  int
	threshold    float32
	seed         uint64
	image        []float32    // with edgeMargin mirrored pixels around it
	coefficients []float32    // the windows of all levels, one after the other
	blurred      [2][]float32 // by parity of the level
	edges        [2][]uint8
}

func newEdge(v workload.Values, procs int, seed uint64) workload.Instance {
	n := v["size"]
	e := &edge{size: n, procs: procs, threshold: float32(v["threshold"]), seed: seed,
		image: mirrored(edgeInput(n, seed), n)}
	for level := range edgeLevels {
		e.coefficients = append(e.coefficients, gaussian(sigma(level), window(level))...)
	}
	for i := range 2 {
		e.blurred[i], e.edges[i] = make([]float32, n*n), make([]uint8, n*n)
	}
	return e
}

// Program leaves the blurred image and the edges of the last level.
func (e *edge) Program(r *spmd.Rank) error {
	n := e.size
	image := spmd.Shared(r, "image", e.image)
	coefficients := spmd.Shared(r, "coefficients", e.coefficients)
	blurred := [2][]float32{spmd.Shared(r, "blurred 0", e.blurred[0]), spmd.Shared(r, "blurred 1", e.blurred[1])}
	edges := [2][]uint8{spmd.Shared(r, "edges 0", e.edges[0]), spmd.Shared(r, "edges 1", e.edges[1])}
	lo, hi := r.Share(n)
	gradient := spmd.Private(r, "gradient", make([]float32, (hi-lo+2)*n)) // rows lo-1..hi

	first := 0
	for level := range edgeLevels {
		w := window(level)
		e.blur(r, blurred[level%2], image, coefficients[first:first+w*w], w)
		r.Barrier()
		e.differentiate(r, gradient, blurred[level%2])
		e.register(r, edges[level%2], gradient, blurred[level%2])
		if level > 0 {
			e.match(r, edges[level%2], edges[(level-1)%2])
		}
		first += w * w
	}
	return nil
}

// blur convolves this rank's rows with a w x w window.
func (e *edge) blur(r *spmd.Rank, blurred, image, coefficients []float32, w int) {
	n, wide := e.size, e.size+2*edgeMargin
	corner := edgeMargin - w/2 // of the window around pixel (0,0)
	lo, hi := r.Share(n)
	for i := lo; i < hi; i++ {
		for j := range n {
			var sum float32
			for y := range w {
				at := (i+corner+y)*wide + j + corner
				sum = addProducts(sum, image[at:at+w], coefficients[y*w:(y+1)*w])
			}
			blurred[i*n+j] = sum
		}
	}
}

// addProducts adds the products of pixels and coefficients to sum. The conversion keeps multiplication and addition
// separate, which some machines could fuse. So the result has the same bits on all machines.
func addProducts(sum float32, pixels, coefficients []float32) float32 {
	for x := range pixels {
		sum += float32(pixels[x] * coefficients[x])
	}
	return sum
}

// inner returns the part of rows lo..hi-1 whose pixels have neighbours on all sides.
func (e *edge) inner(lo, hi int) (int, int) { return max(lo, 1), min(hi, e.size-1) }

// slope returns the gradient at a pixel by central differences, in grey levels per pixel. The pixel has index at,
// and a row has length n.
func slope(blurred []float32, at, n int) (dy, dx float32) {
	dx = (blurred[at+1] - blurred[at-1]) / 2
	dy = (blurred[at+n] - blurred[at-n]) / 2
	return dy, dx
}

// differentiate computes the magnitude of the gradient in this rank's rows, and in one row on either side of them.
// The neighbouring ranks compute these two rows as well.
func (e *edge) differentiate(r *spmd.Rank, gradient, blurred []float32) {
	n := e.size
	lo, hi := r.Share(n)
	from, to := e.inner(lo-1, hi+1)
	for i := from; i < to; i++ {
		for j := 1; j < n-1; j++ {
			dy, dx := slope(blurred, i*n+j, n)
			gradient[(i-lo+1)*n+j] = magnitude(dy, dx)
		}
	}
}

func magnitude(dy, dx float32) float32 {
	return float32(math.Sqrt(float64(float32(dy*dy) + float32(dx*dx))))
}

// register marks the candidates in this rank's rows: pixels whose gradient is at least the threshold, and at least
// that of both neighbours along its direction.
func (e *edge) register(r *spmd.Rank, edges []uint8, gradient, blurred []float32) {
	n := e.size
	lo, hi := r.Share(n)
	from, to := e.inner(lo, hi)
	threshold := e.threshold
	for i := from; i < to; i++ {
		for j := 1; j < n-1; j++ {
			at := (i-lo+1)*n + j
			candidate := uint8(0)
			if g := gradient[at]; g >= threshold {
				ahead := direction(blurred, i*n+j, n)
				if g > gradient[at-ahead] && g >= gradient[at+ahead] {
					candidate = 1
				}
			}
			edges[i*n+j] = candidate
		}
	}
}

// direction returns the distance, as an index, from a pixel to its neighbour in the direction of the gradient,
// rounded to one of eight directions.
func direction(blurred []float32, at, n int) int {
	const tan = math.Sqrt2 - 1 // of 22.5 degrees, half way between neighbours
	dy, dx := slope(blurred, at, n)
	tall, wide := math.Abs(float64(dy)), math.Abs(float64(dx))
	switch {
	case tall <= tan*wide:
		return 1
	case wide <= tan*tall:
		return n
	case dy > 0 == (dx > 0):
		return n + 1
	default:
		return n - 1
	}
}

// match drops the candidates of this rank's rows without an adjacent edge of the previous level.
func (e *edge) match(r *spmd.Rank, edges, previous []uint8) {
	n := e.size
	lo, hi := r.Share(n)
	from, to := e.inner(lo, hi)
	for i := from; i < to; i++ {
		for j := 1; j < n-1; j++ {
			if edges[i*n+j] == 1 && !hasNeighbour(previous, i*n+j, n) {
				edges[i*n+j] = 0
			}
		}
	}
}

// hasNeighbour reports whether one of the 3 x 3 pixels around at is an edge.
func hasNeighbour(edges []uint8, at, n int) bool {
	for y := at - n; y <= at+n; y += n {
		for x := y - 1; x <= y+1; x++ {
			if edges[x] == 1 {
				return true
			}
		}
	}
	return false
}

// Counts predicts the references. In each level, a pixel of a rank takes 2 w^2 + 1 references to blur. A pixel that
// is not on the border takes 5 to differentiate (also in the rows beside the rank's own), 2 to register, and 1 to
// match in all levels except the first. Pixels whose gradient reaches the threshold take more.
func (e *edge) Counts() workload.Counts {
	n := e.size
	c := workload.Counts{Barriers: edgeLevels, AtLeast: true}
	for rank := range e.procs {
		lo, hi := spmd.Share(n, e.procs, rank)
		own, wide := rows(e.inner(lo, hi)), rows(e.inner(lo-1, hi+1))
		refs := 0
		for level := range edgeLevels {
			w := window(level)
			refs += (hi-lo)*n*(2*w*w+1) + (wide*5+own*2)*(n-2)
			if level > 0 {
				refs += own * (n - 2)
			}
		}
		c.Refs = append(c.Refs, uint64(refs))
	}
	return c
}

func rows(from, to int) int { return max(0, to-from) }

func (e *edge) Digest() string {
	last := (edgeLevels - 1) % 2
	return workload.Digest(e.blurred[last], e.edges[last])
}
