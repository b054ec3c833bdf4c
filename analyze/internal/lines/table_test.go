package lines

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// A line has one place for ever, no two have the same, and place 0 is nobody's.
func FuzzTableIsMap(f *testing.F) {
	f.Add([]byte("abcabcaabbccxyzabc"), uint8(3), uint8(40))
	f.Add(binary.LittleEndian.AppendUint64(nil, math.MaxUint64), uint8(1), uint8(0))
	f.Add([]byte("abcdefghijklmnopqrstuvwxyzabcabcaabbccxyzabc"), uint8(8), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, repeat, stride uint8) {
		table, of, line := NewTable(), map[uint64]uint32{}, map[uint32]uint64{}
		switch stride % 3 {
		case 0:
			table.Reset(Alone)
		case 1:
			table = NewScattering()
			table.scattered.few = int(repeat % 8)
		}
		var kept []uint64
		for k := range uint64(repeat) + 1 {
			var batch []uint64
			for i, b := range data[:min(len(data), Batch)] {
				batch = append(batch, uint64(b)<<(i%64)+k<<(stride%64))
			}
			if err := table.MakeRoom(); err != nil {
				t.Fatal(err)
			}
			if table.scattered != nil {
				table.scattered.now = k%3 == 0
			}
			place := make([]uint32, len(batch))
			table.Find(batch, place)
			kept = Extend(kept, table.Places())
			for i, l := range batch {
				if p, err := table.Place(l); p != place[i] || err != nil {
					t.Fatalf("line %#x is at %d in a batch, and at %d (%v) alone", l, place[i], p, err)
				}
			}
			if p, err := table.Place(k << 50); of[k<<50] != 0 && p != of[k<<50] || err != nil {
				t.Fatalf("line %#x was at %d, is at %d (%v)", k<<50, of[k<<50], p, err)
			} else {
				kept = Extend(kept, table.Places())
				of[k<<50], line[p] = p, k<<50
			}
			for i, l := range batch {
				if p, ok := of[l]; ok && p != place[i] {
					t.Fatalf("line %#x was at %d, is at %d", l, p, place[i])
				}
				if other, ok := line[place[i]]; ok && other != l || place[i] == 0 || int(place[i]) >= len(kept) {
					t.Fatalf("line %#x is at %d of %d, as is %#x", l, place[i], len(kept), other)
				}
				of[l], line[place[i]] = place[i], l
			}
		}
	})
}

// A table that outgrows the caches looks lines up in another way, and finds the same.
func TestLargeTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	table, of := NewTable(), map[uint64]uint32{}
	place := make([]uint32, Batch)
	for len(table.pairs) <= 4*nearPairs {
		var batch [Batch]uint64
		for i := range batch {
			batch[i] = r.Uint64N(40_000) << (4 * r.Uint64N(13))
		}
		if err := table.MakeRoom(); err != nil {
			t.Fatal(err)
		}
		table.Find(batch[:], place)
		for i, l := range batch {
			if had, ok := of[l]; ok && had != place[i] {
				t.Fatalf("of %d pages, line %#x was at %d, is at %d", table.Pages(), l, had, place[i])
			}
			of[l] = place[i]
		}
	}
	lines := map[uint32]uint64{}
	for l, at := range of {
		if other, ok := lines[at]; ok {
			t.Fatalf("lines %#x and %#x are both at %d", l, other, at)
		}
		lines[at] = l
	}
}

// Lines of dense regions are found where they would be found without such regions: beside far ones, with two regions in
// one slot, and with scattered pairs.
func TestDenseRegions(t *testing.T) {
	for name, make := range map[string]func() *Table{"pages": NewTable, "scattered": NewScattering} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 4))
			table, plain := make(), make()
			got, want := [Batch]uint32{}, [Batch]uint32{}
			for n := range 8000 {
				var batch [Batch]uint64
				for i := range batch {
					switch r.Uint64N(8) {
					case 0:
						batch[i] = r.Uint64N(1<<12) * golden >> 8
					case 1:
						batch[i] = 5<<(regionShift+10) + r.Uint64N(1<<19)
					default:
						batch[i] = uint64(n*Batch + i)
						if n >= 1<<12 {
							batch[i] = r.Uint64N(1 << 20)
						}
					}
				}
				used := batch[:Batch-n%3]
				for _, one := range []*Table{table, plain} {
					if err := one.MakeRoom(); err != nil {
						t.Fatal(err)
					}
				}
				table.Find(used, got[:])
				plain.direct = nil
				plain.Find(used, want[:])
				if got != want {
					t.Fatalf("batch %d: %v, want %v", n, got, want)
				}
			}
			if table.direct == nil {
				t.Error("no region is dense")
			}
		})
	}
}

// crowding is lines of pairs that would all be at the start of tables of up to 2^20 pairs.
func crowding(n int) (lines []uint64) {
	const inverse = 0xF1DE83E19937733D // of the factor
	r := rand.New(rand.NewPCG(1, 1))
	for len(lines) < n {
		folded := r.Uint64() >> 20 * inverse
		if pair := (folded ^ folded>>32) * inverse; pair < 1<<58 {
			lines = append(lines, pair<<Neighbours<<1)
		}
	}
	return lines
}

// Lines that are made to crowd are spread as others are, and keep their places.
func TestCrowdedLines(t *testing.T) {
	for _, table := range []*Table{NewTable(), NewScattering()} {
		of := map[uint64]uint32{}
		for _, line := range crowding(20_000) {
			place, err := table.Place(line)
			if err != nil {
				t.Fatal(err)
			}
			of[line] = place
		}
		if table.factor == golden {
			t.Error("the hash is that for which lines were made")
		}
		for line, want := range of {
			if got, err := table.Place(line); got != want || err != nil {
				t.Fatalf("line %#x was at %d, is at %d (%v)", line, want, got, err)
			}
		}
		mask := uint64(len(table.pairs) - 1)
		for at, p := range table.pairs {
			if steps := (uint64(at) - table.bucket(p.number)) & mask; !p.empty() && steps > mostSteps {
				t.Fatalf("pair %#x is %d steps behind its bucket", p.number, steps)
			}
		}
	}
}
