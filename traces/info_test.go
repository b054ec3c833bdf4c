package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/trace"
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

// Bytes of a hostile or synthetic trace may not fit: a sum must not turn negative.
func TestTotalsDoNotWrap(t *testing.T) {
	var one, all messages
	one.add(math.MaxInt64)
	all.merge(&one)
	all.merge(&one)
	all.merge(&one)
	if got := all.Bytes.String(); all.Bytes != math.MaxInt64 || got != "at least 9223372036854775807" {
		t.Errorf("3 messages of 2^63-1 bytes are %d, in words %q", int64(all.Bytes), got)
	}
}

// Rows of graphs may run in another order: check must not say that what differs agrees.
func TestCheckOfCollectivesInGraphs(t *testing.T) {
	workspace(t)
	collective := func(kinds ...trace.Kind) (rows []placed) {
		for _, k := range kinds {
			e := trace.NewEvent(k)
			e.Needs = []int64{}
			rows = append(rows, placed{0, &e, 0})
		}
		return rows
	}
	save(t, "swapped", [][]placed{collective(trace.Barrier, trace.Scan), collective(trace.Scan, trace.Barrier)})
	save(t, "other", [][]placed{collective(trace.Barrier, trace.Scan), collective(trace.Scan, trace.Scan)})
	status, out, errs := traces(nil, "check", "swapped")
	if status != stage.Done || !strings.Contains(out, "as many of each kind on all 2 members") || !strings.Contains(errs, "note: ") {
		t.Errorf("swapped: status %d: %s%s", status, out, errs)
	}
	status, out, errs = traces(nil, "check", "other")
	if want := "rank 0 collective #1 is barrier, rank 1 has scan"; status != stage.Failed || out != "" || !strings.Contains(errs, want) {
		t.Errorf("other: status %d: %s%s, want %s", status, out, errs, want)
	}
}

// People are shown the digests of a few files, not one for each rank.
func TestManyInputs(t *testing.T) {
	for _, n := range []int{0, mostInputs, mostInputs + 1} {
		var i info
		i.Source.Inputs = slices.Repeat([]string{"00"}, n)
		what := i.table().Columns[0].Data.([]string)
		shown := 0
		for _, w := range what {
			if w == "input sha256" {
				shown++
			}
		}
		if many := n > mostInputs; many != slices.Contains(what, "inputs") || many != (shown == 0) && n > 0 {
			t.Errorf("of %d inputs: %q", n, what)
		}
	}
}
