package spmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spoor/traces/trace"
)

// Deadlock returns the error of a run in which no rank can continue. The error lists what each rank waits for, and
// for whom. It is nil if all programs have ended. It is for backends.
func Deadlock(ranks []*Rank) error {
	var parts []string
	var atBarrier, elsewhere []*Rank
	for _, r := range ranks {
		if !r.ended && r.op.Kind == trace.Barrier {
			atBarrier = append(atBarrier, r)
		} else {
			elsewhere = append(elsewhere, r)
		}
	}
	if len(atBarrier) > 0 {
		parts = append(parts, fmt.Sprintf("%s at barrier %d for %s", waits(atBarrier), barrierID, states(elsewhere)))
	}
	for _, r := range elsewhere {
		if !r.ended {
			parts = append(parts, fmt.Sprintf("rank %d waits %s%s", r.id, r.op.waitsFor(), r.op.culprit(ranks)))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return fmt.Errorf("deadlock: %s", strings.Join(limited(parts), "; "))
}

// culprit describes the one rank that could end the wait, with its state, or returns "" if several could.
func (op *Op) culprit(ranks []*Rank) string {
	q := op.Request
	switch op.Kind {
	case trace.Lock:
		for _, r := range ranks {
			if slices.Contains(r.held, op.Object) {
				return ", held by " + r.state()
			}
		}
		return ""
	case trace.Wait:
		if len(op.Requests) != 1 {
			return ""
		}
		q = op.Requests[0]
	case trace.WaitFlag:
		return ""
	}
	if q.Source == Any {
		return ""
	}
	return fmt.Sprintf(" (%s)", ranks[q.Source].state())
}

// state returns the rank and its state: "rank 1 (finished)", "rank 3 (waits for lock 7)".
func (r *Rank) state() string {
	if r.ended {
		return fmt.Sprintf("rank %d (finished)", r.id)
	}
	return fmt.Sprintf("rank %d (waits %s)", r.id, r.op.waitsFor())
}

func states(ranks []*Rank) string {
	parts := make([]string, len(ranks))
	for i, r := range ranks {
		parts[i] = r.state()
	}
	return strings.Join(limited(parts), ", ")
}

// waitsFor returns the object of "waits ..." for a blocking operation.
func (op *Op) waitsFor() string {
	switch op.Kind {
	case trace.Barrier:
		return fmt.Sprintf("at barrier %d", op.Object)
	case trace.Lock:
		return fmt.Sprintf("for lock %d", op.Object)
	case trace.WaitFlag:
		return fmt.Sprintf("for %d signals of flag %d", op.Count, op.Object)
	case trace.Recv, trace.Probe:
		return op.Request.wants()
	}
	wants := make([]string, len(op.Requests))
	for i, q := range op.Requests {
		wants[i] = q.wants()
	}
	return strings.Join(limited(wants), " or ")
}

// wants returns the object of "waits ..." for a receive.
func (q *Request) wants() string {
	text := "for a message from any rank"
	if q.Source != Any {
		text = fmt.Sprintf("for a message from rank %d", q.Source)
	}
	if q.Tag == Any {
		text += " with any tag"
	} else {
		text += fmt.Sprintf(" with tag %d", q.Tag)
	}
	return text + inGroup(q.Group)
}

func inGroup(context int32) string {
	if context == worldContext {
		return ""
	}
	return fmt.Sprintf(" in group %d", context)
}

func waits(ranks []*Rank) string {
	names := make([]string, len(ranks))
	for i, r := range ranks {
		names[i] = fmt.Sprint(r.id)
	}
	if len(names) == 1 {
		return "rank " + names[0] + " waits"
	}
	return "ranks " + strings.Join(limited(names), ", ") + " wait"
}

// limited shortens a list, so that errors about thousands of ranks are readable.
func limited(parts []string) []string {
	const most = 8
	if len(parts) <= most {
		return parts
	}
	return append(parts[:most:most], fmt.Sprintf("and %d more", len(parts)-most))
}

// checkFinished returns an error if a rank has returned with held locks or with requests that were not waited for.
// A correct program waits for all its requests, sends included, and receives all messages sent to it.
func (r *Rank) checkFinished() error {
	switch {
	case len(r.held) > 0:
		return fmt.Errorf("rank %d: finished holding lock %d", r.id, slices.Min(r.held))
	case len(r.pending) > 0:
		slices.SortFunc(r.pending, func(a, b *Request) int { return int(a.ID) - int(b.ID) })
		texts := make([]string, len(r.pending))
		for i, q := range r.pending {
			texts[i] = q.String()
		}
		return fmt.Errorf("rank %d: finished without waiting for %s", r.id, strings.Join(limited(texts), ", "))
	}
	return nil
}

// String describes the request for errors.
func (q *Request) String() string {
	if q.Kind == trace.Isend {
		return fmt.Sprintf("an isend of %s with tag %d", elementsText(q.status.Count), q.status.Tag)
	}
	return "an irecv " + q.wants()
}

// checkReceived returns an error if messages to a rank were never received.
func (in *inbox) checkReceived(rank int) error {
	contexts := []int32{worldContext}
	for c := range in.others {
		contexts = append(contexts, c)
	}
	var left []*Message
	for _, c := range contexts {
		for n := in.ofComm(c).unexpected.First; n != nil; n = n.Next {
			left = append(left, n.Elem)
		}
	}
	if len(left) == 0 {
		return nil
	}
	slices.SortStableFunc(left, func(a, b *Message) int { // natively they arrived in any order
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.From, b.From))
	})
	texts := make([]string, len(left))
	for i, m := range left {
		texts[i] = fmt.Sprintf("%s from rank %d with tag %d%s", elementsText(m.buffer.elements()), m.From, m.Tag, inGroup(m.Group))
	}
	return fmt.Errorf("rank %d: finished without receiving %s", rank, strings.Join(limited(texts), ", "))
}
