package trace

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/traces/testsize"
)

// naive holds messages to each other as Matcher says, from the lists of all sends
// and receives.
func naive(procs int, events [][]who) (found []string, messages uint64) {
	type key struct{ from, to, tag, group int32 }
	type item struct {
		bytes int64
		wild  bool // a receive that a wildcard precedes
	}
	sends, receives := map[key][]item{}, map[key][]item{}
	var wild []key
	covers := func(c key) bool {
		return slices.ContainsFunc(wild, func(w key) bool {
			return w.to == c.to && w.group == c.group && (w.from < 0 || w.from == c.from) && (w.tag < 0 || w.tag == c.tag)
		})
	}
	for p, list := range events {
		for _, w := range list {
			switch w.Kind {
			case Send, Isend:
				c := key{int32(p), w.Peer, w.Tag, w.Group}
				sends[c] = append(sends[c], item{w.Bytes, false})
			case Recv, Irecv:
				c := key{w.Peer, int32(p), w.Tag, w.Group}
				if w.Peer < 0 || w.Tag < 0 {
					wild = append(wild, c)
				} else {
					receives[c] = append(receives[c], item{w.Bytes, covers(c)})
				}
			}
		}
	}
	type totals struct{ sends, receives, lost int }
	boxes := map[key]*totals{}
	box := func(c key) *totals {
		at := key{to: c.to, group: c.group}
		if boxes[at] == nil {
			boxes[at] = &totals{}
		}
		return boxes[at]
	}
	for _, w := range wild {
		box(w).receives++
	}
	all := map[key]bool{}
	for c := range sends {
		all[c] = true
	}
	for c := range receives {
		all[c] = true
	}
	for c := range all {
		certain := 0
		for certain < min(len(sends[c]), len(receives[c])) && !receives[c][certain].wild {
			messages++
			if s, r := sends[c][certain].bytes, receives[c][certain].bytes; r > 0 && r < s {
				found = append(found, fmt.Sprintf("truncation %v %d < %d", c, r, s))
			}
			certain++
		}
		s, r := len(sends[c])-certain, len(receives[c])-certain
		if covers(c) {
			b := box(c)
			b.sends += s
			b.receives += r
			b.lost += max(0, r-s)
		} else {
			for range s {
				found = append(found, fmt.Sprintf("send %v", c))
			}
		}
		for range r - s {
			found = append(found, fmt.Sprintf("receive %v", c))
		}
	}
	for at, b := range boxes {
		pairs := min(b.sends, b.receives-b.lost)
		messages += uint64(pairs)
		for range b.sends - pairs {
			found = append(found, fmt.Sprintf("send to %d in %d", at.to, at.group))
		}
		for range b.receives - b.lost - pairs {
			found = append(found, fmt.Sprintf("receive on %d in %d", at.to, at.group))
		}
	}
	return found, messages
}

// best is the least number of mismatches over all ways in which messages could come
// to the receives of one rank: each takes the first message, in the order they were
// sent, of some sender that it selects.
func best(receives []who, sent [][]who) int {
	if len(receives) == 0 {
		left := 0
		for _, s := range sent {
			left += len(s)
		}
		return left
	}
	r, least := receives[0], -1
	for from := range sent {
		if r.Peer >= 0 && int(r.Peer) != from {
			continue
		}
		i := slices.IndexFunc(sent[from], func(s who) bool { return s.Group == r.Group && (r.Tag < 0 || r.Tag == s.Tag) })
		if i < 0 {
			continue
		}
		rest := slices.Clone(sent)
		rest[from] = slices.Delete(slices.Clone(sent[from]), i, i+1)
		n := best(receives[1:], rest)
		if b := sent[from][i].Bytes; r.Bytes > 0 && r.Bytes < b {
			n++
		}
		if least < 0 || n < least {
			least = n
		}
	}
	if least < 0 {
		return 1 + best(receives[1:], sent)
	}
	return least
}

// conversationOf makes messages of three ranks from bytes, a byte each, with so many
// tags times two.
func conversationOf(b []byte, tags int) [][]who {
	events := make([][]who, 3)
	for i, c := range b {
		p := Proc(c % 3)
		w := message(p, Send, int32(c/3%3), int32(c/9%2)+2*int32(i%tags), int64(i%3))
		w.Group = int32(c / 18 % 2)
		switch c / 36 % 7 {
		case 2, 3, 4:
			w.Kind = Recv
		case 5:
			w.Kind, w.Peer = Recv, None
		case 6:
			w.Kind, w.Tag = Recv, None
		}
		events[p] = append(events[p], w)
	}
	return events
}

// inOrder gives a Matcher the events of each processor in program order, the
// processors mixed as rng says, or one after the other.
func inOrder(t *testing.T, events [][]who, rng *rand.Rand) ([]Mismatch, *Matcher) {
	m := NewMatcher()
	next := make([]int, len(events))
	for p := 0; ; {
		if rng != nil {
			p = rng.IntN(len(events))
		}
		for tried := 0; next[p] == len(events[p]); tried++ {
			if tried == len(events) {
				return m.Finish(len(events)), m
			}
			p = (p + 1) % len(events)
		}
		if err := m.Event(Proc(p), &events[p][next[p]].Event, Pos{File: int32(next[p] / 5), At: int64(next[p])}); err != nil {
			t.Fatal(err)
		}
		next[p]++
	}
}

func checkMatcher(t *testing.T, b []byte, tags int) {
	events := conversationOf(b, tags)
	want, messages := naive(3, events)
	found, m := inOrder(t, events, nil)
	if m.counts.Mismatches != uint64(len(want)) || m.counts.Messages != messages {
		t.Fatalf("%d messages, %d mismatches: %v\nwant %d, %d: %q\nof %v", m.counts.Messages, m.counts.Mismatches, found, messages,
			len(want), want, events)
	}
	mixed, _ := inOrder(t, events, rand.New(rand.NewPCG(1, uint64(len(b)))))
	if !slices.Equal(mixed, found) {
		t.Fatalf("%v, mixed %v", found, mixed)
	}
	if !slices.IsSortedFunc(found, order) {
		t.Fatalf("not in order: %v", found)
	}
	if len(b) > 10 {
		return
	}
	least := 0
	for to, list := range events {
		sent := make([][]who, len(events))
		for from, all := range events {
			for _, w := range all {
				if w.Kind == Send && w.Peer == int32(to) {
					sent[from] = append(sent[from], w)
				}
			}
		}
		least += best(slices.DeleteFunc(slices.Clone(list), func(w who) bool { return w.Kind != Recv }), sent)
	}
	if m.counts.Mismatches > uint64(least) {
		t.Fatalf("finds %v, but with luck there are only %d, of %v", found, least, events)
	}
}

func TestMatcherIsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range testsize.Cases(20_000, 4000) {
		b, tags := make([]byte, rng.IntN(1<<(1+rng.IntN(7)))), 1
		if i%1000 == 0 {
			b, tags = make([]byte, 1+rng.IntN(5000)), 100 // many flows come and go
		}
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		checkMatcher(t, b, tags)
	}
}

func FuzzMatcherIsNaive(f *testing.F) {
	f.Add([]byte{3, 73, 180, 216})
	f.Fuzz(func(t *testing.T, b []byte) {
		checkMatcher(t, b[:min(len(b), 1000)], 1)
	})
}

// A table of flows is a map.
func TestFlowsAreAMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	var table flows
	want := map[channel]int64{}
	for i := range int64(20000) {
		c := channel{Proc(rng.Int32N(4)), Proc(rng.Int32N(4)), rng.Int32N(1 << (i / 2000)), rng.Int32N(2) - 1}
		f := table.find(c)
		if f == nil {
			f = table.add(c, nil)
		}
		bytes, is := want[c]
		if is != !f.waiting.Empty() {
			t.Fatalf("%v has %v, want %d", c, f.waiting, bytes)
		}
		if is {
			if got, _, _ := f.waiting.Pop(); got != bytes {
				t.Fatalf("%v has %d, want %d", c, got, bytes)
			}
		}
		if delete(want, c); rng.IntN(3) > 0 {
			f.waiting.Push(i, 0, 0)
			want[c] = i
		}
	}
	n := 0
	for f := range table.all() {
		if !f.waiting.Empty() {
			n++
		}
	}
	if n != len(want) {
		t.Errorf("%d flows, want %d", n, len(want))
	}
}

// Collectives of all members agree, or the first that does not is named.
func FuzzCollectivesAgree(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5})
	f.Fuzz(func(t *testing.T, b []byte) {
		events := make([][]who, 3)
		for _, c := range b {
			w := called(Proc(c%3), []Kind{Barrier, Bcast, Scan}[c/3%3], int32(c/9%2), int32(c/18%3)-1)
			if w.Kind == Barrier {
				w.Peer = None
			}
			events[w.proc] = append(events[w.proc], w)
		}
		m, failed := NewMatcher(), false
		for _, list := range events {
			for i, w := range list {
				failed = failed || m.Event(w.proc, &w.Event, Pos{At: int64(i)}) != nil
			}
		}
		disagree, uneven := false, uint64(0)
		for g := None; g < 2; g++ {
			var lists [][]call
			for _, list := range events {
				var mine []call
				for _, w := range list {
					if w.Group == g {
						mine = append(mine, call{kind: w.Kind, root: rootOf(&w.Event)})
					}
				}
				if mine != nil || g == None {
					lists = append(lists, mine)
				}
			}
			if lists == nil {
				continue
			}
			longest := slices.MaxFunc(lists, func(a, b []call) int { return cmp.Compare(len(a), len(b)) })
			for _, list := range lists {
				disagree = disagree || !slices.Equal(list, longest[:len(list)])
				if len(list) < len(longest) {
					uneven++
				}
			}
		}
		if failed != disagree {
			t.Fatalf("an error %v, disagreement %v", failed, disagree)
		}
		if m.Finish(3); !failed && m.counts.Mismatches != uneven {
			t.Fatalf("%d mismatches, want %d", m.counts.Mismatches, uneven)
		}
	})
}

// Channels that are made to crowd with one salt do not with another.
func TestChannelsAreSalted(t *testing.T) {
	defer func(was [3]uint64) { salt = was }(salt)
	var crowd []channel
	for tag := int32(0); len(crowd) < 256; tag++ {
		if c := (channel{from: 1, to: 2, tag: tag}); c.hash()%256 == 0 {
			crowd = append(crowd, c)
		}
	}
	salt[1]++
	still := 0
	for _, c := range crowd {
		if c.hash()%256 == 0 {
			still++
		}
	}
	if still > len(crowd)/8 {
		t.Errorf("%d of %d channels have the same home still", still, len(crowd))
	}
}
