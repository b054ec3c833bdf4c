package memsys

import (
	"spoor/predict/calendar"
	"spoor/traces/unit"
)

// server does one thing at a time, such as the memory of a node. What it is asked for comes in the
// order of transactions, not of the times when they reach it.
type server struct{ calendar.Calendar }

// take holds the server for so long, not before at, and says from when. What takes no time waits for what
// is under way, too. Nothing will be asked about times before settled.
func (s *server) reserve(at, hold, settled unit.Picos) (start unit.Picos) {
	start = s.Fit(at, max(1, hold))
	s.Take(calendar.Span{From: start, To: start + hold}, settled)
	return start
}
