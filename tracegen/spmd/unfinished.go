package spmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spoor/traces/trace"
)

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
		for n := in.ofComm(c).unexpected.first; n != nil; n = n.next {
			left = append(left, n.elem)
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
