package trace

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// posted is a message or a receive that waits in the naive post.
type posted struct {
	number               int
	from, to, tag, group int32
}

// partner removes the first of list that fits one, by a search through all.
func partner(list *[]posted, fits func(posted) bool) (number int, found bool) {
	i := slices.IndexFunc(*list, fits)
	if i < 0 {
		return 0, false
	}
	number = (*list)[i].number
	*list = slices.Delete(*list, i, i+1)
	return number, true
}

// fits reports whether receive r takes message m.
func fits(r, m posted) bool {
	return r.to == m.to && r.group == m.group && (r.from == None || r.from == m.from) && (r.tag == None || r.tag == m.tag)
}

// TestPostIsNaive holds a post to two lists that are searched from their first.
func TestPostIsNaive(t *testing.T) {
	for seed := range uint64(55) {
		rng := rand.New(rand.NewPCG(seed, 1))
		calls, wild := 400, 3
		if seed >= 50 {
			calls, wild = 10_000, 200 // most messages that a view holds have been taken
		}
		var p MatchQueue[int, int]
		var messages, receives []posted
		for i := range calls {
			me, e := rng.Int32N(3), NewEvent(Send)
			e.Peer, e.Tag, e.Group = rng.Int32N(3), rng.Int32N(3), rng.Int32N(2)
			var got, want int
			var found, has bool
			if rng.IntN(2) == 0 {
				m := posted{i, me, e.Peer, e.Tag, e.Group}
				got, found = p.Send(Proc(me), &e, i)
				if want, has = partner(&receives, func(r posted) bool { return fits(r, m) }); !has {
					messages = append(messages, m)
				}
			} else {
				if rng.IntN(wild) == 0 {
					e.Peer = None
				}
				if rng.IntN(wild) == 0 {
					e.Tag = None
				}
				r := posted{i, e.Peer, me, e.Tag, e.Group}
				got, found = p.Receive(Proc(me), &e, i)
				if want, has = partner(&messages, func(m posted) bool { return fits(r, m) }); !has {
					receives = append(receives, r)
				}
			}
			if got != want || found != has {
				t.Fatalf("seed %d, call %d: it gets %d, %v, by search %d, %v", seed, i, got, found, want, has)
			}
		}
		if m, r := p.Unmatched(); m != len(messages) || r != len(receives) {
			t.Fatalf("seed %d: %d messages and %d receives are left, want %d and %d", seed, m, r, len(messages), len(receives))
		}
	}
}

func TestEventCursor(t *testing.T) {
	m := &Memory{Head: Header{Procs: 2}, RefsOf: make([]Refs, 2), EventsOf: []Events{{}, {Proc: 1}}}
	for i := range 3 {
		e := NewEvent(Marker)
		e.Tag = int32(i)
		m.EventsOf[1].Rows = append(m.EventsOf[1].Rows, e)
	}
	for p, rows := range []int{0, 3} {
		c := NewEventCursor(m, Proc(p))
		for i := range rows {
			if e, err := c.Next(); err != nil || e == nil || e.Tag != int32(i) || c.Row() != int64(i) {
				t.Errorf("processor %d, event %d: %+v, row %d, %v", p, i, e, c.Row(), err)
			}
		}
		if e, err := c.Next(); e != nil || err != nil {
			t.Errorf("processor %d: %+v, %v behind its end", p, e, err)
		}
		c.Stop()
	}
}

// Two ranks send to a third, which receives from any rank in reverse order, and then anything. A search through the waiting
// messages would take minutes.
func TestWildcardsTakeLinearTime(t *testing.T) {
	const n = 100_000
	begin := time.Now()
	var p MatchQueue[int, int]
	for i := range 2 * n {
		e := NewEvent(Send)
		e.Peer, e.Tag = 2, int32(i/2)
		p.Send(Proc(i%2), &e, i)
	}
	for i := range n {
		e := NewEvent(Recv)
		e.Tag = int32(n - 1 - i)
		if m, _ := p.Receive(2, &e, 0); m != 2*(n-1-i) {
			t.Fatalf("receive %d gets message %d", i, m)
		}
	}
	for i := range n {
		e := NewEvent(Recv)
		if m, _ := p.Receive(2, &e, 0); m != 2*i+1 {
			t.Fatalf("receive %d of any tag gets message %d", i, m)
		}
	}
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("%v", took)
	}
}
