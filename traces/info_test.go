package main

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestLineSetIsASet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	all, every := newLineSet(), map[uint64]bool{}
	for round := range 200 {
		if round%20 == 0 {
			all, every = newLineSet(), map[uint64]bool{}
		}
		fast, naive, pages := newLineSet(), map[uint64]bool{}, map[uint64]bool{}
		for range rng.IntN(300) {
			addr, size := rng.Uint64()>>(1+rng.IntN(63)), uint16(1+rng.IntN(1<<(1+rng.IntN(16))-1))
			if rng.IntN(8) == 0 {
				addr = -uint64(size) // up to the last byte
			}
			fast.touch(addr, size)
			for i := range uint64(size) {
				if i%64 != 0 && i != uint64(size)-1 {
					continue
				}
				naive[(addr+i)/64], pages[(addr+i)/4096], every[(addr+i)/64] = true, true, true
			}
		}
		if lines, in := fast.count(), fast.pages(); lines != uint64(len(naive)) || in != uint64(len(pages)) {
			t.Fatalf("%d lines in %d pages, want %d in %d", lines, in, len(naive), len(pages))
		}
		if all.merge(fast); all.count() != uint64(len(every)) {
			t.Fatalf("%d lines of all, want %d", all.count(), len(every))
		}
	}
}

// The median lies where messages say, and their counts are those of all sizes.
func TestMessageSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var sizes []int64
		var all messages
		for range 1 + rng.IntN(3) {
			var one messages
			for range rng.IntN(9) {
				n := rng.Int64() >> rng.IntN(64)
				one.add(n)
				sizes = append(sizes, n)
			}
			all.merge(&one)
		}
		all.finish()
		if all.Count != uint64(len(sizes)) {
			t.Fatalf("%d messages, want %d", all.Count, len(sizes))
		}
		for _, s := range all.Sizes {
			n := uint64(0)
			for _, size := range sizes {
				if size >= s.From && size <= s.To {
					n++
				}
			}
			if n != s.Count || n == 0 || s.To > max(2*s.From-1, 0) {
				t.Fatalf("%d of %v, want %d", s.Count, s.sizeSpan, n)
			}
		}
		if slices.Sort(sizes); len(sizes) > 0 {
			middle := sizes[(len(sizes)-1)/2]
			if all.Smallest != sizes[0] || all.Largest != sizes[len(sizes)-1] || middle < all.Median.From || middle > all.Median.To {
				t.Fatalf("%+v of %v", all, sizes)
			}
		}
	}
}
