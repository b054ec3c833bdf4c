package emit

import (
	"fmt"
	"slices"

	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// MessageWriter writes the events of the ranks of a message-passing trace to a sink, in
// batches. It also passes each event with its place in the input to a Matcher. The
// Matcher reports an error at the line of a message without a partner, a wait without a
// request, or a collective on which ranks disagree.
type MessageWriter struct {
	sink    format.Sink
	matcher *trace.Matcher
	accept  bool          // unmatched messages are noted, not errors
	inTurn  bool          // see InTurn
	rows    int           // events of a rank in a batch for the sink
	ranks   int           // number of rankWriters so far
	spare   []trace.Event // memory of a rank that ended
	Fail    func(at trace.Pos, msg string) error
	Where   func(at trace.Pos) string // place in notes; notes are stored in the trace and therefore name no path
}

// NewTextMessageWriter is for text files; places are lines.
func NewTextMessageWriter(files *input.Files, o format.Options, sink format.Sink) *MessageWriter {
	return &MessageWriter{sink: sink, matcher: trace.NewMatcher(), accept: o.Unmatched,
		Fail: func(at trace.Pos, msg string) error {
			return &trace.SyntaxError{File: files.Path(int(at.File)), Line: int(at.At), Msg: msg}
		},
		Where: func(at trace.Pos) string {
			if files.Len() == 1 {
				return fmt.Sprintf("line %d", at.At)
			}
			return fmt.Sprintf("file %d, line %d", at.File, at.At)
		}}
}

// NewBinaryMessageWriter is for binary files; places are offsets.
func NewBinaryMessageWriter(files *input.Files, o format.Options, sink format.Sink) *MessageWriter {
	c := NewTextMessageWriter(files, o, sink)
	c.Fail = func(at trace.Pos, msg string) error {
		return fmt.Errorf("%s: offset %d: %s", files.Path(int(at.File)), at.At, msg)
	}
	c.Where = func(at trace.Pos) string { return fmt.Sprintf("file %d, offset %d", at.File, at.At) }
	return c
}

// RankWriter collects the events of one rank in program order.
type RankWriter struct {
	c     *MessageWriter
	Batch trace.Events
	rows  int64
}

func (c *MessageWriter) RankWriter(p trace.Proc) *RankWriter {
	c.ranks++
	if !c.inTurn {
		c.rows = max(minRankBatch, min(RankBatch, totalBatch/c.ranks))
	}
	return &RankWriter{c: c, Batch: trace.Events{Proc: p}}
}

// InTurn declares that a rank ends before the next one begins. Then batches are small, so that the processor's cache holds them.
func (c *MessageWriter) InTurn() { c.inTurn, c.rows = true, inTurnBatch }

// inTurnBatch is the number of events in a batch of InTurn.
const inTurnBatch = 1 << 8

// A batch for the sink has at most RankBatch events of a rank. All ranks together
// buffer about totalBatch events, because there may be many ranks and their events may
// be interleaved.
const (
	RankBatch    = 1 << 12
	minRankBatch = 1 << 5
	totalBatch   = 1 << 18
)

// Emit appends e, which is at place at in the input, and returns its row among the
// events of its rank. The caller must not change Needs until the next flush.
func (s *RankWriter) Emit(e *trace.Event, at trace.Pos) (row int64, err error) {
	if err := s.c.matcher.Event(s.Batch.Proc, e, at); err != nil {
		return 0, s.c.Fail(at, err.Error())
	}
	if len(s.Batch.Rows) >= s.c.rows {
		if err := s.Flush(); err != nil {
			return 0, err
		}
	}
	if s.Batch.Rows == nil {
		s.Batch.Rows, s.c.spare = s.c.spare, nil
	}
	s.Batch.Rows = append(s.Batch.Rows, *e)
	s.rows++
	return s.rows - 1, nil
}

// Next returns an event of a kind to fill, for Done to append. It is Emit without a copy. Both are called by turns.
func (s *RankWriter) Next(kind trace.Kind) (*trace.Event, error) {
	n := len(s.Batch.Rows)
	if n >= s.c.rows {
		if err := s.Flush(); err != nil {
			return nil, err
		}
		n = 0
	}
	if n == cap(s.Batch.Rows) {
		s.grow()
	}
	e := &s.Batch.Rows[:n+1][n]
	*e = trace.NewEvent(kind)
	return e, nil
}

// Done appends the event of Next, which is at place at in the input.
func (s *RankWriter) Done(at trace.Pos) error {
	n := len(s.Batch.Rows)
	s.Batch.Rows = s.Batch.Rows[:n+1]
	s.rows++
	if err := s.c.matcher.Event(s.Batch.Proc, &s.Batch.Rows[n], at); err != nil {
		return s.c.Fail(at, err.Error())
	}
	return nil
}

// grow makes room for another event.
func (s *RankWriter) grow() {
	if s.Batch.Rows == nil {
		s.Batch.Rows, s.c.spare = s.c.spare, nil
	}
	s.Batch.Rows = slices.Grow(s.Batch.Rows, 1)
}

// Compute appends an amount of work, unless it is 0. time is used if the layout has
// times.
func (s *RankWriter) Compute(work, time int64, at trace.Pos) error {
	if work == 0 {
		return nil
	}
	e, err := s.Next(trace.Compute)
	if err != nil {
		return err
	}
	e.Work, e.Time = work, time
	return s.Done(at)
}

// Flush sends the collected events. Call it at the end of the rank.
func (s *RankWriter) Flush() error {
	err := s.c.sink.Events(&s.Batch)
	s.Batch.Rows = s.Batch.Rows[:0]
	return err
}

// End is Flush for a rank that has no more events, or few. The next rank uses the memory of its batch.
func (s *RankWriter) End() error {
	err := s.Flush()
	s.c.spare, s.Batch.Rows = s.Batch.Rows, nil
	return err
}

// maxUnmatchedNotes is the largest number of single notes; one note counts the others.
const maxUnmatchedNotes = 20

// Finish ends all ranks. Events without a partner are errors, or notes if
// Options.Unmatched is set. Legal events that may be a mistake are noted.
func (c *MessageWriter) Finish(procs int) (notes []string, err error) {
	left := 0
	for _, m := range c.matcher.Finish(procs) {
		if !c.accept && !m.Legal {
			return nil, c.Fail(m.Pos, m.Msg+"; --unmatched note imports the trace with a note")
		}
		if len(notes) == maxUnmatchedNotes {
			left++
			continue
		}
		notes = append(notes, c.Where(m.Pos)+": "+m.Msg)
	}
	if left > 0 {
		n := c.matcher.Counts()
		notes = append(notes, fmt.Sprintf("and more such notes: %d messages, receives or collectives lack a partner, %d requests are never waited for",
			n.Mismatches, n.Open))
	}
	return notes, nil
}
