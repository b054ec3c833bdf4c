package paraver

import (
	"fmt"
	"math"

	"spoor/traces/trace"
)

// spoorEvent handles the kind of an event that Spoor exported. It completes the call that
// has just been entered, or is an event of its own.
func (r *prvRank) spoorEvent(line []byte, t, kind int64) error {
	if kind < 0 || kind > math.MaxUint8 || !trace.Kind(kind).Valid() || trace.Kind(kind) == trace.Compute {
		return r.p.Fail(line, fmt.Sprintf("Spoor has no event of kind %d", kind), "")
	}
	r.p.ours = true
	if r.open == nil || r.open.ours {
		r.enter(t, prvCallID{prvOurKind, kind})
	}
	call := r.open
	call.ours, call.how = true, prvCallKind{}
	if n := len(r.irecvs); n > 0 && r.irecvs[n-1] == call {
		r.irecvs = r.irecvs[:n-1]
	}
	call.ops = append(call.ops[:0], newPrvOp(trace.Kind(kind), call.line))
	return nil
}

// newPrvOp returns an event without peer, tag, group and request.
func newPrvOp(kind trace.Kind, line int64) prvOp {
	return prvOp{kind: kind, peer: trace.None, tag: trace.None, group: trace.None, request: trace.None, line: line}
}

// property handles another field of such an event.
func (r *prvRank) property(line []byte, typ, value int64) error {
	if r.open == nil || !r.open.ours {
		r.p.unread++
		return nil
	}
	op := &r.open.ops[0]
	if value < 0 || value > math.MaxInt32 && typ < prvOurBytes {
		return r.p.Fail(line, "a value out of range in an event of Spoor's", "")
	}
	switch typ {
	case prvOurPeer:
		if value >= int64(len(r.p.ranks)) && (op.kind <= trace.Irecv || op.kind >= trace.Bcast && op.kind <= trace.AllToAll) {
			return r.p.Fail(line, fmt.Sprintf("peer %d: header declares %d tasks", value, len(r.p.ranks)), "")
		}
		op.peer = int32(value)
	case prvOurTag:
		op.tag = int32(value)
	case prvOurGroup:
		op.group = int32(value)
	case prvOurRequest:
		op.request = int32(value)
	case prvOurBytes:
		op.bytes = value
	case prvOurCount:
		op.count = value
	}
	return nil
}
