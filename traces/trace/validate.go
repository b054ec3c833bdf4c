package trace

import (
	"fmt"
	"iter"
	"math"
)

// RowError reports the first row of a trace that breaks an invariant.
type RowError struct {
	Proc  Proc
	IsRef bool  // the row is a reference, not an event
	Row   int64 // number among the references or events of the processor
	Kind  Kind  // of an event
	Msg   string
}

func (e *RowError) Error() string {
	if e.IsRef {
		return fmt.Sprintf("processor %d, reference %d: %s", e.Proc, e.Row, e.Msg)
	}
	return fmt.Sprintf("processor %d, event %d (%s): %s", e.Proc, e.Row, e.Kind, e.Msg)
}

// Report counts the rows that Validate has checked in a valid trace.
type Report struct {
	Refs, Events uint64
	Joined       uint64 // events whose position among the references was checked
	Needs        uint64 // needs of events
	Locks        uint64 // lock acquisitions
	Synchronized uint64 // barriers, signals, waits for flags, forks and joins in shared memory
	MatchCounts
	Calls []GroupCalls
	Notes []RowError // rows that are legal but may be mistakes, such as a request that is never waited for
}

// Check checks a whole trace against every invariant, like Validate.
func Check(src Source) error {
	_, err := Validate(src)
	return err
}

// Validate checks a whole trace against every invariant. It checks each batch with
// CheckRefs or CheckEvents, and then the invariants of the whole trace:
//
//   - Batches come processor by processor, as a Source promises.
//   - If r references precede an event, its position is not before the r-th
//     reference and not after the next one.
//   - Needs are other events of the same processor, and they form no cycle.
//   - Messages, requests and collectives match by the rules of Matcher, between
//     processors that exist.
//   - A processor unlocks only locks that it holds, and takes only locks that it does not
//     hold. A lock that one keeps and others take is a note.
//   - All processors can pass their barriers, flags, forks and joins in shared memory.
//   - The Totals of a source, if it has them, are the true counts.
//
// If the source has no references, Validate assumes that they were not stored, and
// cannot check the positions of events among them. If a row is wrong, the error is
// a *RowError.
func Validate(src Source) (*Report, error) {
	c := validator{src: src, head: src.Header(), match: NewMatcher(), locks: map[int32]lockUse{}}
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
	c.keptLocks()
	c.report.Synchronized = c.sync.n
	if err := c.messages(); err != nil {
		return &c.report, err
	}
	return &c.report, c.sync.check(c.head.Procs)
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

// validator is one run of Validate.
type validator struct {
	src    Source
	head   Header
	joined bool // the source has references
	match  *Matcher
	sync   synchronization
	locks  map[int32]lockUse
	report Report
}

// proc checks both streams of one processor side by side.
func (c *validator) proc(p Proc) error {
	next, stop := iter.Pull2(c.src.Refs(p))
	defer stop()
	w := procValidator{c: c, p: p, next: next, held: map[int32]int64{}, used: map[int32]bool{}}
	for b, err := range c.src.Events(p) {
		if err != nil {
			return err
		}
		if b.Proc != p {
			return &BatchError{b.Proc, 0, fmt.Sprintf("came among the events of processor %d", p)}
		}
		if err := CheckEvents(c.head, b, w.last, math.MaxUint64); err != nil {
			return w.rowError(err, b)
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
	w.keepsLocks()
	c.report.Refs += w.done
	c.report.Events += uint64(w.events)
	return w.checkTotals()
}

// messages returns an error for the first event that has no partner on another processor.
func (c *validator) messages() error {
	all := c.match.Finish(c.head.Procs)
	c.report.MatchCounts, c.report.Calls = c.match.Counts(), c.match.Calls()
	for _, m := range all {
		u := RowError{Proc: m.Proc, Row: m.Pos.At, Kind: m.Kind, Msg: m.Msg}
		if !m.Legal {
			if more := c.report.Mismatches - 1; more > 0 {
				u.Msg += fmt.Sprintf(" (and %d more)", more)
			}
			return &u
		}
		c.report.Notes = append(c.report.Notes, u)
	}
	return nil
}
