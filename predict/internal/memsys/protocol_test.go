package memsys

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	lru "spoor/analyze/cache"
	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/numa"
	"spoor/predict/internal/memsys/touch"
	"spoor/predict/internal/network"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// operation is one step of the exploration: processor p loads or stores line 0,
// or line 1, which has the same place in its caches.
type operation struct {
	p     trace.Proc
	line  uint64
	store bool
}

// shadow follows the data that the protocol moves: which copies have what the
// last store wrote.
type shadow struct {
	cache  [3][2]bool // by processor and line
	memory [2]bool
}

// statesOf returns the states of the two lines, by processor.
func statesOf(s *coherent) (out [2][3]uint8) {
	for line := range out {
		copy(out[line][:], s.lines.Lookup(uint64(line)))
	}
	return out
}

// moved is the data after o turned the states from old into now.
func (d shadow) moved(t *testing.T, pr coherence.Protocol, o operation, old, now [2][3]uint8) shadow {
	source := d.memory[o.line]
	for q, state := range old[o.line] {
		if coherence.Dirty(state) {
			source = d.cache[q][o.line]
			if q != int(o.p) && !o.store && !coherence.Dirty(now[o.line][q]) {
				d.memory[o.line] = source // memory takes what the owner supplies
			}
		}
	}
	other := 1 - o.line
	for q, state := range old[other] {
		if coherence.Dirty(state) && !coherence.Valid(now[other][q]) {
			d.memory[other] = d.cache[q][other] // written back
		}
	}
	if !coherence.Valid(now[o.line][o.p]) {
		t.Fatalf("%+v left the line outside the cache", o)
	}
	if !coherence.Valid(old[o.line][o.p]) {
		d.cache[o.p][o.line] = source
	}
	if !d.cache[o.p][o.line] {
		t.Fatalf("%s: %+v uses stale data: %+v", pr.Name, o, old)
	}
	if o.store {
		d.memory[o.line] = false
		for q := range d.cache {
			d.cache[q][o.line] = q == int(o.p)
		}
	}
	for q := range d.cache { // what is not there has no age
		for line := range d.cache[q] {
			d.cache[q][line] = d.cache[q][line] && coherence.Valid(now[line][q])
		}
	}
	return d
}

// checkProtocol holds a state to the invariants of all protocols: an exclusive or modified copy
// is the only one, there is one owner at most, without one memory is current, all copies are current, and
// every level of the caches has the rights that the state gives.
func checkProtocol(t *testing.T, s *coherent, d shadow) {
	for line, states := range statesOf(s) {
		copies, alone, owners := 0, 0, 0
		for p, state := range states[:len(s.private)] {
			if coherence.Valid(state) {
				copies++
				if !d.cache[p][line] {
					t.Fatalf("%s: line %d: the copy of processor %d is stale: %v", s.protocol.Name, line, p, states)
				}
			}
			if state == coherence.Exclusive || state == coherence.Modified {
				alone++
			}
			if coherence.Dirty(state) {
				owners++
			}
			checkRights(t, s, p, uint64(line), state)
		}
		checkDirectory(t, s, uint64(line), states[:len(s.private)])
		if alone > 1 || alone == 1 && copies > 1 || owners > 1 {
			t.Fatalf("%s: line %d: states %v", s.protocol.Name, line, states)
		}
		if owners == 0 && !d.memory[line] {
			t.Fatalf("%s: line %d is dirty nowhere and memory is stale", s.protocol.Name, line)
		}
	}
}

// checkRights holds the caches of p to the state of a line: the last level has it, and the others have the same
// right or nothing.
func checkRights(t *testing.T, s *coherent, p int, line uint64, state uint8) {
	levels := s.private[p].levels
	for k := range levels {
		got := uint64(0)
		set := levels[k].Set(line)
		if w := lru.FindCopy(set, line); w >= 0 {
			got = set[w] & lru.MayStore
		}
		want := uint64(0)
		if coherence.Valid(state) {
			want = permOf(state)
		}
		if got != want && (k == len(levels)-1 || got != 0) {
			t.Fatalf("line %d, processor %d, level %d: right %d in state %d", line, p, k, got, state)
		}
	}
}

// explore visits every state that the caches of cfg reach.
func explore(t *testing.T, target Target, cfg Config) (count int) {
	t.Helper()
	type place struct {
		path []operation
		data shadow
	}
	seen := map[string]bool{}
	todo := []place{{nil, shadow{memory: [2]bool{true, true}}}}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for p := range trace.Proc(cfg.Processors) {
			for k := range 4 {
				next := append(at.path[:len(at.path):len(at.path)], operation{p, uint64(k / 2), k%2 == 1})
				s, d := follow(t, target, cfg, next, at.data)
				if key := keyOf(s, d); !seen[key] {
					seen[key] = true
					todo = append(todo, place{next, d})
				}
			}
		}
	}
	return len(seen)
}

// keyOf is the state that decides what follows. Why a line is not there is not part of it.
func keyOf(s *coherent, d shadow) string {
	var key []byte
	bit := func(b bool) {
		if b {
			key = append(key, 1)
		} else {
			key = append(key, 0)
		}
	}
	for line, states := range statesOf(s) {
		for p, state := range states {
			if !isRecorded(state) {
				state = coherence.NeverCached
			}
			key = append(key, state)
			bit(d.cache[p][line])
		}
		bit(d.memory[line])
	}
	for _, c := range s.private {
		for _, l := range c.levels {
			for _, word := range l.Words {
				key = binary.LittleEndian.AppendUint64(key, word)
			}
		}
	}
	return string(key) + known(s)
}

// follow performs path on a new system and checks the state it ends in. The data are those before its last step.
func follow(t *testing.T, target Target, cfg Config, path []operation, d shadow) (*coherent, shadow) {
	sys, err := target.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s, last := cachesOf(sys), path[len(path)-1]
	for _, o := range path[:len(path)-1] {
		s.Access(0, o.p, o.line, o.store)
	}
	old := statesOf(s)
	s.Access(0, last.p, last.line, last.store)
	d = d.moved(t, cfg.Protocol, last, old, statesOf(s))
	checkProtocol(t, s, d)
	return s, d
}

// TestProtocol explores all states of 2 and 3 caches of one line, and of one and two lines on two levels: a single
// writer, and no use of stale data.
func TestProtocol(t *testing.T) {
	one, two := Cache{Size: 16, Line: 16, Ways: 1}, Cache{Size: 32, Line: 16, Ways: 2}
	for _, target := range All {
		for _, pr := range coherence.Protocols {
			if !keeps(target, pr) {
				continue
			}
			for _, c := range []struct {
				procs  int
				levels []Cache
			}{{2, []Cache{one}}, {2, []Cache{one, one}}, {3, []Cache{one}}, {2, []Cache{one, two}}}[:testsize.Cases(4, 2)] {
				cfg := whole(Config{Processors: c.procs, Caches: c.levels, Protocol: pr, Memory: Memory{Latency: 10, Occupancy: 10, Invalidate: 1}})
				if n := explore(t, target, cfg); n < 20 {
					t.Errorf("%s, %s: %d caches of %d levels reach only %d states: the exploration is broken", target.Name(), pr.Name, c.procs, len(c.levels), n)
				} else {
					t.Logf("%s, %s: %d caches of %d levels: %d states", target.Name(), pr.Name, c.procs, len(c.levels), n)
				}
			}
		}
	}
}

// keeps reports whether target has caches that pr keeps coherent.
func keeps(target Target, pr coherence.Protocol) bool {
	switch target.(type) {
	case LogP, PRAM:
		return false
	case Dir1SW:
		return pr.Name == machine.MSI
	}
	return true
}

// cachesOf is the caches of a system that has some.
func cachesOf(sys touch.System) *coherent {
	if t, ok := sys.(*translatedCaches); ok {
		return t.coherent
	}
	return sys.(*coherent)
}

// whole is c with what targets of several nodes need.
func whole(c Config) Config {
	c.PerNode = max(1, c.PerNode)
	c.Net = slow(1)
	c.Messages = machine.Messages{Control: 8, Data: 40}
	c.Block = c.block()
	c.Placement = numa.Placement{Policy: machine.FirstTouch, Page: c.Block}
	return c
}

// slow is a network in which every message takes so long, and nothing else.
type slow unit.Picos

func (s slow) Send(at unit.Picos, m network.Message) network.Delivery {
	return network.Delivery{Free: at, Arrive: at + unit.Picos(s), Latency: unit.Picos(s)}
}
func (slow) Settled(unit.Picos)      {}
func (slow) TrackBlocking()          {}
func (slow) Blockers() (_, _ uint64) { return 0, 0 }
func (slow) Usage() network.Usage    { return network.Usage{} }

// known is what the directory knows besides the states of lines.
func known(s *coherent) string {
	n, ok := s.interconnect.(*ccnumaInterconnect)
	if !ok {
		return ""
	}
	switch d := n.directory.(type) {
	case *sparseDirectory:
		return fmt.Sprint(d.entries)
	case *limitedDirectory:
		text := ""
		for line := range uint64(2) {
			if l := d.lines[line]; l != nil {
				text += fmt.Sprint(line, *l)
			}
		}
		return text
	}
	return ""
}

// checkDirectory: the directory knows all copies of a line, or that there may be any; and who has a line exclusive is the only
// one it knows.
func checkDirectory(t *testing.T, s *coherent, line uint64, states []uint8) {
	n, ok := s.interconnect.(*ccnumaInterconnect)
	if !ok {
		return
	}
	for p, state := range states {
		for q, other := range states {
			if p != q && state == coherence.Exclusive && lists(n.directory, line, trace.Proc(q), other) {
				t.Fatalf("line %d is exclusive, and the directory %s lists another: %v", line, known(s), states)
			}
		}
		if coherence.Valid(state) && !lists(n.directory, line, trace.Proc(p), state) {
			t.Fatalf("line %d: the directory %s does not know of processor %d: %v", line, known(s), p, states)
		}
	}
}

// lists reports whether a directory takes it that p may have a line.
func lists(d lineDirectory, line uint64, p trace.Proc, state uint8) bool {
	switch d := d.(type) {
	case *limitedDirectory:
		l := d.lines[line]
		return l != nil && (l.overflow || slices.Contains(l.to, p))
	case *sparseDirectory:
		there := false
		for _, home := range d.entries {
			there = there || slices.Contains(home, line+1)
		}
		return isRecorded(state) && there
	}
	return isRecorded(state)
}

// TestDirectories explores every kind of directory with every protocol.
func TestDirectories(t *testing.T) {
	for _, d := range directories {
		for _, pr := range coherence.Protocols {
			for procs := 2; procs <= testsize.Cases(3, 2); procs++ { // three with two of them in a node
				cfg := whole(Config{Processors: procs, Caches: []Cache{{Size: 16, Line: 16, Ways: 1}}, Protocol: pr, Directory: d, PerNode: procs - 1})
				if n := explore(t, CCNUMA{}, cfg); n < 10 {
					t.Errorf("%+v, %s: %d caches reach only %d states: the exploration is broken", d, pr.Name, procs, n)
				}
			}
		}
	}
}

var directories = []Directory{
	{Hints: true},
	{Kind: machine.LimitedPointers, Pointers: 1, Overflow: machine.Broadcast},
	{Kind: machine.LimitedPointers, Pointers: 2, Overflow: machine.Broadcast, Hints: true},
	{Kind: machine.LimitedPointers, Pointers: 1, Overflow: machine.NoBroadcast},
	{Kind: machine.LimitedPointers, Pointers: 2, Overflow: machine.NoBroadcast, Hints: true},
	{Kind: machine.Sparse, Entries: 1, Ways: 1},
	{Kind: machine.Sparse, Entries: 1, Ways: 1, Hints: true},
	{Kind: machine.Sparse, Entries: 2, Ways: 2},
}
