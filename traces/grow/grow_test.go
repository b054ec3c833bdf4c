package grow

import (
	"fmt"
	"strings"
	"testing"

	"spoor/traces/trace"
)

// cases are the patterns that must be found, with the rank counts of the recordings and of the one that was left out.
var cases = []struct {
	name    string
	program program
	counts  []int
	target  int
}{
	{"line", stencil(grid{1, falling, 0}, false, false, same), []int{2, 4, 8}, 64},
	{"stencil 2D", stencil(grid{2, falling, 0}, false, false, same), []int{4, 8, 16}, 64},
	{"stencil 2D of two", stencil(grid{2, falling, 0}, false, true, same), []int{6, 12}, 30},
	{"stencil 2D rising", stencil(grid{2, rising, 0}, false, true, same), []int{8, 12, 32}, 96},
	{"stencil 2D periodic", stencil(grid{2, falling, 0}, true, true, same), []int{8, 12, 16, 32}, 128},
	{"stencil 2D strong", stencil(grid{2, falling, 0}, false, true, faces(100)), []int{4, 6, 12, 16, 24}, 96},
	{"stencil 3D", stencil(grid{3, falling, 0}, false, true, same), []int{8, 12, 27, 36}, 125},
	{"stencil 3D periodic", stencil(grid{3, falling, 0}, true, false, same), []int{8, 27, 36}, 150},
	{"stencil 3D strong", stencil(grid{3, falling, 0}, false, false, faces(64)), []int{8, 12, 27, 36}, 128},
	{"butterfly", butterfly, []int{4, 8, 16}, 128},
	{"folded butterfly", foldedButterfly, []int{5, 6, 12, 20}, 44},
	{"halving", halving, []int{4, 8, 16}, 64},
	{"ring", ring, []int{3, 5, 8}, 20},
	{"shift", shiftRing, []int{3, 5, 8}, 50},
	{"binomial", binomial, []int{4, 6, 8, 16}, 100},
	{"high tree", highTree, []int{4, 6, 8, 16}, 100},
	{"heap", heap, []int{4, 7, 12}, 100},
	{"master and worker", masterWorker, []int{4, 6, 9}, 17},
	{"wildcards", gatherWildcard, []int{3, 4, 8}, 40},
	{"pairwise", pairwise, []int{4, 8, 16}, 64},
	{"alltoall of sends", scatterAll, []int{3, 4, 6}, 20},
	{"dissemination", dissemination, []int{4, 7, 12}, 40},
	{"prefix", prefix, []int{4, 7, 16}, 60},
	{"odd and even", oddEven, []int{4, 7, 8}, 33},
	{"collectives", collectives, []int{2, 4, 8}, 16},
	{"rows and columns", rowsAndColumns, []int{4, 8, 16, 32}, 128},
	{"wavefront", wavefront, []int{6, 12, 16, 20}, 60},
}

// The pattern gives all events of the program, at the number that was left out and at those that were recorded.
func TestPatternsAreThoseOfTheProgram(t *testing.T) {
	for i, c := range cases {
		if testing.Short() && i%4 != 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := Learn(c.program.record(c.counts...), c.target)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, p, c.program, c.target)
			for _, n := range c.counts {
				equal(t, p, c.program, n)
			}
		})
	}
}

// equal compares the grown events with those of the program.
func equal(t *testing.T, p *Pattern, of program, ranks int) {
	t.Helper()
	want := of.record(ranks)[0].Rows
	rank := 0
	for got, err := range p.Grow(ranks).All() {
		if err != nil {
			t.Fatal(err)
		}
		rows := want[rank]
		for i := range max(len(rows), len(got)) {
			if i >= len(rows) || i >= len(got) || fmt.Sprint(got[i]) != fmt.Sprint(rows[i]) {
				t.Fatalf("rank %d, row %d: got %s, want %s", rank, i, textOf(got, i), textOf(rows, i))
			}
		}
		rank++
	}
	if rank != ranks {
		t.Errorf("%d ranks, want %d", rank, ranks)
	}
}

func textOf[T any](rows []T, i int) string {
	if i >= len(rows) {
		return "the end"
	}
	return fmt.Sprintf("%+v", rows[i])
}

// A pattern is refused if it does not follow from the number of ranks, or if the recordings leave it open.
func TestRefusals(t *testing.T) {
	squares := stencil(grid{2, falling, 0}, false, false, same)
	for _, c := range []struct {
		name    string
		program program
		counts  []int
		target  int
		want    string
	}{
		{"one recording", ring, []int{4}, 8, "two or more numbers of ranks"},
		{"equal numbers", ring, []int{4, 4, 8}, 16, "same number of ranks"},
		{"random partners", randomPartners, []int{4, 6, 8}, 16, "no pattern of all ranks and recordings has this isend"},
		{"iterations until convergence", converging, []int{4, 5, 6}, 8, "recording: rank"},
		{"sizes without a formula", oddSizes, []int{4, 5, 6, 7}, 8, "no formula of the rank and the number of ranks gives the bytes"},
		{"squares only", squares, []int{4, 16, 36}, 32, "grid of 8 x 4 or of 4 x 8"},
		{"other than powers of two", butterfly, []int{4, 8, 16}, 24, "24 is not a power of two"},
		{"fewer ranks", ring, []int{4, 5, 8}, 3, "the trace to write only 3"},
		{"no ranks", ring, []int{0, 4, 8}, 16, "has no ranks"},
		{"needs", needing, []int{2, 4}, 8, "needs given rows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Learn(c.program.record(c.counts...), c.target)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// Computation that differs from rank to rank is that of the nearest rank of the same role, and grows as in the recordings.
func TestComputationOfTheNearestRank(t *testing.T) {
	work := func(w *writer) int64 {
		n := int64(1 << 20 / w.ranks)
		if w.rank == 0 {
			n += 7
		}
		return n + int64(w.rank%3)
	}
	uneven := program(func(w *writer) {
		w.compute(work(w))
		w.send(modulo(w.rank+1, w.ranks), 8)
		w.recv(modulo(w.rank-1, w.ranks), 8)
	})
	p, err := Learn(uneven.record(4, 8, 16), 64)
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, "no formula gives some computation") {
		t.Errorf("no note of computation in %q", notes)
	}
	for rank := range 64 {
		rows, err := p.Grow(64).Rank(rank)
		if err != nil {
			t.Fatal(err)
		}
		want := work(&writer{rank: rank, ranks: 64})
		if got := rows[0].Work; got < want*98/100 || got > want*102/100 {
			t.Errorf("rank %d: work %d, want about %d", rank, got, want)
		}
	}
}

// Learning twice gives the same pattern.
func TestPatternsAreDeterministic(t *testing.T) {
	all := binomial2().record(4, 6, 8)
	grown := func() (text string) {
		p, err := Learn(all, 12)
		if err != nil {
			t.Fatal(err)
		}
		for rows, err := range p.Grow(12).All() {
			text += fmt.Sprintln(rows, err)
		}
		return text + strings.Join(p.Notes, "\n")
	}
	if first := grown(); first != grown() {
		t.Error("two runs differ")
	}
}

// binomial2 is binomial with computation that no formula explains.
func binomial2() program {
	return func(w *writer) {
		w.compute(1000 + int64(mix(int32(w.rank), int32(w.ranks))%100))
		binomial(w)
	}
}

// Requests get the numbers that the recorder would give, whatever its rule.
func TestNumbersOfRequests(t *testing.T) {
	for _, rule := range []numberingRule{counted, lowestFree, latestFreed} {
		renumbered := program(func(w *writer) {
			w.start(trace.Isend, modulo(w.rank+1, w.ranks), 8)
			w.start(trace.Irecv, modulo(w.rank-1, w.ranks), 8)
			w.start(trace.Isend, modulo(w.rank+2, w.ranks), 8)
			w.wait(0)
			w.wait(1)
			w.start(trace.Irecv, modulo(w.rank-2, w.ranks), 8)
			w.waitAll()
			c := counter{numbering: numbering{rule, 5}}
			c.reset()
			to := map[int32]int32{}
			for i := range w.rows {
				switch e := &w.rows[i]; {
				case opens(e):
					to[e.Request] = c.open()
					e.Request = to[e.Request]
				case closes(e):
					e.Request = to[e.Request]
					c.close(e.Request)
				}
			}
		})
		p, err := Learn(renumbered.record(5, 6, 8), 20)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, p, renumbered, 20)
	}
}
