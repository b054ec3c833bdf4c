package appointment

import "testing"

// Messages are appointments once their operations are known.
func TestQueue(t *testing.T) {
	var q Queue
	if q.First() != nil || q.UntilNext(0, 0) != Never {
		t.Error("an empty queue has a message")
	}
	q.Add(Message{Row: 3, Begin: 50})
	q.Add(Message{Row: 5, Begin: 80})
	if q.UntilNext(0, 0) != Never {
		t.Error("an unknown message is an appointment")
	}
	if n := q.Reveal(4, 0); n != 1 || q.UntilNext(0, 20) != 30 {
		t.Errorf("%d messages, %v until the first; want 1 and 30 ps", n, q.UntilNext(0, 20))
	}
	q.Reveal(9, 0)
	if got := q.UntilNext(4, 20); got != 60 || q.First().Row != 5 {
		t.Errorf("%v until the message of row 5, want 60 ps", got)
	}
	if got := q.UntilNext(4, 90); got != 0 {
		t.Errorf("%v until a message that is due, want 0", got)
	}
}
