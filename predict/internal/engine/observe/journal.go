package observe

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"spoor/traces/unit"
)

// Journal is an Observer that writes all calls, for [ReadJournal] in another process.
type Journal struct {
	out *gob.Encoder
	err error // the first
}

// NewJournal returns a Journal that writes to w.
func NewJournal(w io.Writer) *Journal { return &Journal{out: gob.NewEncoder(w)} }

// Err returns the first error of writing.
func (j *Journal) Err() error { return j.err }

// entry is a call. Fields that a call does not have are 0.
type entry struct {
	Call       call
	Part       Part
	Rank, From int32
	Tag, Group int32
	Row, Bytes int64
	At, To     unit.Picos
}

// call is a method of Observer.
type call uint8

const (
	began call = iota
	ended
	matched
	waited
	span
	message
)

func (j *Journal) write(e entry) {
	if j.err == nil {
		j.err = j.out.Encode(&e)
	}
}

// Began implements Observer.
func (j *Journal) Began(rank int32, row int64, at unit.Picos) {
	j.write(entry{Call: began, Rank: rank, Row: row, At: at})
}

// Ended implements Observer.
func (j *Journal) Ended(rank int32, row int64, at unit.Picos) {
	j.write(entry{Call: ended, Rank: rank, Row: row, At: at})
}

// Matched implements Observer.
func (j *Journal) Matched(rank int32, row int64, from, tag, group int32) {
	j.write(entry{Call: matched, Rank: rank, Row: row, From: from, Tag: tag, Group: group})
}

// Waited implements Observer.
func (j *Journal) Waited(rank int32, why Cause) {
	j.write(entry{Call: waited, Rank: rank, From: why.By, At: why.Since, To: why.Flight})
}

// Span implements Observer.
func (j *Journal) Span(rank int32, what Part, from, to unit.Picos) {
	j.write(entry{Call: span, Rank: rank, Part: what, At: from, To: to})
}

// Message implements Observer.
func (j *Journal) Message(from, to int32, d *ReceivedMessage) {
	j.write(entry{Call: message, Rank: to, From: from, Tag: d.Tag, Group: d.Group, Bytes: d.Bytes, At: d.Arrived})
}

// ReadJournal calls o as the Journal was called that wrote r.
func ReadJournal(r io.Reader, o Observer) error {
	in := gob.NewDecoder(r)
	for {
		var e entry
		switch err := in.Decode(&e); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading what was observed: %w", err)
		}
		e.tell(o)
	}
}

func (e *entry) tell(o Observer) {
	switch e.Call {
	case began:
		o.Began(e.Rank, e.Row, e.At)
	case ended:
		o.Ended(e.Rank, e.Row, e.At)
	case matched:
		o.Matched(e.Rank, e.Row, e.From, e.Tag, e.Group)
	case waited:
		o.Waited(e.Rank, Cause{Since: e.At, Flight: e.To, By: e.From})
	case span:
		o.Span(e.Rank, e.Part, e.At, e.To)
	case message:
		o.Message(e.From, e.Rank, &ReceivedMessage{e.Tag, e.Group, e.Bytes, e.At})
	}
}
