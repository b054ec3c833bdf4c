package replay

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"spoor/analyze/comm"
	"spoor/traces/trace"
)

// collectiveID identifies a sequence of collectives: a group, or an object in shared memory with a barrier of a group
// or of all processors.
type collectiveID struct{ group, object int32 }

// callSequence is the collectives of a collectiveID, in the order in which each member calls them.
type callSequence struct {
	code    int32 // the group of its messages
	members []int32
	all     []call
	read    int // calls of the present member
}

// call is one collective.
type call struct {
	kind    trace.Kind
	root    int32 // processor, or trace.None
	uniform bool  // all members have the same number of bytes: bytes[0]
	bytes   []int64
}

func (s *EventStats) sortedCollectives() []collectiveID {
	return slices.SortedFunc(maps.Keys(s.collectives), func(a, b collectiveID) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.object, b.object))
	})
}

// collectiveOf returns the collectiveID of an event.
func collectiveOf(e *trace.Event) collectiveID {
	if e.Kind == trace.Barrier && e.Peer >= 0 {
		return collectiveID{e.Group, e.Peer}
	}
	return collectiveID{e.Group, trace.None}
}

// String returns "collectives of group 3".
func (m collectiveID) String() string {
	switch {
	case m.object >= 0:
		return fmt.Sprintf("barrier %d", m.object)
	case m.group >= 0:
		return fmt.Sprintf("collectives of group %d", m.group)
	}
	return "collectives of all processors"
}

// call adds a processor's next collective to its sequence.
func (s *EventStats) call(p trace.Proc, e *trace.Event) error {
	key := collectiveOf(e)
	c := s.collectives[key]
	if c == nil {
		c = &callSequence{code: -2 - int32(len(s.collectives))}
		s.collectives[key] = c
	}
	if n := len(c.members); n == 0 || c.members[n-1] != int32(p) {
		c.members = append(c.members, int32(p))
	}
	root := trace.None
	if comm.Rooted(e.Kind) {
		root = e.Peer
	}
	if len(c.members) == 1 {
		c.all = append(c.all, call{e.Kind, root, true, []int64{e.Bytes}})
		c.read++
		return nil
	}
	if c.read == len(c.all) {
		return fmt.Errorf("processor %d has only %d %s", c.members[0], c.read, key)
	}
	one := &c.all[c.read]
	c.read++
	if one.root == trace.None {
		one.root = root
	}
	if e.Kind != one.kind || root != trace.None && root != one.root {
		return fmt.Errorf("#%d of %s is %v with root %d, and on processor %d %v with root %d", c.read, key, e.Kind, root, c.members[0], one.kind, one.root)
	}
	if one.uniform && e.Bytes != one.bytes[0] {
		one.uniform = false
		for range len(c.members) - 2 {
			one.bytes = append(one.bytes, one.bytes[0])
		}
	}
	if !one.uniform {
		one.bytes = append(one.bytes, e.Bytes)
	}
	return nil
}

// checkEnd is called after the last event of a processor.
func (c *callSequence) checkEnd(key collectiveID, p trace.Proc) error {
	if n := len(c.members); n > 1 && c.members[n-1] == int32(p) && c.read < len(c.all) {
		return fmt.Errorf("processor %d ends after %d %s, where processor %d goes on with %v", p, c.read, key, c.members[0], c.all[c.read].kind)
	}
	c.read = 0
	return nil
}

// bytesOfMembers returns the bytes of each member.
func (c *call) bytesOfMembers(members int) []int64 {
	if !c.uniform {
		return c.bytes
	}
	all := make([]int64, members)
	for i := range all {
		all[i] = c.bytes[0]
	}
	return all
}

// traffic returns the messages between processors, including those of collectives by an algorithm.
func (s *EventStats) traffic(src trace.Source, a comm.Algorithm) ([]comm.Flow, error) {
	type pair struct{ from, to int32 }
	flows := map[pair]*comm.Flow{}
	add := func(from, to int32, bytes int64) {
		f := flows[pair{from, to}]
		if f == nil {
			f = &comm.Flow{From: int(from), To: int(to)}
			flows[pair{from, to}] = f
		}
		f.Messages++
		f.Bytes += uint64(bytes)
	}
	for b, err := range src.Events() {
		if err != nil {
			return nil, err
		}
		for i := range b.Rows {
			if e := &b.Rows[i]; e.Kind == trace.Send || e.Kind == trace.Isend {
				add(int32(b.Proc), e.Peer, e.Bytes)
			}
		}
	}
	for _, c := range s.collectives {
		for i := range c.all {
			comm.Messages(a, c.all[i].kind, c.root(i), c.all[i].bytesOfMembers(len(c.members)), func(_, from, to int, bytes int64) {
				add(c.members[from], c.members[to], bytes)
			})
		}
	}
	all := make([]comm.Flow, 0, len(flows))
	for _, f := range flows {
		all = append(all, *f)
	}
	slices.SortFunc(all, func(a, b comm.Flow) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return all, nil
}

// root returns the index of the root among the members.
func (c *callSequence) root(i int) int {
	if n, is := slices.BinarySearch(c.members, c.all[i].root); is {
		return n
	}
	return 0
}
