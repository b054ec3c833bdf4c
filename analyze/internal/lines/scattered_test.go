package lines

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// Wherever lines lie, there are not many more places than lines, those of each processor counted for themselves; and neighbours of
// which most are used share pages.
func TestPlacesAreBoundedByLines(t *testing.T) {
	const procs = 3
	each := testsize.Cases[uint64](100_000, 20_000)
	for _, every := range []uint64{1, 2, 3, 4, 6, 8, 16, 32, 100, 1 << 30} {
		t.Run(fmt.Sprint(every), func(t *testing.T) {
			n, coarse := NewNumbering(6, procs), NewNumbering(11, procs)
			n.table.scattered.few, coarse.table.scattered.few = 100, 100
			var uses, blocks Uses
			for i := range each {
				var refs trace.Refs
				var of []trace.Proc
				for p := range trace.Proc(procs) {
					refs.Append(1, (uint64(p)<<50+i*every)<<6, 8, trace.Load)
					of = append(of, p)
				}
				if err := n.Number(&refs, trace.DataOps, of, &uses); err != nil {
					t.Fatal(err)
				}
				if err := coarse.NumberCoarse(of, &uses, 6, &blocks); err != nil {
					t.Fatal(err)
				}
				if i == 20 && every >= 1<<Neighbours && uses.Room != (1+21*procs)<<Neighbours {
					t.Errorf("%d places of 21 lines of %d processors each", uses.Room, procs)
				}
			}
			checkRoom(t, n, float64(each), float64(every))
			if every >= 32 {
				checkRoom(t, coarse, float64(each), float64(every)/32)
			}
			if now := n.table.scattered.now; now != (every >= 6) {
				t.Errorf("scattered: %v, where every %d is used", now, every)
			}
		})
	}
}

// checkRoom checks how many places there are of so many lines of each processor, every so many of which is used.
func checkRoom(t *testing.T, n *Numbering, lines, every float64) {
	t.Helper()
	const unknown = (100 + 2*somePairs*someKnown) << Neighbours // places until it is known that lines lie apart
	if every < 6 {
		lines *= every
	}
	procs := float64(len(n.own))
	if places := float64(n.table.Places()); places > 1.1*procs*lines+1.2*unknown {
		t.Errorf("%v places, with neighbours for %v, every %v of 2^%d bytes", places, procs*lines, every, n.shift)
	}
	for p, pages := range n.counts {
		if places := float64(pages << Neighbours); places > 1.1*lines+1.2*unknown/procs {
			t.Errorf("%v places of processor %d, with neighbours for %v, every %v of 2^%d bytes", places, p, lines, every, n.shift)
		}
	}
}

// Lines that are neighbours share pages again after many that are not, and the other way round.
func TestScatteringFollowsLines(t *testing.T) {
	table := NewScattering()
	table.scattered.few = 100
	for phase, every := range []uint64{64, 1, 64} {
		t.Run(fmt.Sprint(every), func(t *testing.T) {
			for i := range uint64(20_000) << (3 * phase) {
				if _, err := table.Place(uint64(phase)<<50 + i*every); err != nil {
					t.Fatal(err)
				}
			}
			if s := table.scattered; s.now != (every > 1) {
				t.Errorf("after phase %d: scattered %v, with %d lines of %d pages", phase, s.now, s.lines, s.pages)
			}
		})
	}
}

// Names are those that places were given last, of neighbours and of others.
func FuzzNames(f *testing.F) {
	f.Add(uint64(1), uint8(3))
	f.Add(uint64(2), uint8(200))
	f.Fuzz(func(t *testing.T, seed uint64, mixed uint8) {
		r := rand.New(rand.NewPCG(seed, 1))
		var names Names
		of := map[uint32]uint64{}
		const places = 1 << 8
		names.Reach(places)
		for range 1000 {
			place := uint32(r.IntN(places))
			line := uint64(place) + 1<<40
			if r.IntN(256) < int(mixed) {
				line = r.Uint64() >> r.IntN(64)
			}
			names.Set(place, line)
			of[place] = line
			for place, line := range of {
				if got := names.Of(place); got != line {
					t.Fatalf("line at %d is %#x, want %#x", place, got, line)
				}
			}
		}
	})
}
