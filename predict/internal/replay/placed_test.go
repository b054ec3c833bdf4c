package replay

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// placedOn returns m with its processors on nodes.
func placedOn(m *machine.Machine, nodes []int) *machine.Machine {
	placed := *m
	placed.Placed = nodes
	return &placed
}

// sameTimes compares results in all but what counts links.
func sameTimes(t *testing.T, what string, got, want *Result) {
	t.Helper()
	for p := range want.Procs {
		if got.Procs[p] != want.Procs[p] {
			t.Errorf("%s: processor %d: %+v\nwant %+v", what, p, got.Procs[p], want.Procs[p])
		}
	}
	if got.Time != want.Time || got.Messages != nil && !reflect.DeepEqual(got.Messages.Ranks, want.Messages.Ranks) {
		t.Errorf("%s: takes %d, want %d", what, got.Time, want.Time)
	}
}

// Machines whose nodes are alike and equally far from each other, with pages where they are touched first.
var alike = []string{
	"target = \"clump\"\nprocessors = 2\nnodes = 6", "target = \"ccnuma\"\nprocessors = 2\nnodes = 6", "target = \"clogp\"\nprocessors = 2\nnodes = 6",
}

func alikeMachine(t *testing.T, system string) *machine.Machine {
	return messageMachine(t, "model = \"switch\"\nbandwidth = \"1 GB/s\"\nlatency = \"100 ns\"\no = \"10 ns\"", "target = \"cow\"\nprocessors = 1\nnodes = 16", system,
		`"50 cycles"`, "\"50 cycles\"\npage = \"4 KiB\"\nplacement = \"first-touch\"")
}

// Where nodes are alike, times do not depend on which nodes ranks use, only on which ranks share one.
func TestPlacesOfReferences(t *testing.T) {
	for _, system := range alike {
		m := alikeMachine(t, system)
		for seed := range testsize.Cases[uint64](60, 20) {
			src := randomMixed(randomChoices(seed, 900))
			scope := Both
			procs := src.Header().Procs
			block, other := make([]int, procs), make([]int, procs)
			for p := range block {
				block[p], other[p] = p/2, 5-p/2
			}
			what := fmt.Sprintf("%s, seed %d", strings.ReplaceAll(system, "\n", ", "), seed)
			want := simulated(t, src, m, Options{Scope: scope})
			sameTimes(t, what+", in order", simulated(t, src, placedOn(m, block), Options{Scope: scope}), want)
			sameTimes(t, what+", from the end", simulated(t, src, placedOn(m, other), Options{Scope: scope}), want)
		}
	}
}

// A node with one rank is a node of one processor.
func TestOneRankANode(t *testing.T) {
	for _, target := range []string{"clump", "ccnuma"} {
		wide := alikeMachine(t, "target = \""+target+"\"\nprocessors = 4\nnodes = 6")
		narrow := alikeMachine(t, "target = \""+strings.Replace(target, "clump", "cow", 1)+"\"\nprocessors = 1\nnodes = 6")
		for seed := range testsize.Cases[uint64](40, 15) {
			src := randomMixed(randomChoices(seed, 900))
			nodes := make([]int, src.Header().Procs)
			for p := range nodes {
				nodes[p] = p
			}
			sameTimes(t, fmt.Sprint(target, ", seed ", seed), simulated(t, src, placedOn(wide, nodes), Options{Scope: Both}), simulated(t, src, narrow, Options{Scope: Both}))
		}
	}
}

// Homes of arrays follow their processors: a processor that touches only its own array never leaves its node.
func TestPlacesOfHomes(t *testing.T) {
	m := messageMachine(t, "model = \"mesh\"\nrows = 2\ncols = 3\nbandwidth = \"1 GB/s\"\no = \"10 ns\"", "target = \"cow\"\nprocessors = 1\nnodes = 16", "target = \"ccnuma\"\nprocessors = 1\nnodes = 6")
	var all []*builder
	for p := range uint64(4) {
		b := &builder{}
		for i := range uint64(40) {
			b.ref(1, 1<<20*(p+1)+64*i, 8, trace.Load)
		}
		all = append(all, b)
	}
	src := source(all...)
	for p := range trace.Proc(4) {
		src.Head.Regions = append(src.Head.Regions, trace.Region{Name: fmt.Sprint(p), Owner: p, Base: 1 << 20 * uint64(p+1), Bytes: 1 << 20})
	}
	slices.SortFunc(src.Head.Regions, func(a, b trace.Region) int { return int(a.Base) - int(b.Base) })
	for _, nodes := range [][]int{{0, 1, 2, 3}, {5, 3, 0, 4}} {
		res := simulated(t, src, placedOn(m, nodes), Options{Scope: References})
		if res.Shared.Messages != 0 || res.Counts().Misses() != 160 {
			t.Errorf("on %v: %d messages, %d misses", nodes, res.Shared.Messages, res.Counts().Misses())
		}
	}
}
