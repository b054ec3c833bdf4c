package reusetime

import (
	"container/list"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/analyze/reuse"
)

// part is a stream of a program that runs at a rate.
type part struct {
	name   string
	rate   float64
	stream []uint64
}

// parts are programs of equal duration, a million instructions: skewed at random, around a loop, a product of
// matrices, and uniform at random.
func parts() []part {
	r := rand.New(rand.NewPCG(1, 5))
	zipf := rand.NewZipf(r, 1.1, 1, 1<<15)
	make := func(name string, rate float64, line func(i int) uint64) part {
		p := part{name: name, rate: rate}
		for i := range int(rate * 1e6) {
			p.stream = append(p.stream, line(i))
		}
		return p
	}
	return []part{
		make("skewed", 0.4, func(int) uint64 { return zipf.Uint64() }),
		make("loop", 0.1, func(i int) uint64 { return uint64(i % 1500) }),
		make("matmul", 0.3, func(i int) uint64 {
			const n = 64
			if i%2 == 0 {
				return uint64(i/2/n/n%n*n+i/2%n) >> 3
			}
			return 1<<12 + uint64(i/2%n*n+i/2/n%n)>>3
		}),
		make("uniform", 0.2, func(int) uint64 { return r.Uint64N(6000) }),
	}
}

// interleave merges streams by their rates, each in an address space of its own.
func interleave(parts []part) (lines []uint64, of []int) {
	next := make([]int, len(parts))
	for {
		first, at := -1, math.Inf(1)
		for i, p := range parts {
			if t := (float64(next[i]) + 0.5) / p.rate; next[i] < len(p.stream) && t < at {
				first, at = i, t
			}
		}
		if first < 0 {
			return lines, of
		}
		lines = append(lines, parts[first].stream[next[first]]|uint64(first)<<40)
		of = append(of, first)
		next[first]++
	}
}

// simulateLRU is the miss ratio of each program in a cache of so many lines.
func simulateLRU(lines []uint64, of []int, programs, capacity int) []float64 {
	order, in := list.New(), map[uint64]*list.Element{}
	misses, uses := make([]float64, programs), make([]float64, programs)
	for i, l := range lines {
		uses[of[i]]++
		if e := in[l]; e != nil {
			order.MoveToFront(e)
			continue
		}
		misses[of[i]]++
		if order.Len() == capacity {
			delete(in, order.Remove(order.Back()).(uint64))
		}
		in[l] = order.PushFront(l)
	}
	for i := range misses {
		misses[i] /= uses[i]
	}
	return misses
}

// The prediction is compared with exact stack distances of the merged streams, and each program with a
// simulated cache. The limits are about twice the errors found. The largest errors are those of two sizes. At
// four lines, the rhythm of the interleaving matters. At nearly all lines, the empty cache at the start
// matters.
func TestComposeIsSimulation(t *testing.T) {
	all := parts()
	for _, c := range []struct {
		name        string
		parts       []part
		mean, worst float64 // of the absolute errors of the total miss ratio over powers of two, at most
		own         float64 // error of the miss ratio of a program in a cache of 512 or 4096 lines, at most
	}{
		{"random", []part{all[0], all[3]}, 0.004, 0.02, 0.005},
		{"random and loop", []part{all[0], all[1]}, 0.004, 0.02, 0.005},
		{"loop and matmul", []part{all[1], all[2]}, 0.001, 0.001, 0.001},
		{"all four", all, 0.005, 0.04, 0.005},
		{"two copies", []part{all[0], all[0]}, 0.004, 0.02, 0.005},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && len(c.parts) > 2 {
				t.Skip("long: more than two programs")
			}
			lines, of := interleave(c.parts)
			stack := reuse.NewStack()
			if err := stack.Touch(lines); err != nil {
				t.Fatal(err)
			}
			var d reuse.Distances
			d.Uses, d.Cold = stack.Distances()
			var programs []Program
			for _, p := range c.parts {
				programs = append(programs, Program{measure(t, p.stream, 5000).Profile(), p.rate})
			}
			mean, worst, worstSize, sizes := 0.0, 0.0, int64(0), 0.0
			for size := int64(4); ; size *= 2 {
				exact := float64(d.Misses([]int64{size})[0]) / float64(d.Total())
				got, rate := 0.0, 0.0
				for i, s := range Compose(programs, float64(size)) {
					got += s.Miss * programs[i].Rate
					rate += programs[i].Rate
				}
				e := math.Abs(got/rate - exact)
				mean, sizes = mean+e, sizes+1
				if e > worst {
					worst, worstSize = e, size
				}
				if uint64(size) >= d.Footprint() {
					break
				}
			}
			mean /= sizes
			own := 0.0
			for _, size := range []int{512, 4096} {
				exact := simulateLRU(lines, of, len(programs), size)
				for i, s := range Compose(programs, float64(size)) {
					own = max(own, math.Abs(s.Miss-exact[i]))
				}
			}
			t.Logf("%-16s total: mean error %.4f, worst %.4f at %d lines; each program's: worst %.4f", c.name, mean, worst, worstSize, own)
			if mean > c.mean || worst > c.worst || own > c.own {
				t.Errorf("errors of the total %.4f, %.4f, of a program %.4f, want at most %v, %v, %v", mean, worst, own, c.mean, c.worst, c.own)
			}
		})
	}
}

// What is occupied adds up to the cache, or to all lines; alone, a program misses as by HOTL.
func TestComposeAddsUp(t *testing.T) {
	var programs []Program
	all := 0.0
	for _, p := range parts() {
		programs = append(programs, Program{measure(t, p.stream[:50000], 1000).Profile(), p.rate})
		all += programs[len(programs)-1].Lines
	}
	programs = append(programs, Program{new(Profile), 0.5}) // uses nothing
	sweep := make([]uint64, 40000)
	for i := range sweep {
		sweep[i] = uint64(i)
	}
	programs = slices.Insert(programs, 0, Program{measure(t, sweep, 1000).Profile(), 0.04}) // uses lines that are new for longest
	all += float64(len(sweep))
	before := make([]float64, len(programs))
	for size := 1.0; size < 4*all; size *= 1.7 {
		sum := 0.0
		for i, s := range Compose(programs, size) {
			sum += s.Lines
			if !(s.Miss >= 0 && s.Miss <= 1) || s.Lines < before[i]-1e-9 {
				t.Errorf("cache of %v: program %d has %+v after %v lines", size, i, s, before[i])
			}
			before[i] = s.Lines
			alone := Compose(programs[i:i+1], size)[0]
			if math.Abs(alone.Miss-programs[i].HOTL(size)) > 1e-9 || s.Miss < alone.Miss-1e-9 {
				t.Errorf("cache of %v: program %d misses %v, alone %v, by HOTL %v", size, i, s.Miss, alone.Miss, programs[i].HOTL(size))
			}
		}
		if math.Abs(sum-min(size, all)) > 1e-6*size {
			t.Errorf("cache of %v: %v lines are occupied", size, sum)
		}
	}
}

// Rates may be as far apart as doubles are.
func TestComposeOfRatesFarApart(t *testing.T) {
	p := measure(t, parts()[0].stream[:50000], 1000).Profile()
	for _, fast := range []float64{1, 1e6, 1e18, 1e100} {
		t.Run(fmt.Sprint(fast), func(t *testing.T) {
			shares := Compose([]Program{{p, 1e-6}, {p, fast}}, 64)
			if sum := shares[0].Lines + shares[1].Lines; math.Abs(sum-64) > 1e-6 {
				t.Errorf("rates of 1e-6 and %v: %v of 64 lines", fast, sum)
			}
		})
	}
}
