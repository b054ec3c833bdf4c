package lines

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"spoor/traces/trace"
)

// naive is what uses are by definition, with places from maps.
type naive struct {
	shift uint
	line  map[uint32]uint64 // by place
	place map[uint64]uint32 // by line
	own   map[[2]uint64]uint32
	holds map[[2]uint32]uint64 // by processor and own place
}

func newNaive(shift uint) *naive {
	return &naive{shift, map[uint32]uint64{}, map[uint64]uint32{}, map[[2]uint64]uint32{}, map[[2]uint32]uint64{}}
}

func (n *naive) check(t *testing.T, refs *trace.Refs, of []trace.Proc, u *Uses) {
	t.Helper()
	var lines []uint64
	var from []uint32
	for i, a := range refs.Addr {
		if !refs.Op[i].Data() {
			continue
		}
		for line := a >> n.shift; ; line++ {
			lines, from = append(lines, line), append(from, uint32(i))
			if line == (a+uint64(refs.Size[i])-1)>>n.shift {
				break
			}
		}
	}
	if !slices.Equal(lines, u.Lines) || !slices.Equal(from, u.Refs) || len(u.Places) != len(lines) || len(u.Own) != len(lines) {
		t.Fatalf("lines of 2^%d bytes:\n%x of %v with %d and %d places, not\n%x of %v", n.shift, u.Lines, u.Refs, len(u.Places), len(u.Own), lines, from)
	}
	for i, line := range lines {
		p, place, own := uint64(of[from[i]]), u.Places[i], u.Own[i]
		if had, ok := n.line[place]; ok && had != line || place < 1<<Neighbours || int(place) >= u.Room {
			t.Fatalf("line %#x is at %d of %d, as is %#x", line, place, u.Room, had)
		}
		if had, ok := n.place[line]; ok && had != place {
			t.Fatalf("line %#x was at %d, is at %d", line, had, place)
		}
		if had, ok := n.own[[2]uint64{p, line}]; ok && had != own {
			t.Fatalf("line %#x of processor %d was at %d, is at %d", line, p, had, own)
		}
		if had, ok := n.holds[[2]uint32{uint32(p), own}]; ok && had != line || own < 1<<Neighbours {
			t.Fatalf("line %#x of processor %d is at %d, as is %#x", line, p, own, had)
		}
		if i > 0 && from[i] == from[i-1] && !u.Crossed {
			t.Fatalf("lines of 2^%d bytes: reference %d uses several", n.shift, from[i])
		}
		n.line[place], n.own[[2]uint64{p, line}], n.holds[[2]uint32{uint32(p), own}] = line, own, line
		n.place[line] = place
	}
}

// A line has one place for ever among all, and one among those of each processor; places that one size gets from another are as good.
func FuzzNumberingIsMap(f *testing.F) {
	f.Add([]byte("abcabcaabbccxyzabcABCDEFGHIJKLMNOPQRSTUVWXYZ"), uint8(2), uint8(3))
	f.Add(binary.LittleEndian.AppendUint64(nil, math.MaxUint64), uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, procs, repeat uint8) {
		n := 1 + int(procs%5)
		plain, apart, coarse := NewNumbering(6, n), NewNumbering(12, n), NewNumbering(12, n)
		for _, numbering := range []*Numbering{plain, apart, coarse} {
			numbering.table.scattered.few = int(repeat / 8)
		}
		lines, pages, again := newNaive(6), newNaive(12), newNaive(12)
		var fine, uses Uses
		for k := range uint64(repeat%8) + 1 {
			plain.table.scattered.now, coarse.table.scattered.now = k%2 == 0, k%3 == 0
			var refs trace.Refs
			var of []trace.Proc
			for i, b := range data[:min(len(data), 3*Batch)] {
				addr, size := uint64(b)<<(i%57)+k<<(b%64), uint16(1)<<(b%17)|1
				refs.Append(1, min(addr, math.MaxUint64-uint64(size)), size, trace.Ops[int(b)%len(trace.Ops)])
				of = append(of, trace.Proc((i/2)%n))
			}
			for _, err := range []error{plain.Number(&refs, trace.DataOps, of, &fine), apart.Number(&refs, trace.DataOps, of, &uses)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			lines.check(t, &refs, of, &fine)
			pages.check(t, &refs, of, &uses)
			if err := coarse.NumberCoarse(of, &fine, 6, &uses); err != nil {
				t.Fatal(err)
			}
			again.check(t, &refs, of, &uses)
		}
	})
}
