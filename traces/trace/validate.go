package trace

import (
	"fmt"
	"iter"
	"math"
)

// RowError is the first row of a trace that breaks an invariant.
type RowError struct {
	Proc  Proc
	IsRef bool  // a reference, not an event
	Row   int64 // among those of the processor
	Kind  Kind  // of an event
	Msg   string
}

func (e *RowError) Error() string {
	if e.IsRef {
		return fmt.Sprintf("processor %d, reference %d: %s", e.Proc, e.Row, e.Msg)
	}
	return fmt.Sprintf("processor %d, event %d (%s): %s", e.Proc, e.Row, e.Kind, e.Msg)
}

// Report is what a sound trace was held to.
type Report struct {
	Refs, Events uint64
	Joined       uint64 // events held to their place among the references
	Needs        uint64 // named by events
	Locks        uint64 // taken
	MatchCounts
	Calls []GroupCalls
	Notes []RowError // what is legal, and yet may be a mistake: requests that nobody waits for
}

// Check holds a whole trace to every invariant, as CheckAll.
func Check(src Source) error {
	_, err := Validate(src)
	return err
}

// Validate holds a whole trace to every invariant: those of batches (CheckRefs,
// CheckEvents), and what only the whole can tell:
//
//   - batches come processor by processor, as a Source promises;
//   - an event that r references precede happens after the r-th reference and
//     before the next: this is how the two streams join;
//   - needs are other events of the same processor, and no event needs itself by
//     way of others;
//   - messages, requests and collectives go together as Matcher says, between
//     processors that exist;
//   - a processor unlocks only what it has locked;
//   - a source that knows its Totals counts right.
//
// A source without any reference is taken for the events of a trace alone, whose
// joins cannot be checked. Where a row is at fault, the error is an *Unsound.
func Validate(src Source) (*Report, error) {
	c := wholeCheck{src: src, head: src.Header(), match: NewMatcher()}
	if c.head.Procs < 0 {
		return nil, fmt.Errorf("the header has %d processors", c.head.Procs)
	}
	var err error
	if c.joined, err = anyRefs(src); err != nil {
		return nil, err
	}
	for p := range c.head.Procs {
		if err := c.proc(Proc(p)); err != nil {
			return nil, err
		}
	}
	return &c.did, c.messages()
}

// anyRefs reports whether src has references.
func anyRefs(src Source) (bool, error) {
	for p := range src.Header().Procs {
		for b, err := range src.Refs(Proc(p)) {
			if err != nil {
				return false, err
			}
			if b.Len() > 0 {
				return true, nil
			}
		}
	}
	return false, nil
}

type wholeCheck struct {
	src    Source
	head   Header
	joined bool
	match  *Matcher
	did    Report
}

// proc walks both streams of one processor side by side.
func (c *wholeCheck) proc(p Proc) error {
	next, stop := iter.Pull2(c.src.Refs(p))
	defer stop()
	w := walk{c: c, p: p, next: next, held: map[int32]int{}}
	for b, err := range c.src.Events(p) {
		if err != nil {
			return err
		}
		if b.Proc != p {
			return &BatchError{b.Proc, 0, fmt.Sprintf("came among the events of processor %d", p)}
		}
		if err := CheckEvents(c.head, b, w.last, math.MaxUint64); err != nil {
			return w.placed(err, b)
		}
		for i := range b.Rows {
			if err := w.event(&b.Rows[i]); err != nil {
				return err
			}
			w.events++
		}
	}
	if err := w.checkNeeds(); err != nil {
		return err
	}
	if err := w.advance(math.MaxUint64); err != nil {
		return err
	}
	c.did.Refs += w.done
	c.did.Events += uint64(w.events)
	return w.checkTotals()
}

// messages names the first event that lacks what it needs from another processor.
func (c *wholeCheck) messages() error {
	all := c.match.Finish(c.head.Procs)
	c.did.MatchCounts, c.did.Calls = c.match.Counts(), c.match.Calls()
	for _, m := range all {
		u := RowError{Proc: m.Proc, Row: m.Pos.At, Kind: m.Kind, Msg: m.Msg}
		if !m.Legal {
			if more := c.did.Mismatches - 1; more > 0 {
				u.Msg += fmt.Sprintf(" (and %d more)", more)
			}
			return &u
		}
		c.did.Notes = append(c.did.Notes, u)
	}
	return nil
}
