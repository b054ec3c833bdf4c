package spmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spoor/traces/trace"
)

// loose is the error of a rank that returned while it still held locks or had
// requests that nobody waited for, or nil. A correct program waits for each of its
// requests, sends included, and receives whatever is sent.
func (r *Rank) loose() error {
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

// String describes the request as errors do.
func (q *Request) String() string {
	if q.Kind == trace.Isend {
		return fmt.Sprintf("an isend of %s with tag %d", plural(q.status.Count), q.status.Tag)
	}
	return "an irecv " + q.wants()
}

// leftover is the error of messages to a rank that it never received, or nil.
func (in *inbox) leftover(rank int) error {
	contexts := []int32{worldContext}
	for c := range in.others {
		contexts = append(contexts, c)
	}
	var left []*Message
	for _, c := range contexts {
		for n := in.box(c).unexpected.first; n != nil; n = n.next {
			left = append(left, n.of)
		}
	}
	if len(left) == 0 {
		return nil
	}
	slices.SortStableFunc(left, func(a, b *Message) int { // natively they came in any order
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.From, b.From))
	})
	texts := make([]string, len(left))
	for i, m := range left {
		texts[i] = fmt.Sprintf("%s from rank %d with tag %d%s", plural(m.buffer.elements()), m.From, m.Tag, inGroup(m.Group))
	}
	return fmt.Errorf("rank %d: finished without receiving %s", rank, strings.Join(limited(texts), ", "))
}
