package memsys

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/coherence"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Directory configures how homes track the copies of their lines.
type Directory struct {
	Kind          machine.DirectoryKind // empty: a full map
	Pointers      int
	Overflow      machine.Overflow
	Entries, Ways int // of each node
	Hints         bool
	LookUp        unit.Picos
	Trap          unit.Picos // of dir1sw
}

// lineDirectory tracks the copies of lines for all homes. It knows all copies, and maybe some that were evicted
// silently. Or it knows only that there may be some.
//
// Dir_i B and Dir_i NB are those of [agarwal1988], sparse directories those of [gupta1990].
type lineDirectory interface {
	// allocate makes sure that home has an entry for a line. If another line loses its entry for that, allocate
	// returns it with ok set; no cache may have a copy of that line from then on.
	allocate(home int, line uint64) (lost uint64, ok bool)
	// record records t, whose processor has a copy from now on. It appends to toInvalidate, in order, the processors
	// that must lose theirs. For a store these are all others that may have a copy. For a load, it is the one whose
	// pointer was replaced. A load of a line that others may have does not get it exclusive.
	record(t *transaction, toInvalidate []trace.Proc) []trace.Proc
	// forget is called when the caches of p no longer have a line.
	forget(home int, p trace.Proc, line uint64)
}

// newDirectory returns the directory of c, for the lines of caches.
func newDirectory(c *Config, caches *coherent) (lineDirectory, error) {
	d := c.Directory
	switch d.Kind {
	case "", machine.FullMap:
		return &fullMap{&caches.lines}, nil
	case machine.LimitedPointers:
		if d.Pointers < 1 {
			return nil, fmt.Errorf("the limited directory has %d pointers; it needs at least one", d.Pointers)
		}
		return &limitedDirectory{procs: c.Processors, pointers: d.Pointers, broadcast: d.Overflow == machine.Broadcast, lines: map[uint64]*pointers{}}, nil
	case machine.Sparse:
		return newSparse(c, fullMap{&caches.lines})
	}
	return nil, fmt.Errorf("unknown directory %q", d.Kind)
}

// fullMap has a bit for every processor of every line. The bit is set from when the processor gets a copy until it is
// invalidated, or until it reports an eviction. The bits are in the table of lines: those of valid states and of
// evicted are set.
type fullMap struct{ lines *coherence.Table }

func (fullMap) allocate(int, uint64) (uint64, bool) { return 0, false }

func (fullMap) record(t *transaction, toInvalidate []trace.Proc) []trace.Proc {
	if !t.store && t.states[t.proc] != coherence.Exclusive { // most loads change nothing else
		return toInvalidate
	}
	lost := t.lost
	for q, state := range t.states {
		switch {
		case len(lost) > 0 && int(lost[0]) == q:
			toInvalidate, lost = append(toInvalidate, lost[0]), lost[1:]
		case q == int(t.proc):
		case t.store && state == coherence.Evicted:
			toInvalidate = append(toInvalidate, trace.Proc(q))
			t.states[q] = coherence.EvictedKnown
		case isRecorded(state) && t.states[t.proc] == coherence.Exclusive:
			t.states[t.proc] = coherence.Shared
		}
	}
	return toInvalidate
}

func (m fullMap) forget(_ int, p trace.Proc, line uint64) {
	m.lines.Lookup(line)[p] = coherence.EvictedKnown
}

// isRecorded reports whether a full map has the bit of a processor set whose line is in that state.
func isRecorded(state uint8) bool { return coherence.Valid(state) || state == coherence.Evicted }
