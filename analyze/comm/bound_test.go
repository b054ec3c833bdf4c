package comm

import (
	"strings"
	"testing"

	"spoor/traces/trace"
)

// The bounds hold for what each algorithm sends.
func TestReplacedIsAnUpperBound(t *testing.T) {
	for _, a := range Algorithms[1:] {
		for kind := range plans {
			for n := 1; n < 40; n++ {
				messages, pairs := uint64(0), map[[2]int]bool{}
				Messages(a, kind, n/2, make([]int64, n), func(_, from, to int, _ int64) {
					messages++
					pairs[[2]int{from, to}] = true
				})
				if m, p := replaced(kind, a, uint64(n)); messages > m || uint64(len(pairs)) > p || m > messages+uint64(12*n) && !(a == SMPI && kind == trace.AllToAll) {
					t.Errorf("%s %v of %d: %d messages between %d pairs, bounds %d and %d", a, kind, n, messages, len(pairs), m, p)
				}
			}
		}
	}
}

// An alltoall of 4096 processors is refused before it needs memory, and one of 512 is not.
func TestGrowthIsBounded(t *testing.T) {
	for _, c := range []struct {
		procs  uint64
		calls  uint64
		kind   trace.Kind
		how    Algorithm
		refuse string
	}{
		{4096, 1, trace.AllToAll, Ring, "16773120 pairs"},
		{4096, 1, trace.AllToAll, Doubling, ""},
		{4096, 1, trace.AllToAll, Apart, ""},
		{512, 1000, trace.AllToAll, Ring, ""},
		{4096, 50, trace.AllReduce, Ring, "1677312000 messages"},
		{4096, 50, trace.AllReduce, Binomial, ""},
	} {
		f := findings{calls: map[collective]*tally{{kind: c.kind, root: trace.None}: {members: c.procs, calls: c.calls}}}
		err := f.grows(c.how).check(c.how)
		if got := err != nil; got != (c.refuse != "") || got && !strings.Contains(err.Error(), c.refuse) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
