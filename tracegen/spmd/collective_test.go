package spmd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spoor/traces/trace"
)

// affine is the function x -> m x + a of integers modulo 2^64. Composition is exact
// and associative, and does not commute: a wrong order shows.
type affine struct{ m, a uint64 }

// then is f, then g.
func then(f, g affine) affine { return affine{f.m * g.m, f.a*g.m + g.a} }

func add(a, b affine) affine { return affine{a.m + b.m, a.a + b.a} }

// operation is one to combine with: add where the algorithm may take ranks in any
// order.
func operation(a Algorithm) func(f, g affine) affine {
	if a.Collective == trace.AllReduce && a.Name == ring {
		return add
	}
	return then
}

// input is what one call is given: elements lo..hi-1 of a rank, the same whoever asks.
type input func(rank, lo, hi int) []affine

func given(seed uint64) input {
	return func(rank, lo, hi int) []affine {
		out := make([]affine, hi-lo)
		for i := range out {
			x := (seed<<40 + uint64(rank)<<20 + uint64(lo+i) + 1) * 0x9e3779b97f4a7c15
			out[i] = affine{x>>7 | 1, x ^ x>>29}
		}
		return out
	}
}

// folded is the definition of reductions: the values of ranks 0..last, one after
// the other.
func folded(in input, last, n int, op func(f, g affine) affine) []affine {
	out := in(0, 0, n)
	for rank := 1; rank <= last; rank++ {
		for i, x := range in(rank, 0, n) {
			out[i] = op(out[i], x)
		}
	}
	return out
}

// columns is elements lo..hi-1 of ranks 0..procs-1, one rank after the other.
func columns(in input, procs, lo, hi int) []affine {
	out := []affine{}
	for rank := range procs {
		out = append(out, in(rank, lo, hi)...)
	}
	return out
}

// oneCall is one call as one rank sees it; n is the elements of data or of a block.
type oneCall struct {
	procs, me, root, n int
	in                 input
	op                 func(f, g affine) affine
}

// mine is what this rank is given: so many blocks.
func (c oneCall) mine(blocks int) []affine { return c.in(c.me, 0, blocks*c.n) }

// definitions are what collectives do, said with all inputs in one place: do makes
// the call and returns its result, want is what that must be; nil means that the
// collective leaves nothing there.
var definitions = map[trace.Kind]struct {
	do   func(p Party, c oneCall) []affine
	want func(c oneCall) []affine
}{
	trace.Barrier: {
		func(p Party, c oneCall) []affine { Sync(p); return nil },
		func(c oneCall) []affine { return nil },
	},
	trace.Bcast: {
		func(p Party, c oneCall) []affine {
			data := c.mine(1)
			Bcast(p, c.root, data)
			return data
		},
		func(c oneCall) []affine { return c.in(c.root, 0, c.n) },
	},
	trace.Reduce: {
		func(p Party, c oneCall) []affine {
			data := c.mine(1)
			Reduce(p, c.root, data, c.op)
			return data
		},
		func(c oneCall) []affine {
			if c.me != c.root {
				return c.mine(1) // unchanged
			}
			return folded(c.in, c.procs-1, c.n, c.op)
		},
	},
	trace.AllReduce: {
		func(p Party, c oneCall) []affine {
			data := c.mine(1)
			AllReduce(p, data, c.op)
			return data
		},
		func(c oneCall) []affine { return folded(c.in, c.procs-1, c.n, c.op) },
	},
	trace.Scan: {
		func(p Party, c oneCall) []affine {
			data := c.mine(1)
			Scan(p, data, c.op)
			return data
		},
		func(c oneCall) []affine { return folded(c.in, c.me, c.n, c.op) },
	},
	trace.Gather: {
		func(p Party, c oneCall) []affine {
			var out []affine
			if c.me == c.root {
				out = make([]affine, c.procs*c.n)
			}
			Gather(p, c.root, c.mine(1), out)
			return out
		},
		func(c oneCall) []affine {
			if c.me != c.root {
				return nil
			}
			return columns(c.in, c.procs, 0, c.n)
		},
	},
	trace.AllGather: {
		func(p Party, c oneCall) []affine {
			out := make([]affine, c.procs*c.n)
			AllGather(p, c.mine(1), out)
			return out
		},
		func(c oneCall) []affine { return columns(c.in, c.procs, 0, c.n) },
	},
	trace.Scatter: {
		func(p Party, c oneCall) []affine {
			var in []affine
			if c.me == c.root {
				in = c.mine(c.procs)
			}
			out := make([]affine, c.n)
			Scatter(p, c.root, in, out)
			return out
		},
		func(c oneCall) []affine { return c.in(c.root, c.me*c.n, (c.me+1)*c.n) },
	},
	trace.AllToAll: {
		func(p Party, c oneCall) []affine {
			out := make([]affine, c.procs*c.n)
			AllToAll(p, c.mine(c.procs), out)
			return out
		},
		func(c oneCall) []affine { return columns(c.in, c.procs, c.me*c.n, (c.me+1)*c.n) },
	},
}

// checkCollective runs one call on a party and holds the result to the definition.
func checkCollective(p Party, a Algorithm, root, n int, seed uint64) error {
	party, d := p.comm(), definitions[a.Collective]
	c := oneCall{party.size, party.index, root, n, given(seed), operation(a)}
	if got, want := d.do(p, c), d.want(c); !slices.Equal(got, want) {
		return fmt.Errorf("%s %s of %d members from %d, %d elements: %v, want %v", a.Name, a.Collective, c.procs, root, n, got, want)
	}
	return nil
}

// testProcs are the numbers of ranks. Under -short, which is for the race detector, they are those
// up to 9, and few around powers of two.
func testProcs() (all []int) {
	if testing.Short() {
		return []int{1, 2, 3, 4, 5, 8, 9, 17}
	}
	for procs := 1; procs <= 33; procs++ {
		all = append(all, procs)
	}
	return append(all, 64)
}

var testLengths = []int{0, 1, 2, 7, 64}

func TestCollectivesAreTheirDefinitions(t *testing.T) {
	for _, b := range backends {
		for _, a := range Algorithms {
			t.Run(fmt.Sprintf("%s/%s/%s", b.name, a.Collective, a.Name), func(t *testing.T) {
				t.Parallel()
				for _, procs := range testProcs() {
					rng := rand.New(rand.NewPCG(uint64(procs), 7))
					roots := []int{0, procs - 1, rng.IntN(procs), rng.IntN(procs), rng.IntN(procs)}
					program := func(r *Rank) error {
						for i, n := range testLengths {
							if err := checkCollective(r.World().With(a.Name), a, roots[i], n, uint64(i)); err != nil {
								return err
							}
						}
						return nil
					}
					if err := b.run(context.Background(), procs, program); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}

// TestEveryAlgorithmIsReached: the rule of choice finds an algorithm for any length,
// and With finds each.
func TestEveryAlgorithmIsReached(t *testing.T) {
	c := (&Rank{procs: 4}).World()
	for kind := range definitions {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			for _, bytes := range []int64{0, 1, 1 << 10, 1 << 20, math.MaxInt64} {
				if c.choose(kind, bytes) == "" {
					t.Errorf("nothing does %s of %d bytes", kind, bytes)
				}
			}
		})
	}
	for i, a := range Algorithms {
		if slices.ContainsFunc(Algorithms[:i], func(b Algorithm) bool { return a.Collective == b.Collective && a.Name == b.Name }) {
			t.Errorf("%s %s is listed twice", a.Name, a.Collective)
		}
		if got := c.With(bruck, a.Name).With(a.Name, "ring", "linear").choose(a.Collective, 1); got != a.Name {
			t.Errorf("%s was asked for %s and chose %s", a.Collective, a.Name, got)
		}
		if a.UpTo > 0 && a.UpTo < math.MaxInt64 {
			if got := c.choose(a.Collective, a.UpTo); got != a.Name {
				t.Errorf("%s of %d bytes is %s, not %s", a.Collective, a.UpTo, got, a.Name)
			}
			if got := c.choose(a.Collective, a.UpTo+1); got == a.Name {
				t.Errorf("%s of %d bytes is still %s", a.Collective, a.UpTo+1, got)
			}
		}
	}
}

// TestRoundingDependsOnNothingButTheMembers: sums of floats are the same to the bit
// for every root, in every algorithm that keeps the order of ranks, at any length.
func TestRoundingDependsOnNothingButTheMembers(t *testing.T) {
	value := func(rank int) float64 { return 1 / float64(3+rank) }
	plus := func(a, b float64) float64 { return a + b }
	for _, b := range backends {
		for _, procs := range testProcs() {
			var tree, doubling float64
			err := b.run(context.Background(), procs, func(r *Rank) error {
				for _, n := range []int{1, 3, 600} { // 600: 4800 bytes, a long one
					for _, root := range []int{0, procs / 3, procs - 1} {
						x := slices.Repeat([]float64{value(r.ID())}, n)
						Reduce(r, root, x, plus)
						if r.ID() == root && root == 0 && n == 1 {
							tree = x[0]
						}
						Bcast(r, root, x)
						y := slices.Repeat([]float64{value(r.ID())}, n)
						AllReduce(r, y, plus)
						if r.ID() == 0 && n == 1 {
							doubling = y[0]
						}
						Sync(r)
						for i := range x {
							if x[i] != tree || y[i] != doubling {
								return fmt.Errorf("root %d, %d elements: reduce %x, allreduce %x; before %x, %x", root, n, x[i], y[i], tree, doubling)
							}
						}
					}
				}
				return nil
			})
			if err != nil {
				t.Fatalf("%s: %v", b.name, err)
			}
			if want := treeSum(value, 0, 1<<log2Ceil(procs), procs); tree != want {
				t.Fatalf("%d ranks: reduced to %x, aligned blocks are %x", procs, tree, want)
			}
			if procs&(procs-1) == 0 && tree != doubling {
				t.Fatalf("%d ranks: reduce %x, allreduce %x", procs, tree, doubling)
			}
		}
	}
}

// treeSum is the definition of the order: halves of aligned blocks.
func treeSum(value func(int) float64, lo, hi, procs int) float64 {
	mid := (lo + hi) / 2
	switch {
	case hi-lo == 1:
		return value(lo)
	case mid >= procs:
		return treeSum(value, lo, mid, procs)
	default:
		return treeSum(value, lo, mid, procs) + treeSum(value, mid, hi, procs)
	}
}

func TestAllToAllVIsItsDefinition(t *testing.T) {
	for _, b := range backends {
		for _, procs := range testProcs() {
			rng := rand.New(rand.NewPCG(uint64(procs), 8))
			counts := make([][]int, procs) // from, to
			for from := range counts {
				counts[from] = make([]int, procs)
				for to := range counts[from] {
					counts[from][to] = max(0, rng.IntN(9)-4)
				}
			}
			err := b.run(context.Background(), procs, func(r *Rank) error {
				var in, want []int64
				recv := make([]int, procs)
				for other := range procs {
					for i := range counts[r.ID()][other] {
						in = append(in, int64(r.ID()*10000+other*100+i))
					}
					recv[other] = counts[other][r.ID()]
					for i := range recv[other] {
						want = append(want, int64(other*10000+r.ID()*100+i))
					}
				}
				out := make([]int64, len(want))
				AllToAllV(r, in, counts[r.ID()], out, recv)
				if !slices.Equal(out, want) {
					return fmt.Errorf("%v, want %v", out, want)
				}
				return nil
			})
			if err != nil {
				t.Fatalf("%s: %v", b.name, err)
			}
		}
	}
}

// TestNobodyLeavesSyncEarly: after Sync every rank sees what all wrote before it.
func TestNobodyLeavesSyncEarly(t *testing.T) {
	for _, b := range backends {
		for _, procs := range testProcs() {
			here := make([]int, procs)
			err := b.run(context.Background(), procs, func(r *Rank) error {
				for round := 1; round <= 5; round++ {
					here[r.ID()] = round
					Sync(r)
					for other, at := range here {
						if at != round {
							return fmt.Errorf("round %d: rank %d is in round %d", round, other, at)
						}
					}
					Sync(r)
				}
				return nil
			})
			if err != nil {
				t.Fatalf("%s: %v", b.name, err)
			}
		}
	}
}

// TestWrongCallsSayWhatIsWrong: mistakes end the run with an error, never a hang or
// a wrong result.
func TestWrongCallsSayWhatIsWrong(t *testing.T) {
	sum := func(a, b int) int { return a + b }
	cases := []struct {
		want    string
		program func(r *Rank)
	}{
		{"bcast with root rank 3 of 3", func(r *Rank) { Bcast(r, 3, []int{1}) }},
		{"reduce with root rank -1 of 3", func(r *Rank) { Reduce(r, -1, []int{1}, sum) }},
		{"gather: 5 elements are not 3 blocks of 2", func(r *Rank) { Gather(r, r.ID(), make([]int, 2), make([]int, 5)) }},
		{"allgather: 7 elements are not 3 blocks of 2", func(r *Rank) { AllGather(r, make([]int, 2), make([]int, 7)) }},
		{"scatter: 5 elements are not 3 blocks of 2", func(r *Rank) { Scatter(r, r.ID(), make([]int, 5), make([]int, 2)) }},
		{"alltoall: 4 elements are not 3 blocks of 1", func(r *Rank) { AllToAll(r, make([]int, 4), make([]int, 4)) }},
		{"alltoall: 3 elements are not 3 blocks of 2", func(r *Rank) { AllToAll(r, make([]int, 6), make([]int, 3)) }},
		{"alltoall: 2 send counts for 3 members", func(r *Rank) { AllToAllV(r, nil, make([]int, 2), []int{}, make([]int, 3)) }},
		{"alltoall: receive count 2 of member 1 does not fit the 1 elements left", func(r *Rank) {
			AllToAllV(r, nil, make([]int, 3), []int{7}, []int{0, 2, 0})
		}},
		{"bcast: member 0 sent 1 elements, but member 1 expects 2", func(r *Rank) { Bcast(r, 0, make([]int, 1+r.ID()%2)) }},
		{"message of 2 elements received into 1", func(r *Rank) { Bcast(r, 0, make([]int, 2-r.ID()%2)) }},
		{"received as", func(r *Rank) {
			if r.ID() == 0 {
				Bcast(r, 0, make([]int32, 2))
			} else {
				Bcast(r, 0, make([]int64, 2))
			}
		}},
		{"deadlock", func(r *Rank) {
			if r.ID() == 0 {
				Bcast(r, 0, make([]int, 1))
			} else {
				AllGather(r, make([]int, 1), make([]int, 3))
			}
		}},
		{`no collective has an algorithm called "fast"`, func(r *Rank) { r.World().With("fast") }},
		{"does not fit 32 bits", func(r *Rank) { r.World().Split(0, 1<<40) }},
		{"looking for rank 3 of 3", func(r *Rank) { r.World().Global(3) }},
	}
	for _, b := range backends {
		for _, c := range cases {
			err := b.run(context.Background(), 3, func(r *Rank) error {
				c.program(r)
				return nil
			})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", b.name, err, c.want)
			}
		}
	}
}
