package spmd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/traces/trace"
)

// splitDefinition is who is in the communicator of a color, in order, said with all
// arguments in one place.
func splitDefinition(colors, keys []int, color int) (members []int) {
	for rank, c := range colors {
		if c == color {
			members = append(members, rank)
		}
	}
	slices.SortStableFunc(members, func(a, b int) int { return keys[a] - keys[b] })
	return members
}

func TestSplitIsItsDefinition(t *testing.T) {
	for _, b := range backends {
		for _, procs := range testProcs() {
			rng := rand.New(rand.NewPCG(uint64(procs), 10))
			colors, keys := make([]int, procs), make([]int, procs)
			for i := range colors {
				colors[i], keys[i] = rng.IntN(5)-1, rng.IntN(4)-2
			}
			err := b.run(context.Background(), procs, func(r *Rank) error {
				c := r.World().Split(colors[r.ID()], keys[r.ID()])
				if colors[r.ID()] < 0 {
					if c != nil {
						return fmt.Errorf("a negative color joined a communicator")
					}
					return nil
				}
				want := splitDefinition(colors, keys, colors[r.ID()])
				var got []int
				for i := range c.Procs() {
					got = append(got, c.Global(i))
				}
				if !slices.Equal(got, want) || want[c.ID()] != r.ID() {
					return fmt.Errorf("members %v, this one %d, want %v", got, c.ID(), want)
				}
				return nil
			})
			if err != nil {
				t.Fatalf("%s: %v", b.name, err)
			}
		}
	}
}

// groupsOf is the groups of a tree of communicators, of every rank: the same members
// must have the same number, others another.
func TestEveryCommunicatorHasItsOwnGroups(t *testing.T) {
	for _, b := range backends {
		var first [][]int
		for range 3 { // the same in every run
			const procs = 12
			groups := make([][]int, procs)
			members := make([][][]int, procs)
			err := b.run(context.Background(), procs, func(r *Rank) error {
				see := func(c *Comm) *Comm {
					all := []int{}
					for i := range c.Procs() {
						all = append(all, c.Global(i))
					}
					groups[r.ID()] = append(groups[r.ID()], c.Group())
					members[r.ID()] = append(members[r.ID()], all)
					return c
				}
				rows, cols := see(r.World().Split(r.ID()/4, 0)), see(r.World().Split(r.ID()%4, -r.ID()))
				see(rows.Split(rows.ID()%2, 0).Dup())
				see(see(cols.Dup()).Dup())
				see(r.World().Dup())
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = groups
			}
			if !slices.EqualFunc(first, groups, slices.Equal) {
				t.Fatalf("%s: groups %v, then %v", b.name, first, groups)
			}
			type instance struct {
				call    int // two communicators of the same members come from different calls
				members string
			}
			owner := map[int]instance{int(worldContext): {}, int(worldContext) + 1: {}}
			for rank, all := range groups {
				for call, g := range all {
					me := instance{call, fmt.Sprint(members[rank][call])}
					for _, id := range []int{g, g + 1} {
						if had, ok := owner[id]; ok && had != me {
							t.Fatalf("group %d is %v and %v", id, had, me)
						}
						owner[id] = me
					}
				}
			}
		}
	}
}

func TestTooManyCommunicators(t *testing.T) {
	groupOf(4095, 1<<18-2, 4096)
	defer func() {
		if recover() == nil {
			t.Error("a group beyond 32 bits")
		}
	}()
	groupOf(4095, 1<<18-1, 4096)
}

// TestCommunicatorsDoNotMeet: ranks of a grid do collectives in their rows, their
// columns and the world while messages of the same tags cross in each, some taken
// from anybody: everything arrives where it belongs.
func TestCommunicatorsDoNotMeet(t *testing.T) {
	for _, b := range backends {
		for _, shape := range [][2]int{{1, 1}, {2, 2}, {3, 4}, {5, 3}, {4, 8}} {
			rows, cols := shape[0], shape[1]
			err := b.run(context.Background(), rows*cols, func(r *Rank) error {
				row, col := r.World().Split(r.ID()/cols, 0), r.World().Split(r.ID()%cols, 0)
				parties := []*Comm{r.World(), row, col, row.Dup()}
				for round := range 3 {
					if err := crossTraffic(parties, round); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatalf("%s, %d x %d: %v", b.name, rows, cols, err)
			}
		}
	}
}

// crossTraffic has every member send its number to the next one of each party, all
// with one tag and before anybody receives; then collectives; then receives from
// anybody, the parties in turn.
func crossTraffic(parties []*Comm, round int) error {
	for i, c := range parties {
		Send(c, (c.ID()+1)%c.Procs(), int(trace.AllReduce), []int{i, c.ID(), round})
	}
	for _, a := range Algorithms {
		for i, c := range parties {
			if err := checkCollective(c.With(a.Name), a, (i+round)%c.Procs(), 3, uint64(i)); err != nil {
				return fmt.Errorf("party %d: %w", i, err)
			}
		}
	}
	for i, c := range slices.Backward(parties) {
		got := make([]int, 3)
		before := (c.ID() + c.Procs() - 1) % c.Procs()
		s := Recv(c, Any, Any, got)
		if want := []int{i, before, round}; !slices.Equal(got, want) || s.Source != before {
			return fmt.Errorf("party %d: got %v from %d, want %v from %d", i, got, s.Source, want, before)
		}
	}
	return nil
}
