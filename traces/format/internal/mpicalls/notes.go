package mpicalls

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
)

// notes counts what the trace does not express.
type notes struct {
	killed, aborted, cancelled, open, alone int
	irregular                               int
	polls, byThreads                        uint64
	missing                                 string
	missed                                  map[string]int
}

func (n *notes) miss(what string) {
	if n.missed == nil {
		n.missed = map[string]int{}
	}
	n.missed[what]++
}

// list returns all notes.
func (n *notes) list() (all []string) {
	note := func(count uint64, one, more string) {
		if count > 0 {
			all = append(all, input.Plural(int(count), one)+" "+more)
		}
	}
	if n.missing != "" {
		all = append(all, n.missing)
	}
	note(uint64(n.aborted), "rank", "called MPI_Abort: the calls until then are here")
	note(uint64(n.killed-n.aborted), "rank", "ended without MPI_Finalize: the calls until then are here")
	for _, what := range slices.Sorted(maps.Keys(n.missed)) {
		all = append(all, fmt.Sprintf("%d of %s: no event", n.missed[what], what))
	}
	note(uint64(n.cancelled), "cancelled request", "left out")
	note(uint64(n.open), "receive", "from any rank without a known sender")
	note(uint64(n.alone), "collective", "of a rank alone left out")
	note(uint64(n.irregular), "buffer", "with an irregular datatype, stored without layout")
	note(n.byThreads, "call", "of other threads than the first, stored as calls of the first")
	note(n.polls, "test", "that returned false, which are computation")
	return all
}

// countList lists how many events of each kind came from calls.
func (j *join) countList() (all []format.Count) {
	for name, n := range j.counts {
		all = append(all, format.Count{Name: name, N: n})
	}
	slices.SortFunc(all, func(a, b format.Count) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
