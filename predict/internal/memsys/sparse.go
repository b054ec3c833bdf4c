package memsys

import (
	"fmt"
	"math/bits"
	"slices"

	lru "spoor/analyze/cache"
	"spoor/predict/internal/memsys/coherence"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// sparseDirectory is a full map for as many lines of each home as there are entries. Entries are in sets with LRU
// replacement [gupta1990].
//
// Differs: a hash of the line selects the set, because the trace does not give its place in the memory of a node.
type sparseDirectory struct {
	fullMap
	entries [][]uint64 // by home: line+1 or 0, sets one after the other, latest used first
	ways    int
	shift   uint // 64 - log2 of the sets
}

func newSparse(c *Config, full fullMap) (*sparseDirectory, error) {
	d, nodes := c.Directory, c.nodes()
	switch {
	case d.Ways < 1 || d.Entries < d.Ways || d.Entries%d.Ways != 0 || !unit.Bytes(d.Entries/d.Ways).IsPowerOfTwo():
		return nil, fmt.Errorf("the sparse directory has %d entries in sets of %d; the number of sets must be a power of two", d.Entries, d.Ways)
	case d.Entries > maxLines/nodes:
		return nil, fmt.Errorf("%d directories of %d entries have more than the %d that can be simulated", nodes, d.Entries, maxLines)
	}
	s := &sparseDirectory{fullMap: full, ways: d.Ways, shift: 64 - uint(bits.TrailingZeros(uint(d.Entries/d.Ways)))}
	for range nodes {
		s.entries = append(s.entries, make([]uint64, d.Entries))
	}
	return s, nil
}

// set returns the entries that a line may use.
func (s *sparseDirectory) set(home int, line uint64) []uint64 {
	i := int(line*coherence.HashFactor>>s.shift) * s.ways
	return s.entries[home][i : i+s.ways]
}

func (s *sparseDirectory) allocate(home int, line uint64) (lost uint64, ok bool) {
	set := s.set(home, line)
	w := slices.Index(set, line+1)
	if w < 0 {
		w = lru.Victim(set)
		lost, ok = set[w]-1, set[w] != 0
	}
	lru.ToFront(set, w, line+1)
	return lost, ok
}

// forget frees the entry of a line that no cache has.
func (s *sparseDirectory) forget(home int, p trace.Proc, line uint64) {
	states := s.lines.Lookup(line)
	states[p] = coherence.EvictedKnown
	if !slices.ContainsFunc(states, isRecorded) {
		set := s.set(home, line)
		set[slices.Index(set, line+1)] = 0
	}
}
