package meshes

import (
	"math"
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
)

var pglSizes = []workload.Values{
	{"triangles": 0, "frames": 1, "size": 8, "extent": 1},
	{"triangles": 20, "frames": 3, "size": 32, "extent": 4, "buffer": 3},
	{"triangles": 60, "frames": 2, "size": 40, "extent": 5, "buffer": 1},
	{"triangles": 30, "frames": 2, "size": 65, "extent": 8},
}

func spoilPGL(inst workload.Instance) {
	f := inst.(*pgl)
	f.pictures[1][len(f.pictures[1])/2]++
}

// TestSpansCoverTheTriangle compares with the definition: the sides of the
// triangle that a point is on, and the depth of its plane there.
func TestSpansCoverTheTriangle(t *testing.T) {
	const size = 200
	f := kerneltest.Instance(t, PGL, workload.Values{"triangles": 40, "frames": 1, "size": size, "extent": 25}, 1).(*pgl)
	for i := range f.triangles[0] {
		c := project(&f.triangles[0][i], math.Sin(0.3), math.Cos(0.3), size)
		area := side(&c[0], &c[1], c[2].x, c[2].y)
		for line := range size {
			var s span
			if y := float64(line); y >= c[0].y && y < c[2].y {
				s = spanOf(&c, line)
			}
			for x := range int32(size) {
				// Barycentric coordinates; near 0, rounding decides.
				u := side(&c[1], &c[2], float64(x), float64(line)) / area
				v := side(&c[2], &c[0], float64(x), float64(line)) / area
				w := side(&c[0], &c[1], float64(x), float64(line)) / area
				if math.Abs(u*v*w) < 1e-9 {
					continue
				}
				inside, drawn := u > 0 && v > 0 && w > 0, x >= s.left && x < s.right
				if inside != drawn {
					t.Fatalf("triangle %d, line %d, pixel %d: inside %v, drawn %v", i, line, x, inside, drawn)
				}
				if !drawn {
					continue
				}
				depth := s.from.depth + (x-s.left)*((s.to.depth-s.from.depth)/(s.right-s.left))
				want := u*c[0].z + v*c[1].z + w*c[2].z
				// Ends are truncated by less than 1 and each step by less than 1.
				if e := math.Abs(float64(depth) - want); e > float64(x-s.left)+2 {
					t.Fatalf("triangle %d, line %d, pixel %d: depth %d, of the plane %v", i, line, x, depth, want)
				}
			}
		}
	}
}

// side is twice the signed area of the triangle a, b, (x,y).
func side(a, b *vertex, x, y float64) float64 { return (b.x-a.x)*(y-a.y) - (b.y-a.y)*(x-a.x) }
