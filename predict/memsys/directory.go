package memsys

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Directory is how homes keep track of the copies of their lines.
type Directory struct {
	Kind          machine.DirectoryKind // empty: a full map
	Pointers      int
	Overflow      machine.Overflow
	Entries, Ways int // of each node
	Hints         bool
	LookUp        unit.Picos
	Trap          unit.Picos // of dir1sw
}

// lineDirectory is what the homes of all lines know of copies: all that there are, and some that have left silently; or
// that there may be any.
//
// [agarwal1988] A. Agarwal, R. Simoni, J. Hennessy, M. Horowitz: An evaluation of directory schemes for cache
// coherence. ISCA 1988 (Dir_i B, Dir_i NB).
//
// [gupta1990] A. Gupta, W.-D. Weber, T. Mowry: Reducing memory and traffic requirements for scalable
// directory-based cache coherence schemes. ICPP 1990 (sparse).
type lineDirectory interface {
	// room makes sure that home keeps track of a line. Another may lose its entry for that: nobody may
	// have a copy of it from then on.
	allocate(home int, line uint64) (lost uint64, ok bool)
	// enter books t, whose processor has a copy from now on. It appends to lose who must be told to lose theirs, in
	// order: all others who may have one, if it stores; who it takes the place of, if there is none left. Who loads a line that others
	// may have does not get it exclusive.
	record(t *transaction, toInvalidate []trace.Proc) []trace.Proc
	// leave is told that the caches of p no longer have a line.
	forget(home int, p trace.Proc, line uint64)
}

// newDirectory is the directory of c, of the lines in caches.
func newDirectory(c *Config, caches *coherent) (lineDirectory, error) {
	d := c.Directory
	switch d.Kind {
	case "", machine.FullMap:
		return &fullMap{&caches.lines}, nil
	case machine.LimitedPointers:
		if d.Pointers < 1 {
			return nil, fmt.Errorf("a limited directory of %d pointers; it needs at least one", d.Pointers)
		}
		return &limitedDirectory{procs: c.Processors, pointers: d.Pointers, broadcast: d.Overflow == machine.Broadcast, lines: map[uint64]*pointers{}}, nil
	case machine.Sparse:
		return newSparse(c, fullMap{&caches.lines})
	}
	return nil, fmt.Errorf("there is no directory %q", d.Kind)
}

// fullMap has a bit for every processor of every line: set from when it gets a copy until it is told to lose it, or tells
// that it has. The table of lines has them: bits of valid states, and of evicted, are set.
type fullMap struct{ lines *lineTable }

func (fullMap) allocate(int, uint64) (uint64, bool) { return 0, false }

func (fullMap) record(t *transaction, toInvalidate []trace.Proc) []trace.Proc {
	if !t.store && t.states[t.proc] != exclusive { // most loads: no more to know
		return toInvalidate
	}
	lost := t.lost
	for q, state := range t.states {
		switch {
		case len(lost) > 0 && int(lost[0]) == q:
			toInvalidate, lost = append(toInvalidate, lost[0]), lost[1:]
		case q == int(t.proc):
		case t.store && state == evicted:
			toInvalidate = append(toInvalidate, trace.Proc(q))
			t.states[q] = evictedKnown
		case isRecorded(state) && t.states[t.proc] == exclusive:
			t.states[t.proc] = shared
		}
	}
	return toInvalidate
}

func (m fullMap) forget(_ int, p trace.Proc, line uint64) { m.lines.lookup(line)[p] = evictedKnown }

// listed reports whether a full map has the bit of who has the line in that state.
func isRecorded(state uint8) bool { return valid(state) || state == evicted }
