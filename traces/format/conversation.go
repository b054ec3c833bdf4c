package format

import (
	"fmt"

	"spoor/traces/trace"
)

// conversation is what the ranks of a trace of messages say to each other. Events
// go to the sink in batches and, with their place in the input, to a Matcher, so
// that a message without a partner, a wait without a request or a collective on
// which ranks disagree is an error at its line.
type conversation struct {
	sink    Sink
	matcher *trace.Matcher
	accept  bool // unmatched messages are notes
	rows    int  // events of a speaker that go to the sink at a time
	spoken  int  // speakers so far
	fail    func(at trace.Pos, msg string) error
	where   func(at trace.Pos) string // for notes, which go into the trace and so name no path
}

// conversationInText is for files of text, whose places are lines.
func conversationInText(files *Files, o Options, sink Sink) *conversation {
	return &conversation{sink: sink, matcher: trace.NewMatcher(), accept: o.Unmatched,
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

// conversationInBytes is for binary files, whose places are offsets.
func conversationInBytes(files *Files, o Options, sink Sink) *conversation {
	c := conversationInText(files, o, sink)
	c.fail = func(at trace.Pos, msg string) error {
		return fmt.Errorf("%s: offset %d: %s", files.Path(int(at.File)), at.At, msg)
	}
	c.where = func(at trace.Pos) string { return fmt.Sprintf("file %d, offset %d", at.File, at.At) }
	return c
}

// speaker collects the events of one rank in program order.
type speaker struct {
	c     *conversation
	batch trace.Events
	rows  int64
}

func (c *conversation) speaker(p trace.Proc) *speaker {
	c.spoken++
	c.rows = max(minSpeakerRows, min(speakerRows, speakersRows/c.spoken))
	return &speaker{c: c, batch: trace.Events{Proc: p}}
}

// speakerRows is how many events of a speaker go to the sink at a time, at most, and
// speakersRows how many wait in all of them: ranks may be many, and speak in turn.
const (
	speakerRows    = 1 << 12
	minSpeakerRows = 1 << 5
	speakersRows   = 1 << 18
)

// say appends e, which the input has at place, and returns its row among the events
// of its rank. Needs must stay as they are until the next flush.
func (s *speaker) say(e *trace.Event, at trace.Pos) (row int64, err error) {
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

// compute appends an amount of work, unless it is 0. time matters where the layout
// has times.
func (s *speaker) compute(work, time int64, at trace.Pos) error {
	if work == 0 {
		return nil
	}
	e := trace.NewEvent(trace.Compute)
	e.Work, e.Time = work, time
	_, err := s.say(&e, at)
	return err
}

// flush sends what is collected; call it at the end of the rank.
func (s *speaker) flush() error {
	err := s.c.sink.Events(&s.batch)
	s.batch.Rows = s.batch.Rows[:0]
	return err
}

// maxUnmatchedNotes is how many are noted one by one.
const maxUnmatchedNotes = 20

// finish is called when all ranks are done. What lacks a partner is an error, or
// notes if Options.Unmatched asks for them; what is legal, and yet may be a mistake, is
// noted.
func (c *conversation) finish(procs int) (notes []string, err error) {
	left := 0
	for _, m := range c.matcher.Finish(procs) {
		if !c.accept && !m.Legal {
			return nil, c.fail(m.Pos, m.Msg+"; --unmatched note imports it all the same")
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
