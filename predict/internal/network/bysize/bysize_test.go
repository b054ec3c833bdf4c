package bysize

import (
	"fmt"
	"math"
	"testing"

	"spoor/traces/unit"
)

func TestCurve(t *testing.T) {
	c := Curve{{10, 100}, {20, 110}, {30, 103}, {50, 104}}
	for _, w := range []struct {
		bytes unit.Bytes
		cost  unit.Picos
	}{{0, 100}, {10, 100}, {11, 101}, {20, 110}, {25, 107}, {29, 104}, {30, 103}, {39, 103}, {40, 104}, {50, 104}, {70, 105}, {89, 106}, {90, 106},
		{1 << 40, 54975581490}} {
		t.Run(fmt.Sprint(w.bytes), func(t *testing.T) { // 104 + (2^40 - 50)/20
			if got := c.At(w.bytes); got != w.cost {
				t.Errorf("%d bytes: %d, want %d", w.bytes, got, w.cost)
			}
		})
	}
	for name, c := range map[string]Curve{"falling": {{1, 9}, {3, 5}}, "one": {{7, 5}}} {
		if got := c.At(1 << 40); got != 5 {
			t.Errorf("%s: %d", name, got)
		}
	}
	if got := (Curve)(nil).At(3); got != 0 {
		t.Error(got)
	}
	if got := (Curve{{0, 0}, {1, maxCost}}).At(math.MaxInt64); got != maxCost {
		t.Errorf("beyond all time: %d", got)
	}
}

// Between two points a curve does not leave what they span, and First is the least of all sizes.
func FuzzBySize(f *testing.F) {
	f.Add(uint16(3), uint16(9), uint16(2), uint16(7), uint16(30), uint16(4), uint16(20))
	f.Add(uint16(0), uint16(0), uint16(0), uint16(0), uint16(0), uint16(0), uint16(0))
	f.Add(uint16(5), uint16(60000), uint16(3), uint16(1), uint16(60000), uint16(9), uint16(0))
	f.Fuzz(func(t *testing.T, latency, r0, r1, g0, g1, far, wide uint16) {
		receive := Curve{{2, unit.Picos(r0)}, {3 + unit.Bytes(far%500), unit.Picos(r1)}}
		gap := Curve{{5, unit.Picos(g0)}, {6 + unit.Bytes(wide%500), unit.Picos(g1)}}
		s := New(unit.Picos(latency), nil, receive, gap)
		last := max(receive[1].Bytes, gap[1].Bytes)
		least, took := unit.Picos(math.MaxInt64), unit.Picos(math.MaxInt64)
		for b := range 3 * last {
			if got := receive.At(b); b <= receive[1].Bytes && (got < min(receive[0].Cost, receive[1].Cost) || got > max(receive[0].Cost, receive[1].Cost)) {
				t.Fatalf("%d bytes: %d of %v", b, got, receive)
			}
			there := s.Latency + gap.At(b) - receive.At(b)
			if b <= last {
				least = min(least, there)
			}
			took = min(took, receive.At(b))
			if got := s.FirstByte() + s.RestOfBytes(b); got != max(there, s.FirstByte()) {
				t.Fatalf("%d bytes are there after %d, want %d", b, got, max(there, s.FirstByte()))
			}
		}
		// A picosecond less, where both are rounded between two points.
		if least = max(0, least); s.FirstByte()-least > 1 || s.FirstByte() < least || took != s.MinReceive() {
			t.Fatalf("first %d and o_r %d, want %d and %d", s.FirstByte(), s.MinReceive(), least, took)
		}
	})
}
