package forkjoin

import (
	"testing"

	"spoor/traces/trace"
)

// event returns an event of channel 0 with another rank.
func event(k trace.Kind, peer int32) trace.Event {
	e := trace.NewEvent(k)
	e.Peer, e.Tag = peer, 0
	return e
}

// TestBuilder: rank 0 has the events of a case, and rank 1 receives a message of up to 2 bytes from it and sends one. Package replay tests
// the results of programs.
func TestBuilder(t *testing.T) {
	send, recv, compute := event(trace.Send, 1), event(trace.Recv, 1), event(trace.Compute, trace.None)
	busy, any, self, large := send, recv, send, send
	busy.Instr, any.Peer, self.Peer, large.Bytes = 5, trace.None, 0, 1<<32
	nonblocking := recv
	nonblocking.Kind = trace.Irecv
	long := send
	long.Bytes = 3
	for name, c := range map[string]struct {
		events []trace.Event
		needs  [][]int64
		want   bool
	}{
		"stages":                 {[]trace.Event{send, recv, compute, compute}, [][]int64{{}, {}, {1, 0}, {2}}, true},
		"need one of two":        {[]trace.Event{send, recv, compute, recv}, [][]int64{{}, {}, {0}, {2}}, false},
		"need another":           {[]trace.Event{send, compute, recv, recv}, [][]int64{{}, {0}, {1}, {0}}, false},
		"twice the same":         {[]trace.Event{send, recv, compute, recv}, [][]int64{{}, {}, {0, 0}, {2}}, false},
		"compute beside":         {[]trace.Event{send, compute, recv, recv}, [][]int64{{}, {}, {0, 1}, {0, 1}}, false},
		"beside compute":         {[]trace.Event{compute, send, recv, recv}, [][]int64{{}, {}, {0, 1}, {0, 1}}, false},
		"instructions":           {[]trace.Event{busy, recv, recv}, [][]int64{{}, {0}, {1}}, false},
		"the first needs it":     {[]trace.Event{send, recv, recv}, [][]int64{{1}, {}, {}}, false},
		"a sequence":             {[]trace.Event{send, recv, recv}, [][]int64{{}, nil, {1}}, false},
		"any sender":             {[]trace.Event{send, any, recv}, [][]int64{{}, {0}, {1}}, false},
		"a message to itself":    {[]trace.Event{self, recv, recv}, [][]int64{{}, {0}, {1}}, false},
		"a large message":        {[]trace.Event{large, recv, recv}, [][]int64{{}, {0}, {1}}, false},
		"an irecv":               {[]trace.Event{send, nonblocking, compute}, [][]int64{{}, {}, {0, 1}}, false},
		"no match":               {[]trace.Event{send, recv, recv}, [][]int64{{}, {}, {0, 1}}, false},
		"a receive is too small": {[]trace.Event{long, recv}, [][]int64{{}, {}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBuilder(2, 0)
			ok := true
			for i, e := range c.events {
				e.Needs = c.needs[i]
				ok = ok && b.Add(0, &e)
			}
			for i := range 2 {
				e := event(trace.Send, 0)
				if i == 0 {
					e.Kind, e.Bytes = trace.Recv, 2
				}
				e.Needs = []int64{}
				ok = ok && b.Add(1, &e)
			}
			if found := ok && b.Program() != nil; found != c.want {
				t.Errorf("%t, want %t", found, c.want)
			}
		})
	}
}
