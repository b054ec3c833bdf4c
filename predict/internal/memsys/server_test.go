package memsys

import "testing"

// TestServer: what takes no time waits until the server is free, but holds it for nobody.
func TestServer(t *testing.T) {
	var s server
	if got := s.reserve(10, 5, 0); got != 10 {
		t.Errorf("starts at %d", got)
	}
	if got := s.reserve(10, 0, 0); got != 15 {
		t.Errorf("nothing starts at %d, want 15", got)
	}
	if got := s.reserve(15, 5, 0); got != 15 || s.Busy != 10 || s.End != 20 {
		t.Errorf("starts at %d, busy for %d until %d", got, s.Busy, s.End)
	}
}
