package trace

import (
	"fmt"
	"strings"
	"testing"
)

// matched runs a Matcher over events in the order given, whose places are their
// indices, and returns what it says, a line for each.
func matched(procs int, said ...who) string {
	m := NewMatcher()
	for i, w := range said {
		if err := m.Event(w.proc, &w.Event, Pos{At: int64(i)}); err != nil {
			return err.Error()
		}
	}
	var lines []string
	for _, f := range m.Finish(procs) {
		if f.Legal {
			f.Msg = "note: " + f.Msg
		}
		lines = append(lines, f.Msg)
	}
	return strings.Join(lines, "\n")
}

// who is an event with its processor.
type who struct {
	proc Proc
	Event
}

func message(p Proc, k Kind, peer, tag int32, bytes int64) who {
	e := NewEvent(k)
	e.Peer, e.Tag, e.Bytes = peer, tag, bytes
	return who{p, e}
}

func requested(p Proc, k Kind, id int32, count int64) who {
	e := NewEvent(k)
	e.Request, e.Count, e.Peer, e.Tag = id, count, p.other(), 0
	return who{p, e}
}

func (p Proc) other() int32 { return int32(1 - p) }

func called(p Proc, k Kind, root, group int32) who {
	e := NewEvent(k)
	e.Peer, e.Group = root, group
	return who{p, e}
}

func inGraph(w who) who {
	w.Needs = []int64{}
	return w
}

func TestMatcherNamesWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		said []who
		want string
	}{
		"nothing":        {nil, ""},
		"pair":           {[]who{message(0, Send, 1, 3, 5), message(1, Recv, 0, 3, 5)}, ""},
		"late send":      {[]who{message(1, Recv, 0, 3, 5), message(0, Send, 1, 3, 5)}, ""},
		"to itself":      {[]who{message(0, Send, 0, 3, 5), message(0, Recv, 0, 3, 5)}, ""},
		"no receive":     {[]who{message(0, Send, 1, 3, 5)}, "send from rank 0 to rank 1 with tag 3 (5 bytes) has no receive"},
		"no send":        {[]who{message(1, Recv, 0, 3, 5)}, "receive on rank 1 from rank 0 with tag 3 (5 bytes) has no send"},
		"unknown size":   {[]who{message(0, Send, 1, 3, 5), message(1, Recv, 0, 3, 0)}, ""},
		"larger receive": {[]who{message(0, Send, 1, 3, 5), message(1, Recv, 0, 3, 6)}, ""},
		"truncation": {[]who{message(0, Send, 1, 3, 9), message(1, Recv, 0, 3, 5)},
			"receive of 5 bytes is smaller than the matching send of 9 (truncation): from rank 0 to rank 1 with tag 3"},
		"other tag": {[]who{message(0, Send, 1, 3, 5), message(1, Recv, 0, 4, 5)},
			"send from rank 0 to rank 1 with tag 3 (5 bytes) has no receive\nreceive on rank 1 from rank 0 with tag 4 (5 bytes) has no send"},
		"in order": {[]who{message(0, Send, 1, 3, 5), message(0, Send, 1, 3, 9), message(1, Recv, 0, 3, 9), message(1, Recv, 0, 3, 5)},
			"receive of 5 bytes is smaller than the matching send of 9 (truncation): from rank 0 to rank 1 with tag 3"},
		"to nobody": {[]who{message(0, Send, 2, 3, 5)},
			"send from rank 0 to rank 2 with tag 3 (5 bytes) names rank 2, but there are 2 ranks"},
		"to anybody": {[]who{message(0, Send, None, 3, 5)}, "send to rank -1"},
		"wildcard":   {[]who{message(0, Send, 1, 3, 5), message(1, Recv, None, None, 5)}, ""},
		"wildcard too small is not decidable": {[]who{message(0, Send, 1, 3, 5), message(0, Send, 1, 4, 1),
			message(1, Recv, None, None, 1), message(1, Recv, 0, None, 9)}, ""},
		"exact receives before a wildcard are certain": {[]who{message(0, Send, 1, 3, 9), message(0, Send, 1, 3, 1),
			message(1, Recv, 0, 3, 5), message(1, Recv, None, 3, 1)},
			"receive of 5 bytes is smaller than the matching send of 9 (truncation): from rank 0 to rank 1 with tag 3"},
		"wildcard for another tag": {[]who{message(0, Send, 1, 3, 5), message(1, Recv, None, 4, 5), message(0, Send, 1, 4, 5)},
			"send from rank 0 to rank 1 with tag 3 (5 bytes) has no receive"},
		"too few for wildcards": {[]who{message(0, Send, 1, 3, 5), message(1, Recv, None, None, 5), message(1, Recv, None, None, 5)},
			"receives on rank 1 from any rank or with any tag: 1 more than are sent"},
		"too many for wildcards": {[]who{message(0, Send, 1, 3, 5), message(0, Send, 1, 4, 5), message(1, Recv, 0, None, 5)},
			"sends to rank 1: 1 more than are received, this or earlier ones (receives take any rank or tag)"},
		"none for a channel of several": {[]who{message(1, Recv, None, None, 5), message(1, Recv, 0, 3, 5), message(0, Send, 1, 4, 5), message(0, Send, 1, 4, 5)},
			"sends to rank 1: 1 more than are received, this or earlier ones (receives take any rank or tag)\n" +
				"1 receive on rank 1 from rank 0 with tag 3: 1 more than are sent"},

		"single in a graph": {[]who{inGraph(message(0, Send, 1, 3, 9)), inGraph(message(1, Recv, 0, 3, 5))},
			"receive of 5 bytes is smaller than the matching send of 9 (truncation): from rank 0 to rank 1 with tag 3"},
		"two in a graph": {[]who{inGraph(message(0, Send, 1, 3, 9)), message(0, Send, 1, 3, 5), message(1, Recv, 0, 3, 5), message(1, Recv, 0, 3, 9)},
			"note: receive of 5 bytes is smaller than the matching send of 9 (truncation): from rank 0 to rank 1 with tag 3, if rows execute in their order"},
		"one left in a graph": {[]who{message(0, Send, 1, 3, 9), inGraph(message(1, Recv, 0, 3, 5)), message(1, Recv, 0, 3, 9)},
			"receive on rank 1 from rank 0 with tag 3 (9 bytes) has no send\n" +
				"note: receive of 5 bytes is smaller than the matching send of 9 (truncation): from rank 0 to rank 1 with tag 3, if rows execute in their order"},
		"collective in a graph": {[]who{called(0, Barrier, None, None), called(0, Bcast, 0, None), inGraph(called(1, Bcast, 0, None)), inGraph(called(1, Barrier, None, None))},
			"note: rank 0 collective #1 is barrier, rank 1 has bcast"},
		"other collective in a graph": {[]who{called(0, Scan, None, None), called(0, Barrier, None, None), called(1, Scan, None, None), inGraph(called(1, Bcast, 0, None))},
			"rank 0 collective #2 is barrier, rank 1 has bcast"},
		"fewer and another in a graph": {[]who{called(0, Scan, None, None), called(0, Barrier, None, None), inGraph(called(1, Bcast, 0, None))},
			"rank 1 ends after 1 collective, where rank 0 goes on with #2: barrier\nnote: rank 0 collective #1 is scan, rank 1 has bcast"},

		"wait":                    {[]who{requested(0, Wait, 3, 0)}, "wait for request 3, which is not open"},
		"wait for none":           {[]who{requested(0, Wait, None, 0)}, ""},
		"wait twice":              {[]who{called(0, Barrier, None, 0), request0(Bcast), requested(0, Wait, 3, 0), requested(0, Wait, 3, 0)}, "wait for request 3, which is not open"},
		"request twice":           {[]who{request0(Bcast), request0(Bcast)}, "bcast opens request 3, which is open"},
		"tested and again":        {[]who{request0(Bcast), requested(0, Test, 3, 1), request0(Bcast), requested(0, Wait, 3, 0)}, ""},
		"perhaps and again":       {[]who{request0(Bcast), requested(0, Test, 3, 0), request0(Bcast), requested(0, Wait, 3, 0)}, ""},
		"perhaps and wait":        {[]who{request0(Bcast), requested(0, Test, 3, 0), requested(0, Wait, 3, 0)}, ""},
		"perhaps and left":        {[]who{request0(Bcast), requested(0, Test, 3, 0)}, ""},
		"tested and wait":         {[]who{request0(Bcast), requested(0, Test, 3, 1), requested(0, Wait, 3, 0)}, "wait for request 3, which is not open"},
		"test of nothing":         {[]who{requested(0, Test, 3, 1), requested(0, Test, 4, 0)}, ""},
		"left open":               {[]who{request0(Bcast)}, "note: rank 0 never waits for request 3 of this bcast"},
		"requests of two are two": {[]who{request0(Bcast), requested(1, Wait, 3, 0)}, "wait for request 3, which is not open"},

		"collective":       {[]who{called(0, Barrier, None, None), called(1, Bcast, 0, None)}, "rank 0 collective #1 is barrier, rank 1 has bcast"},
		"second":           {[]who{called(0, Barrier, None, 4), called(1, Barrier, None, 4), called(1, Scan, None, 4), called(0, Gather, 0, 4)}, "rank 1 collective #2 in group 4 is scan, rank 0 has gather"},
		"other root":       {[]who{called(0, Bcast, 0, None), called(1, Bcast, 1, None)}, "rank 0 collective #1 is bcast with root 0, rank 1 has bcast with root 1"},
		"unknown root":     {[]who{called(0, Bcast, 0, None), called(1, Bcast, None, None)}, ""},
		"root of none":     {[]who{called(0, Scan, 0, None), called(1, Scan, 1, None)}, ""},
		"fewer":            {[]who{called(0, Bcast, 0, 4), called(1, Bcast, 0, 4), called(0, Scan, None, 4)}, "rank 1 ends after 1 collective in group 4, where rank 0 goes on with #2: scan"},
		"not all":          {[]who{called(1, Bcast, 0, None)}, "rank 0 ends after 0 collectives, where rank 1 goes on with #1: bcast"},
		"a group of one":   {[]who{called(1, Bcast, 1, 4)}, ""},
		"groups are apart": {[]who{called(0, Bcast, 1, 4), called(0, Scan, 1, 5), called(1, Scan, 1, 5), called(1, Bcast, 1, 4)}, ""},
		"shared memory":    {[]who{called(0, Barrier, 0, None), called(0, Barrier, 1, None), called(1, Barrier, 0, None)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := matched(2, c.said...); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// request0 opens request 3 of processor 0.
func request0(k Kind) who {
	w := called(0, k, 0, 0)
	w.Request = 3
	return w
}

// Of many findings the first are listed, and all are counted.
func TestMatcherListsTheFirst(t *testing.T) {
	for _, n := range []int{1, maxListed, maxListed + 1, 10*maxListed + 7} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			m := NewMatcher()
			for i := n; i > 0; i-- { // no processor sees its own go back
				w := message(Proc(i), Send, 0, 3, 5)
				if err := m.Event(w.proc, &w.Event, Pos{At: 1}); err != nil {
					t.Fatal(err)
				}
			}
			found := m.Finish(n + 1)
			want := "send from rank 1 to rank 0 with tag 3 (5 bytes) has no receive"
			if len(found) == 0 || !strings.HasPrefix(found[0].Msg, want) || len(found) != min(n, maxListed) || m.Counts().Mismatches != uint64(n) {
				t.Errorf("of %d: %d, counting %d; first %v", n, len(found), m.Counts().Mismatches, found[:1])
			}
			if last := found[len(found)-1].Msg; n > maxListed && !strings.HasSuffix(last, fmt.Sprintf(" (and %d more mismatches)", n-maxListed)) {
				t.Errorf("the last of %d: %s", n, last)
			}
		})
	}
}

// A loop of equal messages takes no memory, however long, and neither do messages
// that were received.
func TestMatcherIsFlat(t *testing.T) {
	m := NewMatcher()
	const n = 1 << 20
	for i := range int64(n) {
		w := message(0, Send, 1, 3, 5)
		if m.Event(0, &w.Event, Pos{At: 9 + 4*i}) != nil {
			t.Fatal("not sound")
		}
	}
	f := m.flows.find(channel{0, 1, 3, None})
	if _, at := f.waiting.End(); f.waiting.Count() != n || at != 9+4*(n-1) {
		t.Errorf("%+v", f.waiting)
	}
	w := message(0, Send, 1, 3, 5)
	i := int64(n)
	another := func() {
		if m.Event(0, &w.Event, Pos{At: 9 + 4*i}) != nil {
			t.Fatal("not sound")
		}
		i++
	}
	if allocs := testing.AllocsPerRun(1000, another); allocs > 0 {
		t.Errorf("a message takes %v allocations", allocs)
	}
	halo(64, 1000, true, func(p Proc, e *Event, at int64) {
		if m.Event(p, e, Pos{At: at}) != nil {
			t.Fatal("not sound")
		}
	})
	if all := 64 * 1000 * 2; m.flows.n > all/8 {
		t.Errorf("%d flows are left", m.flows.n)
	}
}
