package meshes

import (
	"fmt"
	"math"

	"spoor/tracegen/kernel/internal/workload"
)

// Verify renders every frame serially. It compares each pixel of each triangle with the nearest so far, and
// interpolates by multiplication.
func (f *pgl) Verify() error {
	procs := len(f.triangles)
	picture := make([]uint32, f.size*f.size)
	for frame := range f.frames {
		f.renderSerially(picture, frame)
		for at, want := range picture {
			line, x := at/f.size, at%f.size
			rank := line % procs
			if got := f.pictures[rank][(frame*f.lines(rank)+line/procs)*f.size+x]; got != want {
				return fmt.Errorf("frame %d, line %d, pixel %d is %#06x, want %#06x", frame, line, x, got, want)
			}
		}
	}
	return nil
}

func (f *pgl) renderSerially(picture []uint32, frame int) {
	clear(picture)
	nearest := make([]int32, len(picture))
	for i := range nearest {
		nearest[i] = math.MaxInt32
	}
	sin, cos := math.Sincos(frameAngle(frame))
	for _, ofRank := range f.triangles { // in the order of their numbers: the first of equally near ones is kept
		for i := range ofRank {
			t := project(&ofRank[i], sin, cos, f.size)
			for line := range f.size {
				if y := float64(line); y >= t[0].y && y < t[2].y {
					drawSerially(picture, nearest, spanOf(&t, line), f.size)
				}
			}
		}
	}
}

func drawSerially(picture []uint32, nearest []int32, s span, size int) {
	for x := s.left; x < s.right; x++ {
		at := int(s.line)*size + int(x)
		part := func(from, to int32) int32 { return from + (x-s.left)*((to-from)/(s.right-s.left)) }
		if depth := part(s.from.depth, s.to.depth); depth < nearest[at] {
			nearest[at] = depth
			picture[at] = uint32(part(s.from.red, s.to.red)>>16)<<16 |
				uint32(part(s.from.green, s.to.green)>>16)<<8 | uint32(part(s.from.blue, s.to.blue)>>16)
		}
	}
}

func (f *pgl) Digest() string {
	all := make([]any, len(f.pictures))
	for rank, p := range f.pictures {
		all[rank] = p
	}
	return workload.Digest(all...)
}

// Counts predicts nothing: the number of messages depends on data.
func (f *pgl) Counts() workload.Counts { return workload.Counts{} }
