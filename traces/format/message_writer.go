package format

import (
	"fmt"

	"spoor/traces/trace"
)

// messageWriter writes the events of the ranks of a message-passing trace to a sink, in
// batches. It also passes each event with its place in the input to a Matcher. The
// Matcher reports an error at the line of a message without a partner, a wait without a
// request, or a collective on which ranks disagree.
type messageWriter struct {
	sink    Sink
	matcher *trace.Matcher
	accept  bool // unmatched messages are noted, not errors
	rows    int  // events of a rank in a batch for the sink
	ranks   int  // number of rankWriters so far
	fail    func(at trace.Pos, msg string) error
	where   func(at trace.Pos) string // place in notes; notes are stored in the trace and therefore name no path
}

// newTextMessageWriter is for text files; places are lines.
func newTextMessageWriter(files *Files, o Options, sink Sink) *messageWriter {
	return &messageWriter{sink: sink, matcher: trace.NewMatcher(), accept: o.Unmatched,
		fail: func(at trace.Pos, msg string) error {
			return &trace.SyntaxError{File: files.Path(int(at.File)), Line: int(at.At), Msg: msg}
		},
		where: func(at trace.Pos) string {
			if files.Len() == 1 {
				return fmt.Sprintf("line %d", at.At)
			}
			return fmt.Sprintf("file %d, line %d", at.File, at.At)
		}}
}

// newBinaryMessageWriter is for binary files; places are offsets.
func newBinaryMessageWriter(files *Files, o Options, sink Sink) *messageWriter {
	c := newTextMessageWriter(files, o, sink)
	c.fail = func(at trace.Pos, msg string) error {
		return fmt.Errorf("%s: offset %d: %s", files.Path(int(at.File)), at.At, msg)
	}
	c.where = func(at trace.Pos) string { return fmt.Sprintf("file %d, offset %d", at.File, at.At) }
	return c
}

// rankWriter collects the events of one rank in program order.
type rankWriter struct {
	c     *messageWriter
	batch trace.Events
	rows  int64
}

func (c *messageWriter) rankWriter(p trace.Proc) *rankWriter {
	c.ranks++
	c.rows = max(minRankBatch, min(rankBatch, totalBatch/c.ranks))
	return &rankWriter{c: c, batch: trace.Events{Proc: p}}
}

// A batch for the sink has at most rankBatch events of a rank. All ranks together
// buffer about totalBatch events, because there may be many ranks and their events may
// be interleaved.
const (
	rankBatch    = 1 << 12
	minRankBatch = 1 << 5
	totalBatch   = 1 << 18
)

// append appends e, which is at place at in the input, and returns its row among the
// events of its rank. The caller must not change Needs until the next flush.
func (s *rankWriter) emit(e *trace.Event, at trace.Pos) (row int64, err error) {
	if err := s.c.matcher.Event(s.batch.Proc, e, at); err != nil {
		return 0, s.c.fail(at, err.Error())
	}
	if len(s.batch.Rows) >= s.c.rows {
		if err := s.flush(); err != nil {
			return 0, err
		}
	}
	s.batch.Rows = append(s.batch.Rows, *e)
	s.rows++
	return s.rows - 1, nil
}

// compute appends an amount of work, unless it is 0. time is used if the layout has
// times.
func (s *rankWriter) compute(work, time int64, at trace.Pos) error {
	if work == 0 {
		return nil
	}
	e := trace.NewEvent(trace.Compute)
	e.Work, e.Time = work, time
	_, err := s.emit(&e, at)
	return err
}

// flush sends the collected events. Call it at the end of the rank.
func (s *rankWriter) flush() error {
	err := s.c.sink.Events(&s.batch)
	s.batch.Rows = s.batch.Rows[:0]
	return err
}

// maxUnmatchedNotes is the largest number of single notes; one note counts the others.
const maxUnmatchedNotes = 20

// finish ends all ranks. Events without a partner are errors, or notes if
// Options.Unmatched is set. Legal events that may be a mistake are noted.
func (c *messageWriter) finish(procs int) (notes []string, err error) {
	left := 0
	for _, m := range c.matcher.Finish(procs) {
		if !c.accept && !m.Legal {
			return nil, c.fail(m.Pos, m.Msg+"; --unmatched note imports the trace with a note")
		}
		if len(notes) == maxUnmatchedNotes {
			left++
			continue
		}
		notes = append(notes, c.where(m.Pos)+": "+m.Msg)
	}
	if left > 0 {
		n := c.matcher.Counts()
		notes = append(notes, fmt.Sprintf("and more such notes: %d messages, receives or collectives lack a partner, %d requests are never waited for",
			n.Mismatches, n.Open))
	}
	return notes, nil
}
