package observe

import (
	"reflect"
	"testing"
)

// A Span that begins within a computation divides it; the rest of it is later.
func TestInterrupted(t *testing.T) {
	var got said
	o := NewInterrupted(&got, 2)
	o.Span(0, Computing, 0, 10)
	o.Span(1, Overhead, 0, 5) // nothing divides it
	o.Span(0, Overhead, 4, 7)
	o.Span(0, Overhead, 5, 6) // comes within the interrupt before it
	o.Began(0, 0, 9)
	o.Ended(0, 0, 14)
	o.Began(0, 1, 14)
	o.Span(0, Overhead, 14, 16)
	o.Span(1, Computing, 5, 8)
	o.Waited(1, Cause{})
	o.Flush()
	want := said{"span 1 overhead 0 5", "span 0 ideal 0 4", "span 0 overhead 4 7", "span 0 overhead 7 8", "began 0 0 9", "ended 0 0 14", "span 0 ideal 8 14",
		"began 0 1 14", "span 0 overhead 14 16", "waited 1 {Since:0s Flight:0s By:0}", "span 1 ideal 5 8"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
