package memsys

import (
	"fmt"
	"testing"

	"spoor/traces/trace"
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

// states is where the two lines are, by processor.
func states(s *coherent) (out [2][3]uint8) {
	for line := range out {
		copy(out[line][:], s.lines.of(uint64(line)))
	}
	return out
}

// moved is the data after o turned the states from old into now.
func (d shadow) moved(t *testing.T, pr Protocol, o operation, old, now [2][3]uint8) shadow {
	t.Helper()
	source := d.memory[o.line]
	for q, state := range old[o.line] {
		if dirty(state) {
			source = d.cache[q][o.line]
			if q != int(o.p) && !o.store && !pr.Owned {
				d.memory[o.line] = source // memory takes what the owner supplies
			}
		}
	}
	if other := 1 - o.line; valid(old[other][o.p]) && !valid(now[other][o.p]) && dirty(old[other][o.p]) {
		d.memory[other] = d.cache[o.p][other] // written back
	}
	if !valid(now[o.line][o.p]) {
		t.Fatalf("%+v left the line outside the cache", o)
	}
	if !valid(old[o.line][o.p]) {
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
			d.cache[q][line] = d.cache[q][line] && valid(now[line][q])
		}
	}
	return d
}

// checkProtocol holds a state to the invariants of all protocols: an exclusive or modified copy
// is the only one, there is one owner at most, without one memory is current, all copies are current, and
// every level of the caches has the rights that the state gives.
func checkProtocol(t *testing.T, s *coherent, d shadow) {
	t.Helper()
	for line, where := range states(s) {
		copies, alone, owners := 0, 0, 0
		for p, state := range where[:len(s.private)] {
			if valid(state) {
				copies++
				if !d.cache[p][line] {
					t.Fatalf("%s: line %d: the copy of processor %d is stale: %v", s.protocol.Name, line, p, where)
				}
			}
			if state == exclusive || state == modified {
				alone++
			}
			if dirty(state) {
				owners++
			}
			checkRights(t, s, p, uint64(line), state)
		}
		if alone > 1 || alone == 1 && copies > 1 || owners > 1 {
			t.Fatalf("%s: line %d: states %v", s.protocol.Name, line, where)
		}
		if owners == 0 && !d.memory[line] {
			t.Fatalf("%s: line %d is dirty nowhere and memory is stale", s.protocol.Name, line)
		}
	}
}

// checkRights holds the caches of p to the state of a line: the last level has it, and the others have the same
// right or nothing.
func checkRights(t *testing.T, s *coherent, p int, line uint64, state uint8) {
	t.Helper()
	levels := s.private[p].levels
	for k := range levels {
		got := uint64(absent)
		set := levels[k].set(line)
		if w := find(set, line); w >= 0 {
			got = set[w] & rightMask
		}
		want := uint64(absent)
		if valid(state) {
			want = right(state)
		}
		if got != want && (k == len(levels)-1 || got != absent) {
			t.Fatalf("line %d, processor %d, level %d: right %d in state %d", line, p, k, got, state)
		}
	}
}

// explore visits every state that the caches of cfg reach.
func explore(t *testing.T, target Target, cfg Config) (count int) {
	t.Helper()
	seen := map[string]bool{}
	todo := [][]operation{nil}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		for p := range trace.Proc(cfg.Processors) {
			for k := range 4 {
				next := append(path[:len(path):len(path)], operation{p, uint64(k / 2), k%2 == 1})
				s, d := follow(t, target, cfg, next)
				key := fmt.Sprint(d, states(s))
				for _, c := range s.private {
					for _, l := range c.levels {
						key += fmt.Sprint(l.words)
					}
				}
				if !seen[key] {
					seen[key] = true
					todo = append(todo, next)
				}
			}
		}
	}
	return len(seen)
}

// follow performs path on a new system and checks the state it ends in.
func follow(t *testing.T, target Target, cfg Config, path []operation) (*coherent, shadow) {
	t.Helper()
	sys, err := target.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s, d := sys.(*coherent), shadow{memory: [2]bool{true, true}}
	old := states(s)
	for _, o := range path {
		s.Access(0, o.p, o.line, o.store)
		now := states(s)
		d = d.moved(t, cfg.Protocol, o, old, now)
		old = now
	}
	checkProtocol(t, s, d)
	return s, d
}

// TestProtocol explores all states of 2 and 3 caches of one line, and of one and two lines on two levels: a single
// writer, and no use of stale data.
func TestProtocol(t *testing.T) {
	one, two := Cache{Size: 16, Line: 16, Ways: 1}, Cache{Size: 32, Line: 16, Ways: 2}
	for _, target := range All {
		for _, pr := range Protocols {
			for _, c := range []struct {
				procs  int
				levels []Cache
			}{{2, []Cache{one}}, {3, []Cache{one}}, {2, []Cache{one, one}}, {2, []Cache{one, two}}} {
				cfg := Config{Processors: c.procs, Caches: c.levels, Protocol: pr, Memory: Memory{Latency: 10, Occupancy: 10, Invalidate: 1}}
				if n := explore(t, target, cfg); n < 20 {
					t.Errorf("%s, %s: %d caches of %d levels reach only %d states: the exploration is broken", target.Name(), pr.Name, c.procs, len(c.levels), n)
				} else {
					t.Logf("%s, %s: %d caches of %d levels: %d states", target.Name(), pr.Name, c.procs, len(c.levels), n)
				}
			}
		}
	}
}
