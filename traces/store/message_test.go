package store

import (
	"bytes"
	"testing"
)

// A frame of ours that the library reads otherwise is never written.
func TestReadsBack(t *testing.T) {
	e := newEncoder()
	column := bytes.Repeat([]byte{1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}, 5000)
	frame, ok := e.few.Append(nil, column, 4)
	if !ok || !e.readsBack(frame, column) {
		t.Fatal("a good frame is refused")
	}
	for cut := range frame {
		if e.readsBack(frame[:cut], column) {
			t.Errorf("a frame cut at byte %d is taken for a whole one", cut)
		}
	}
	other := bytes.Clone(column)
	other[4*777] ^= 2
	if e.readsBack(frame, other) {
		t.Error("one changed element is not noticed")
	}
	if e.readsBack(frame, column[:len(column)-4]) {
		t.Error("a longer column is taken for a shorter one")
	}
}
