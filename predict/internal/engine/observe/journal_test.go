package observe

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"spoor/traces/unit"
)

// said lists calls as text.
type said []string

func (s *said) add(format string, values ...any) { *s = append(*s, fmt.Sprintf(format, values...)) }

func (s *said) Began(rank int32, row int64, at unit.Picos) { s.add("began %d %d %d", rank, row, at) }

func (s *said) Ended(rank int32, row int64, at unit.Picos) { s.add("ended %d %d %d", rank, row, at) }

func (s *said) Matched(rank int32, row int64, from, tag, group int32) {
	s.add("matched %d %d %d %d %d", rank, row, from, tag, group)
}

func (s *said) Waited(rank int32, why Cause) { s.add("waited %d %+v", rank, why) }

func (s *said) Span(rank int32, what Part, from, to unit.Picos) {
	s.add("span %d %v %d %d", rank, what, from, to)
}

func (s *said) Message(from, to int32, d *ReceivedMessage) { s.add("message %d %d %+v", from, to, *d) }

// What is read is what was written, in the same order.
func TestJournal(t *testing.T) {
	var file bytes.Buffer
	var direct, read said
	journal := NewJournal(&file)
	for _, o := range []Observer{&direct, journal} {
		o.Began(1, 2, 3)
		o.Span(4, Contention, 5, 6)
		o.Waited(7, Cause{Since: 8, Flight: 9, By: -1})
		o.Matched(10, 11, 12, 13, 14)
		o.Message(15, 16, &ReceivedMessage{17, 18, 19, 20})
		o.Ended(0, 0, 21)
	}
	if err := journal.Err(); err != nil {
		t.Fatal(err)
	}
	if err := ReadJournal(bytes.NewReader(file.Bytes()), &read); err != nil || !reflect.DeepEqual(read, direct) {
		t.Errorf("%v: read %q, want %q", err, read, direct)
	}
	cut := file.Bytes()[:file.Len()-1]
	if err := ReadJournal(bytes.NewReader(cut), &read); err == nil || !strings.Contains(err.Error(), "reading what was observed") {
		t.Errorf("a cut journal: %v", err)
	}
}
