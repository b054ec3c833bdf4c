package meshes

import (
	"fmt"
	"math"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// PGL renders triangles by scan lines, like T. W. Crockett's parallel graphics library [dickens1996, sec. 5.1].
// Every rank has random triangles. In each frame it rotates and shades their vertices and cuts them into spans. A
// span is the pixels of a triangle in one scan line, described by its two ends. Scan lines are dealt to the ranks
// in turn. Ranks send spans, in messages of several, to the owners of their lines. The owner interpolates depth and
// colour between the ends. A depth buffer keeps the nearest triangle of every pixel, and of two at the same depth
// the first. So the picture does not depend on the order of messages.
//
// After each of its triangles, a rank tests whether spans have arrived, and draws those that have. Therefore the
// program is sensitive to time. The first message that is not full is the sender's last one to that receiver in the
// frame.
//
// The paper's ratios of computation to communication are 1000 triangles on each rank (high) and 500 (low). Its runs
// have 10 or 20 frames.
//
// Differs: the original is 14,000 lines of C. The paper does not give its resolution or the sizes of triangles and
// messages; those here are ours.
var PGL = workload.Kernel{
	Name: "pgl", Paper: "dickens1996",
	Doc: "scan-line renderer of random triangles, spans sent to the owners of lines, polling",
	Params: []workload.Param{
		{Name: "triangles", Default: 1000, Min: 0, Max: 1 << 20, Doc: "triangles of each rank"},
		{Name: "frames", Default: 20, Min: 1, Max: 256, Doc: "pictures"},
		{Name: "size", Default: 512, Min: 8, Max: 2048, Doc: "rows and columns of a picture, in pixels"},
		{Name: "extent", Default: 16, Min: 1, Max: 256, Constraint: "no more than size/8", Doc: "greatest distance of a vertex from the middle of its triangle, in pixels along each axis"},
		{Name: "buffer", Default: 64, Min: 1, Max: 1 << 12, Doc: "spans in a full message"},
	},
	Small: workload.Values{"triangles": 50, "frames": 2, "size": 64, "extent": 8},
	Check: checkPGL,
	Make:  newPGL,
}

func checkPGL(v workload.Values) error {
	if v["extent"] > v["size"]/8 {
		return fmt.Errorf("extent=%d is out of range; 1 to 256, no more than size/8 = %d", v["extent"], v["size"]/8)
	}
	if bytes := 4 * v["frames"] * v["size"] * v["size"]; bytes > 1<<30 {
		return fmt.Errorf("frames=%d of size=%d are %d bytes; no more than 1 GiB is possible", v["frames"], v["size"], bytes)
	}
	return nil
}

// vertex is a point of a triangle: its position and colour. The position is within -1..1 along each axis, or on the
// screen in pixels with depth in units of 2^-30 of the space. Each part of the colour is above 0 and below 256.
type vertex struct{ x, y, z, red, green, blue float64 }

type triangle [3]vertex

// pixel is the depth and colour at one position of a scan line: depth in units of 2^-30 of the space, colours of
// 2^-16.
type pixel struct{ depth, red, green, blue int32 }

// span is the pixels left..right-1 of a triangle in one scan line, with the values of the pixels at left and at
// right. The latter is the first after the span.
type span struct {
	triangle    int32
	line        int32
	left, right int32
	from, to    pixel
}

type pgl struct {
	frames, size, buffer int
	triangles            [][]triangle // of each rank
	pictures             [][]uint32   // of each rank: its lines, frame after frame
}

func newPGL(v workload.Values, procs int, seed uint64) workload.Instance {
	f := &pgl{frames: v["frames"], size: v["size"], buffer: v["buffer"]}
	f.triangles, f.pictures = make([][]triangle, procs), make([][]uint32, procs)
	rng := workload.Generator(seed)
	within := func(limit float64) float64 { return limit * (2*rng.Float64() - 1) }
	extent := 2 * float64(v["extent"]) / float64(f.size)
	for rank := range procs {
		f.triangles[rank] = make([]triangle, v["triangles"])
		for i := range f.triangles[rank] {
			x, y, z := within(0.5), within(0.5), within(0.5)
			for corner := range 3 {
				f.triangles[rank][i][corner] = vertex{x + within(extent), y + within(extent), z + within(extent),
					150 + within(100), 150 + within(100), 150 + within(100)}
			}
		}
		f.pictures[rank] = make([]uint32, f.frames*f.lines(rank)*f.size)
	}
	return f
}

// lines returns the number of scan lines of a rank. Line i belongs to rank i modulo the number of ranks.
func (f *pgl) lines(rank int) int { return (f.size - rank + len(f.triangles) - 1) / len(f.triangles) }

// Program renders all frames.
func (f *pgl) Program(r *spmd.Rank) error {
	triangles := spmd.Private(r, "triangles", f.triangles[r.ID()])
	pictures := spmd.Private(r, "pictures", f.pictures[r.ID()])
	area := f.lines(r.ID()) * f.size
	s := &renderer{r: r, size: f.size, procs: r.Procs(), buffer: f.buffer,
		nearest: spmd.Private(r, "nearest", make([]uint64, area)),
		in:      spmd.Private(r, "in", make([]span, f.buffer)),
		out:     spmd.Private(r, "out", make([]span, r.Procs()*f.buffer)),
		filled:  spmd.Private(r, "filled", make([]int, r.Procs())),
	}
	first := int32(r.ID() * len(triangles))
	for frame := range f.frames {
		s.start(pictures[frame*area:(frame+1)*area], frame)
		sin, cos := math.Sincos(frameAngle(frame))
		for i := range triangles {
			corners := project(&triangles[i], sin, cos, f.size)
			s.cut(&corners, first+int32(i))
			s.poll()
		}
		s.finish()
	}
	return nil
}

// frameAngle returns the rotation of triangles around the vertical axis.
func frameAngle(frame int) float64 { return 0.1 * float64(frame) }

// project rotates and shades a triangle and puts it on the screen, with its corners in the order of lines. Rotated
// corners are within -1..1, so no clipping is needed.
func project(t *triangle, sin, cos float64, size int) triangle {
	var turned triangle
	for i := range t {
		p := &t[i]
		turned[i] = *p
		turned[i].x = float64(cos*p.x) - float64(sin*p.z)
		turned[i].z = float64(sin*p.x) + float64(cos*p.z)
	}
	light := brightness(&turned)
	for i := range turned {
		p := &turned[i]
		p.x = (p.x + 1) * float64(size-1) / 2
		p.y = (p.y + 1) * float64(size-1) / 2
		p.z = (p.z + 1) * (1 << 29)
		p.red, p.green, p.blue = p.red*light, p.green*light, p.blue*light
	}
	if turned[1].y < turned[0].y {
		turned[0], turned[1] = turned[1], turned[0]
	}
	if turned[2].y < turned[1].y {
		turned[1], turned[2] = turned[2], turned[1]
		if turned[1].y < turned[0].y {
			turned[0], turned[1] = turned[1], turned[0]
		}
	}
	return turned
}

// brightness returns the brightness of a surface lit from the eye, the cosine of the angle between them.
func brightness(t *triangle) float64 {
	ax, ay, az := t[1].x-t[0].x, t[1].y-t[0].y, t[1].z-t[0].z
	bx, by, bz := t[2].x-t[0].x, t[2].y-t[0].y, t[2].z-t[0].z
	nx := float64(ay*bz) - float64(az*by)
	ny := float64(az*bx) - float64(ax*bz)
	nz := float64(ax*by) - float64(ay*bx)
	length := math.Sqrt(float64(nx*nx) + float64(ny*ny) + float64(nz*nz))
	if length == 0 {
		return 1
	}
	return 0.25 + 0.75*math.Abs(nz)/length
}

// edgeAt returns the point on a scan line of the edge from a down to b.
func edgeAt(a, b *vertex, line int) vertex { return between(a, b, (float64(line)-a.y)/(b.y-a.y)) }

// between returns the point at fraction t of the way from a to b.
func between(a, b *vertex, t float64) vertex {
	return vertex{a.x + float64(t*(b.x-a.x)), a.y + float64(t*(b.y-a.y)), a.z + float64(t*(b.z-a.z)),
		a.red + float64(t*(b.red-a.red)), a.green + float64(t*(b.green-a.green)), a.blue + float64(t*(b.blue-a.blue))}
}

// spanOf returns the span of a triangle on a scan line that crosses it. Left equals right if it has no pixel there.
func spanOf(t *triangle, line int) (s span) {
	a := edgeAt(&t[0], &t[2], line)
	var b vertex
	if float64(line) < t[1].y {
		b = edgeAt(&t[0], &t[1], line)
	} else {
		b = edgeAt(&t[1], &t[2], line)
	}
	if b.x < a.x {
		a, b = b, a
	}
	s.line, s.left, s.right = int32(line), int32(math.Ceil(a.x)), int32(math.Ceil(b.x))
	if s.left < s.right {
		s.from = pixelAt(&a, &b, s.left)
		s.to = pixelAt(&a, &b, s.right)
	}
	return s
}

// pixelAt returns the pixel at x of a scan line that goes through a and b.
func pixelAt(a, b *vertex, x int32) pixel {
	p := between(a, b, (float64(x)-a.x)/(b.x-a.x))
	return pixel{int32(p.z), int32(p.red * (1 << 16)), int32(p.green * (1 << 16)), int32(p.blue * (1 << 16))}
}
