package paths

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"spoor/analyze/comm"
	"spoor/traces/trace"
)

// sequence identifies the collectives of a group, or of a barrier in shared memory.
type sequence struct{ group, object int32 }

// callTable has the collectives of each sequence in order.
type callTable struct {
	of     map[sequence]*calledInOrder
	places []callPlace // of operations: see op.message
}

// callPlace is a call in its sequence.
type callPlace struct {
	in     *calledInOrder
	number int
}

// calledInOrder is the calls of a sequence, in the order in which each member has them.
type calledInOrder struct {
	members []trace.Proc
	all     []collective
	read    int // calls of the present member
}

// collective is a call, and where its members have it.
type collective struct {
	kind  trace.Kind
	root  int32
	bytes []int64 // by member
	steps [][]callStep
}

// callStep is a message that a member of a collective sends or receives.
type callStep struct {
	round   int
	message int32
	sends   bool
}

func newCallTable() *callTable { return &callTable{of: map[sequence]*calledInOrder{}} }

// call adds a collective of the present processor.
func (c *compiler) call(e *trace.Event) error {
	key := sequence{e.Group, trace.None}
	if e.Kind == trace.Barrier && e.Peer >= 0 {
		key.object = e.Peer
	}
	s := c.calls.of[key]
	if s == nil {
		s = &calledInOrder{}
		c.calls.of[key] = s
	}
	if n := len(s.members); n == 0 || s.members[n-1] != c.proc {
		s.members = append(s.members, c.proc)
	}
	if len(s.members) == 1 {
		s.all = append(s.all, collective{kind: e.Kind, root: trace.None})
	}
	if s.read == len(s.all) {
		return fmt.Errorf("processor %d has only %d collectives of this group", s.members[0], s.read)
	}
	one := &s.all[s.read]
	if one.kind != e.Kind {
		return fmt.Errorf("is %v on processor %d", one.kind, s.members[0])
	}
	if comm.Rooted(e.Kind) {
		one.root = e.Peer
	}
	one.bytes = append(one.bytes, e.Bytes)
	c.calls.places = append(c.calls.places, callPlace{s, s.read})
	s.read++
	_, err := c.add(calls, int32(len(c.calls.places)-1))
	return err
}

// endProcessor is called after the last event of a processor.
func (t *callTable) endProcessor(p trace.Proc) error {
	for _, key := range t.sorted() {
		s := t.of[key]
		if n := len(s.members); n > 1 && s.members[n-1] == p && s.read < len(s.all) {
			return fmt.Errorf("it ends after %d of %d collectives of group %d", s.read, len(s.all), key.group)
		}
		s.read = 0
	}
	return nil
}

// check returns an error if a processor takes no part in collectives of all.
func (t *callTable) check(procs int) error {
	if s := t.of[sequence{trace.None, trace.None}]; s != nil && len(s.members) < procs {
		return fmt.Errorf("only %d of %d processors call the collectives of all", len(s.members), procs)
	}
	return nil
}

func (t *callTable) sorted() []sequence {
	return slices.SortedFunc(maps.Keys(t.of), func(a, b sequence) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.object, b.object))
	})
}

// expand replaces collectives by the messages of an algorithm.
func (c *compiler) expand(how comm.Algorithm) error {
	for _, key := range c.calls.sorted() {
		s := c.calls.of[key]
		for i := range s.all {
			if err := c.plan(s, &s.all[i], how); err != nil {
				return err
			}
		}
	}
	if len(c.calls.places) == 0 {
		return nil
	}
	for p, ops := range c.ops {
		c.ops[p] = c.expanded(trace.Proc(p), ops)
	}
	return nil
}

// plan makes the messages of a collective.
func (c *compiler) plan(s *calledInOrder, one *collective, how comm.Algorithm) (err error) {
	root, _ := slices.BinarySearch(s.members, trace.Proc(one.root))
	if root == len(s.members) {
		root = 0
	}
	one.steps = make([][]callStep, len(s.members))
	comm.Messages(how, one.kind, root, one.bytes, func(round, from, to int, bytes int64) {
		if len(c.messages) == maxMessages {
			err = errTooMany
			return
		}
		m := int32(len(c.messages))
		c.messages = append(c.messages, message{int32(s.members[from]), int32(s.members[to]), bytes})
		one.steps[from] = append(one.steps[from], callStep{round, m, true})
		one.steps[to] = append(one.steps[to], callStep{round, m, false})
	})
	return err
}

// expanded returns the operations of a processor with messages instead of collectives.
func (c *compiler) expanded(p trace.Proc, ops []op) (out []op) {
	for _, o := range ops {
		if o.kind != calls {
			out = append(out, o)
			continue
		}
		at := c.calls.places[o.message]
		member, _ := slices.BinarySearch(at.in.members, p)
		steps, first := at.in.all[at.number].steps[member], len(out)
		for len(steps) > 0 {
			n := 1
			for n < len(steps) && steps[n].round == steps[0].round {
				n++
			}
			out = appendRound(out, steps[:n])
			steps = steps[n:]
		}
		if len(out) == first {
			out = append(out, op{kind: computes, message: -1})
		}
		out[first].instr, out[first].work = o.instr, o.work
	}
	return out
}

// appendRound appends a round of a collective: it posts the receives, sends, and waits for both.
func appendRound(out []op, steps []callStep) []op {
	for _, kinds := range [][2]opKind{{posts, computes}, {computes, isends}, {takes, computes}, {computes, departs}} {
		for _, s := range steps {
			kind := kinds[0]
			if s.sends {
				kind = kinds[1]
			}
			if kind != computes {
				out = append(out, op{kind: kind, message: s.message})
			}
		}
	}
	return out
}
