package trace

import (
	"strings"
	"testing"
)

// on returns an event about a lock, barrier, flag or processor.
func on(k Kind, object int32) Event {
	e := NewEvent(k)
	e.Peer = object
	return e
}

func signals(object, n int32) Event {
	e := on(WaitFlag, object)
	e.Tag = n
	return e
}

func barrierOf(group, object int32) Event {
	e := on(Barrier, object)
	e.Group = group
	return e
}

// Check names the place at which the simulators would stop, and takes what they take.
func TestCheckOfSharedMemory(t *testing.T) {
	for name, c := range map[string]struct {
		procs [][]Event
		want  string // "" for a sound trace
	}{
		"lock":              {[][]Event{{on(Lock, 5), on(Unlock, 5), on(Lock, 5), on(Unlock, 5)}}, ""},
		"lock twice":        {[][]Event{{}, {on(Lock, 4), on(Lock, 5), on(Lock, 5)}}, "processor 1, event 2 (lock): of lock 5, which the processor holds since event 1"},
		"unlock by other":   {[][]Event{{on(Lock, 5)}, {on(Unlock, 5)}}, "processor 1, event 0 (unlock): of lock 5, which the processor does not hold"},
		"barriers":          {[][]Event{{on(Barrier, 0), on(Barrier, 1)}, {on(Barrier, 0), on(Barrier, 1)}}, ""},
		"missed":            {[][]Event{{on(Barrier, 0), on(Barrier, 0)}, {on(Barrier, 0)}, {on(Barrier, 0), on(Barrier, 0)}}, "processor 0, event 1 (barrier): 0: 2 of 3 processors ever come together there; processor 1, for one, does not"},
		"missed by all":     {[][]Event{{}, {on(Marker, 0), on(Barrier, 3)}}, "processor 1, event 1 (barrier): 3: 1 of 2 processors ever come together there; processor 0, for one, does not"},
		"order":             {[][]Event{{on(Barrier, 0), on(Barrier, 1)}, {on(Barrier, 1), on(Barrier, 0)}}, "processor 0, event 0 (barrier): 0: 1 of 2 processors"},
		"groups":            {[][]Event{{barrierOf(1, 0)}, {barrierOf(1, 0)}, {}, {barrierOf(2, 0)}}, ""},
		"missed in group":   {[][]Event{{barrierOf(1, 0), barrierOf(1, 0)}, {barrierOf(1, 0)}, {}}, "processor 0, event 1 (barrier): 0 in group 1: 1 of 2 processors ever come together there; processor 1, for one, does not"},
		"flag":              {[][]Event{{signals(7, 2)}, {on(Signal, 7), on(Signal, 7)}}, ""},
		"too few signals":   {[][]Event{{signals(7, 3)}, {on(Signal, 7), on(Signal, 7)}}, "processor 0, event 0 (waitflag): for 3 signals of flag 7, which gets 2"},
		"flags in a circle": {[][]Event{{signals(7, 1), on(Signal, 8)}, {signals(8, 1), on(Signal, 7)}}, "processor 0, event 0 (waitflag): for 1 signals of flag 7, which gets 0"},
		"flag and barrier":  {[][]Event{{signals(7, 1), on(Barrier, 0)}, {on(Barrier, 0), on(Signal, 7)}}, "processor 1, event 0 (barrier): 0: 1 of 2 processors"},
		"fork and join":     {[][]Event{{on(Fork, 1), on(Join, 1)}, {on(Fork, 2), on(Join, 2)}, {}}, ""},
		"join first":        {[][]Event{{on(Join, 1), on(Fork, 1)}, {on(Signal, 7)}}, "processor 0, event 0 (join): of processor 1, which never ends"},
		"forked twice":      {[][]Event{{on(Fork, 1), on(Fork, 1)}, {}}, "processor 0, event 1 (fork): of processor 1, which was forked before"},
		"forks itself":      {[][]Event{{on(Fork, 0)}}, "processor 0, event 0 (fork): of processor 0, by processor 0 of 1"},
		"forks nobody":      {[][]Event{{on(Fork, 4)}}, "processor 0, event 0 (fork): of processor 4, by processor 0 of 1"},
		"never forked":      {[][]Event{{}, {on(Fork, 2)}, {on(Fork, 1)}}, "processor 1, event 0 (fork): of processor 2 by processor 1, which itself is never forked"},
		"joins in a circle": {[][]Event{{on(Join, 1)}, {on(Join, 0)}}, "processor 0, event 0 (join): of processor 1, which never ends"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &Memory{Head: Header{Procs: len(c.procs)}, RefsOf: make([]Refs, len(c.procs))}
			for p, rows := range c.procs {
				m.EventsOf = append(m.EventsOf, Events{Proc: Proc(p), Rows: rows})
			}
			switch err := Check(m); {
			case c.want == "" && err != nil:
				t.Errorf("%v", err)
			case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// A lock that its last holder keeps is legal if no other takes it later, which depends on time: a note.
func TestKeptLockIsNoted(t *testing.T) {
	m := &Memory{Head: Header{Procs: 2}, RefsOf: make([]Refs, 2), EventsOf: []Events{{Rows: []Event{on(Lock, 5), on(Unlock, 5)}}, {Proc: 1, Rows: []Event{on(Lock, 5), on(Lock, 6)}}}}
	r, err := Validate(m)
	if err != nil || len(r.Notes) != 1 || r.Notes[0].Error() != "processor 1, event 0 (lock): of lock 5, which the processor never releases; others that take it later wait forever" {
		t.Errorf("%v, %v", r.Notes, err)
	}
}
