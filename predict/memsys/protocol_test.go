package memsys

import (
	"fmt"
	"testing"

	"spoor/traces/trace"
)

// operation is one step of the exploration: processor p loads or stores line 0,
// or line 1, which shares the only way of its cache and so pushes line 0 out.
type operation struct {
	p     trace.Proc
	line  uint64
	store bool
}

// holding is what one cache holds: of which line, whether it may be written, and
// whether the data is that of the last store.
type holding struct {
	valid   bool
	line    uint64
	dirty   bool
	current bool
}

// shadow follows the data that the protocol moves: which copies have what the
// last store wrote.
type shadow struct {
	cache  [3]holding
	memory [2]bool
}

// contents reads the caches of s, keeping what old knows of the data.
func contents(t *testing.T, s *smp, old shadow) shadow {
	t.Helper()
	now := shadow{memory: old.memory}
	for p := range s.caches {
		word := s.caches[p].words[0]
		if word == 0 {
			continue
		}
		now.cache[p] = holding{valid: true, line: word >> stateBits, dirty: word&stateMask == modified}
		if was := old.cache[p]; was.valid && was.line == now.cache[p].line {
			now.cache[p].current = was.current
		}
	}
	return now
}

// moved is the data after o turned the caches from old into now.
func moved(t *testing.T, o operation, old, now shadow) shadow {
	t.Helper()
	was := old.cache[o.p]
	source := old.memory[o.line]
	for q, c := range old.cache {
		if !c.valid || c.line != o.line || !c.dirty {
			continue
		}
		source = c.current
		if q != int(o.p) && !o.store {
			now.memory[o.line] = c.current // memory takes what the owner supplies
		}
	}
	if was.valid && was.line != o.line && was.dirty {
		now.memory[was.line] = was.current // written back
	}
	mine := &now.cache[o.p]
	if !mine.valid || mine.line != o.line {
		t.Fatalf("%+v left the line outside the cache", o)
	}
	if !was.valid || was.line != o.line {
		mine.current = source
	}
	if !mine.current {
		t.Fatalf("%+v reads stale data: %+v", o, old)
	}
	if o.store {
		now.memory[o.line] = false
		for q := range now.cache {
			if now.cache[q].line == o.line {
				now.cache[q].current = q == int(o.p)
			}
		}
	}
	return now
}

// checkProtocol holds a state to the invariants of the protocol: an exclusive
// copy is the only one, without one memory is current, and the table of lines
// agrees with the caches.
func checkProtocol(t *testing.T, s *smp, d shadow) {
	t.Helper()
	for line := range uint64(2) {
		copies, owners := 0, 0
		for p, c := range d.cache[:len(s.caches)] {
			holds := c.valid && c.line == line
			if state := s.lines.of(line)[p]; (state == shared || state == modified) != holds || holds && (state == modified) != c.dirty {
				t.Fatalf("line %d, processor %d: table says %d, cache has %+v", line, p, state, c)
			}
			if holds {
				copies++
			}
			if holds && c.dirty {
				owners++
			}
		}
		if owners > 1 || owners == 1 && copies > 1 {
			t.Fatalf("line %d has %d owners and %d copies", line, owners, copies)
		}
		if owners == 0 && !d.memory[line] {
			t.Fatalf("line %d is exclusive nowhere and memory is stale", line)
		}
	}
}

// explore visits every state that procs caches of one line reach.
func explore(t *testing.T, procs int) (states int) {
	cfg := Config{Processors: procs, Size: 16, Line: 16, Ways: 1, Latency: 10, Occupancy: 10, Invalidate: 1}
	type visit struct{ path []operation }
	seen := map[string]bool{}
	todo := []visit{{}}
	for len(todo) > 0 {
		path := todo[0].path
		todo = todo[1:]
		for p := range trace.Proc(procs) {
			for k := range 4 {
				next := append(path[:len(path):len(path)], operation{p, uint64(k / 2), k%2 == 1})
				s, d := follow(t, cfg, next)
				key := fmt.Sprint(d, s.lines.of(0), s.lines.of(1))
				if !seen[key] {
					seen[key] = true
					todo = append(todo, visit{next})
				}
			}
		}
	}
	return len(seen)
}

// follow performs path on a new system and checks every state on the way.
func follow(t *testing.T, cfg Config, path []operation) (*smp, shadow) {
	t.Helper()
	sys, err := SMP{}.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s, d := sys.(*smp), shadow{memory: [2]bool{true, true}}
	for i, o := range path {
		s.Access(0, o.p, o.line, o.store)
		d = moved(t, o, d, contents(t, s, d))
		if i == len(path)-1 {
			checkProtocol(t, s, d)
		}
	}
	return s, d
}

// TestProtocol explores all states of 2 and 3 caches: a single writer, and no
// load of stale data.
func TestProtocol(t *testing.T) {
	for _, procs := range []int{2, 3} {
		if n := explore(t, procs); n < 20 {
			t.Errorf("%d caches reach only %d states: the exploration is broken", procs, n)
		} else {
			t.Logf("%d caches: %d states", procs, n)
		}
	}
}
