package comm

import (
	"encoding/binary"

	"spoor/traces/trace"
)

// step is what the replay needs of an event.
type step struct {
	kind                      trace.Kind
	succeeded                 bool // a Test
	peer, tag, group, request int32
	bytes                     int64
	work                      uint64 // that it adds to the path of its processor
}

// step returns the step of an event.
func (u workUnit) step(e *trace.Event) step {
	return step{kind: e.Kind, succeeded: e.Kind == trace.Test && e.Count > 0, peer: e.Peer, tag: e.Tag, group: e.Group, request: e.Request,
		bytes: e.Bytes, work: u.of(e)}
}

// envelope returns the event of a message or receive, as far as matching needs it.
func (s *step) envelope() *trace.Event {
	return &trace.Event{Peer: s.peer, Tag: s.tag, Group: s.group}
}

// tape holds the steps of a processor in the order of time. A usual step takes 3 to 10 bytes, so that a tape is
// shorter than the memory of a reader.
//
// A step is its kind, a byte for the fields that follow, and these fields as numbers of variable length. The peer of
// most messages is a neighbour, so that its distance is stored.
type tape []byte

// The fields of a step on a tape.
const (
	hasPeer = 1 << iota
	hasTag
	hasGroup
	hasRequest
	hasBytes
	hasWork
	hasSucceeded
)

// append appends a step of processor p.
func (t *tape) append(p trace.Proc, s *step) {
	out := append(*t, byte(s.kind), 0)
	at, has := len(out)-1, byte(0)
	number := func(field byte, present bool, value int64) {
		if present {
			has |= field
			out = binary.AppendVarint(out, value)
		}
	}
	number(hasPeer, s.peer != trace.None, int64(s.peer)-int64(p))
	number(hasTag, s.tag != trace.None, int64(s.tag))
	number(hasGroup, s.group != trace.None, int64(s.group))
	number(hasRequest, s.request != trace.None, int64(s.request))
	number(hasBytes, s.bytes != 0, s.bytes)
	number(hasWork, s.work != 0, int64(s.work))
	if s.succeeded {
		has |= hasSucceeded
	}
	out[at] = has
	*t = out
}

// next removes the first step of processor p and returns it. It returns false at the end.
func (t *tape) next(p trace.Proc) (s step, ok bool) {
	if len(*t) == 0 {
		return s, false
	}
	in, has := (*t)[2:], (*t)[1]
	number := func(field byte, absent int64) int64 {
		if has&field == 0 {
			return absent
		}
		v, n := binary.Varint(in)
		in = in[n:]
		return v
	}
	s = step{kind: trace.Kind((*t)[0]), succeeded: has&hasSucceeded != 0}
	s.peer = int32(number(hasPeer, int64(trace.None)-int64(p)) + int64(p))
	s.tag, s.group = int32(number(hasTag, int64(trace.None))), int32(number(hasGroup, int64(trace.None)))
	s.request = int32(number(hasRequest, int64(trace.None)))
	s.bytes, s.work = number(hasBytes, 0), uint64(number(hasWork, 0))
	*t = in
	return s, true
}
