package trace

import (
	"math/rand/v2"
	"slices"
	"testing"
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
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var p MatchQueue[int, int]
		var messages, receives []posted
		for i := range 400 {
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
				if rng.IntN(3) == 0 {
					e.Peer = None
				}
				if rng.IntN(3) == 0 {
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
