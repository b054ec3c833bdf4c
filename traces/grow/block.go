package grow

import (
	"encoding/binary"
	"slices"

	"spoor/traces/trace"
)

// block is a part of the program: a body of steps that is executed for a number of rounds.
type block struct {
	guard guard
	count count
	body  []step
}

// step is one event of the body.
type step struct {
	kind   trace.Kind
	tag    int32 // if the pattern has fixed tags
	group  int32
	peer   partner
	tie    tie
	with   int8    // the step of the body without whose partner this one does not take place; -1: always
	when   partner // if it has a form, the step takes place only where there is such a partner
	opens  bool    // a nonblocking operation
	closes bool    // a wait or successful test
}

// tie says which open request a wait or test refers to.
type tie struct {
	form tieForm
	back int32 // blocks back; 0 is the block itself
	step int32
}

type tieForm uint8

const (
	untied  tieForm = iota
	opener          // the oldest one that a step of a block opened
	oldest          // the oldest open one
	newest          // the latest open one
	drained         // the one of the round of a block whose rounds are open requests
)

// key identifies equal blocks.
func (b *block) key() string {
	k := []byte{byte(b.guard.form), byte(b.guard.axis), byte(b.count.form), byte(b.count.axis)}
	k = appendAll(k, b.guard.c, b.count.a, b.count.b)
	for i := range b.body {
		s := &b.body[i]
		k = append(k, byte(s.kind), byte(btoi(s.opens)), byte(btoi(s.closes)), byte(s.with), byte(s.tie.form))
		k = appendAll(k, s.tag, s.group, s.tie.back, s.tie.step)
		k = s.when.appendTo(s.peer.appendTo(k))
	}
	return string(k)
}

func (f *partner) appendTo(k []byte) []byte {
	k = append(k, byte(f.form), byte(f.axis), byte(btoi(f.down)), f.wraps)
	for _, d := range f.steps {
		k = binary.AppendVarint(k, int64(d))
	}
	return appendAll(k, f.c)
}

func appendAll(k []byte, all ...int32) []byte {
	for _, v := range all {
		k = binary.AppendVarint(k, int64(v))
	}
	return k
}

// request is an open nonblocking operation of a rank.
type request struct {
	serial int32 // of the block that opened it
	step   int32
	number int32
	kind   trace.Kind
}

// act is one event that a block makes a rank execute.
type act struct {
	step, round int
	rounds      int
	peer        int32
	request     int32
}

// lane is a rank that executes blocks.
type lane struct {
	place
	open   []request
	serial int32 // of the block in execution
}

// run executes a block. The function yield gets each event, and sets the number of a request that it opens. An
// execution ends early if yield returns false; run then returns false, too.
func (l *lane) run(b *block, yield func(*act) bool) bool {
	if !b.guard.has(&l.place) {
		return true
	}
	if b.count.form >= openAll {
		return l.drain(b, yield)
	}
	n := b.count.of(&l.place)
	for k := range n {
		for j := range b.body {
			a := act{step: j, round: k, rounds: n, request: trace.None}
			if !l.prepare(b.body, &a) {
				continue
			}
			if !l.perform(&b.body[j], &a, yield) {
				return false
			}
		}
	}
	return true
}

// prepare finds the partner and the request of a step. It returns false if the step does not take place.
func (l *lane) prepare(body []step, a *act) (ok bool) {
	s := &body[a.step]
	if s.with >= 0 {
		if _, ok := body[s.with].peer.at(&l.place, a.round, a.rounds); !ok {
			return false
		}
	}
	if s.when.form != 0 {
		if _, ok := s.when.at(&l.place, a.round, a.rounds); !ok {
			return false
		}
	}
	if a.peer, ok = s.peer.at(&l.place, a.round, a.rounds); !ok || s.tie.form == untied {
		return ok
	}
	i := l.tied(s.tie)
	if i < 0 {
		return false
	}
	a.request = l.open[i].number
	if s.closes {
		l.open = slices.Delete(l.open, i, i+1)
	}
	return true
}

// tied returns the index of the request that a tie means, or -1.
func (l *lane) tied(t tie) int {
	switch t.form {
	case oldest:
		return min(0, len(l.open)-1)
	case newest:
		return len(l.open) - 1
	}
	for i := range l.open {
		if l.open[i].serial == l.serial-t.back && l.open[i].step == t.step {
			return i
		}
	}
	return -1
}

func (l *lane) perform(s *step, a *act, yield func(*act) bool) bool {
	if !yield(a) {
		return false
	}
	if s.opens {
		l.open = append(l.open, request{l.serial, int32(a.step), a.request, s.kind})
	}
	return true
}

// drain executes a block whose rounds are open requests. Its first step waits for them.
func (l *lane) drain(b *block, yield func(*act) bool) bool {
	var rest, closed []request
	for _, q := range l.open {
		if b.count.form != openKind || q.kind == trace.Kind(b.count.a) {
			closed = append(closed, q)
		} else {
			rest = append(rest, q)
		}
	}
	if b.count.form == openDown {
		slices.Reverse(closed)
	}
	l.open = rest
	for k, q := range closed {
		a := act{round: k, rounds: len(closed), peer: trace.None, request: q.number}
		if !yield(&a) {
			return false
		}
	}
	return true
}
