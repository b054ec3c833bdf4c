package spmd

import (
	"fmt"
	"strings"

	"spoor/traces/trace"
)

// deadlock is the error of ranks of which none can go on: who waits for whom and
// for what. The op of a rank that waits is the one it is stuck in.
type deadlock struct {
	ranks  []*Rank
	ended  func(rank int) bool
	holder func(lock int32) int
	flag   func(id int32) int // signals so far
}

func (d *deadlock) err() error {
	var parts, barrier []string
	var missing, waiting []int
	for id, r := range d.ranks {
		switch {
		case d.ended(id) || r.op.Kind != trace.Barrier:
			missing = append(missing, id)
		default:
			waiting = append(waiting, id)
		}
	}
	if len(waiting) > 0 {
		barrier = []string{fmt.Sprintf("%s at barrier %d for %s", waits(waiting), barrierID, d.names(missing))}
	}
	for id, r := range d.ranks {
		if !d.ended(id) && r.op.Kind != trace.Barrier {
			parts = append(parts, fmt.Sprintf("rank %d waits %s", id, d.reason(r)))
		}
	}
	return fmt.Errorf("deadlock: %s", strings.Join(limited(append(barrier, parts...)), "; "))
}

// reason is what a rank waits for, with who could bring it.
func (d *deadlock) reason(r *Rank) string {
	what := r.op.waitsFor()
	switch r.op.Kind {
	case trace.Lock:
		return fmt.Sprintf("%s, held by %s", what, d.names([]int{d.holder(r.op.Object)}))
	case trace.WaitFlag:
		return fmt.Sprintf("%s: %d of %d signals", what, d.flag(r.op.Object), r.op.Count)
	case trace.Recv, trace.Probe:
		return what + d.sender(r.op.Request)
	case trace.Wait:
		if len(r.op.Requests) == 1 {
			return what + d.sender(r.op.Requests[0])
		}
	}
	return what
}

// sender is what keeps the one rank that could send what q wants.
func (d *deadlock) sender(q *Request) string {
	if q.Source == Any {
		return ""
	}
	return " (" + d.names([]int{int(q.Source)}) + ")"
}

// names is ranks with what keeps them: "rank 1 (finished), rank 3 (waits for lock 7)".
func (d *deadlock) names(ranks []int) string {
	parts := make([]string, 0, len(ranks))
	for _, id := range ranks {
		how := "finished"
		if !d.ended(id) {
			how = "waits " + d.ranks[id].op.waitsFor()
		}
		parts = append(parts, fmt.Sprintf("rank %d (%s)", id, how))
	}
	return strings.Join(limited(parts), ", ")
}

// waitsFor is what an operation that blocks waits for, after "waits".
func (op *Op) waitsFor() string {
	switch op.Kind {
	case trace.Barrier:
		return fmt.Sprintf("at barrier %d", op.Object)
	case trace.Lock:
		return fmt.Sprintf("for lock %d", op.Object)
	case trace.WaitFlag:
		return fmt.Sprintf("for flag %d", op.Object)
	case trace.Recv, trace.Probe:
		return op.Request.wants()
	}
	wants := make([]string, len(op.Requests))
	for i, q := range op.Requests {
		wants[i] = q.wants()
	}
	return strings.Join(limited(wants), " or ")
}

// wants is what a receive waits for, after "waits".
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

func waits(ranks []int) string {
	names := make([]string, len(ranks))
	for i, r := range ranks {
		names[i] = fmt.Sprint(r)
	}
	if len(names) == 1 {
		return "rank " + names[0] + " waits"
	}
	return "ranks " + strings.Join(limited(names), ", ") + " wait"
}

// limited keeps an error about thousands of ranks readable.
func limited(parts []string) []string {
	const most = 8
	if len(parts) <= most {
		return parts
	}
	return append(parts[:most:most], fmt.Sprintf("and %d more", len(parts)-most))
}
