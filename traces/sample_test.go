package main

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/testsize"
)

// A sample has some of the references, where they were, and everything else.
func TestSamplesKeepPositions(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(7, 8))
	for range testsize.Cases(40, 8) {
		all := talk(rng, 2, 300)
		save(t, "x", all)
		for _, args := range [][]string{{"--by", "window", "--window", "7", "--rate", "0.3"}, {"--by", "line", "--rate", "0.5"}} {
			run(t, append([]string{"sample", "x", "-o", "some"}, args...)...)
			got, _ := reload(t, "some")
			for p := range all {
				if !subsequence(refsOf(got[p]), refsOf(all[p])) {
					t.Fatalf("%v: processor %d has references that the whole has not", args, p)
				}
				if g, w := eventsOf(got[p]), eventsOf(all[p]); len(w) > 0 && !reflect.DeepEqual(g[:min(len(g), len(w))], w) {
					t.Fatalf("%v: processor %d has events\n%v\nwant\n%v", args, p, g, w)
				}
			}
			if got, want := instructions(t, "some"), instructions(t, "x"); got != want {
				t.Fatalf("%v: %d instructions, the whole has %d", args, got, want)
			}
		}
	}
}

func eventsOf(rows []placed) (out []placed) {
	for _, r := range rows {
		if r.event != nil {
			out = append(out, r)
		}
	}
	return out
}

func subsequence(some, all []placed) bool {
	for _, r := range all {
		if len(some) > 0 && some[0] == r {
			some = some[1:]
		}
	}
	return len(some) == 0
}

// Of a large trace the share is what was asked for, and a seed chooses it.
func TestSampleRates(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 200_000
	var rows []placed
	for i := range n {
		rows = append(rows, placed{uint64(i + 1), nil, uint64(i) * 64})
	}
	save(t, "x", [][]placed{rows})
	seen := map[string]bool{}
	for _, args := range []string{"--by window --window 100 --rate 0.1", "--by line --rate 0.1", "--by window --window 100 --rate 0.1 --seed 2", "--by line --rate 0.1 --seed 2"}[:testsize.Cases(4, 2)] {
		for range 2 {
			run(t, append([]string{"sample", "x", "-o", "some"}, strings.Fields(args)...)...)
			got, _ := reload(t, "some")
			refs := refsOf(got[0])
			if share := float64(len(refs)) / n; math.Abs(share-0.1) > 0.005 {
				t.Errorf("%s: a share of %v", args, share)
			}
			tr, err := store.Open("some")
			if err != nil {
				t.Fatal(err)
			}
			seen[args+tr.SHA256()] = true
			tr.Close()
		}
	}
	if len(seen) != testsize.Cases(4, 2) {
		t.Errorf("all choices gave %d samples", len(seen))
	}
	run(t, "sample", "x", "--rate", "1", "-o", "same")
	if got, _ := reload(t, "same"); !slices.Equal(refsOf(got[0]), rows) {
		t.Error("a rate of 1 leaves something out")
	}
}

func TestSampleUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, "x", talk(rand.New(rand.NewPCG(5, 6)), 1, 100))
	for _, args := range []string{"", "-o y --rate 0", "-o y --rate 1.1", "-o y --rate NaN", "-o y --by time", "-o y --window 0"} {
		t.Run(args, func(t *testing.T) {
			status, out, errs := traces(nil, append([]string{"sample", "x"}, strings.Fields(args)...)...)
			if status != stage.WrongUsage || out != "" || errs == "" {
				t.Errorf("status %d, %q", status, errs)
			}
		})
	}
}
