package memsys

import (
	"spoor/predict/internal/calendar"
	"spoor/traces/unit"
)

// server does one thing at a time, such as the memory of a node. Requests come in the order of transactions, not of
// the times at which they reach the server.
type server struct{ calendar.Calendar }

// reserve holds the server for a time, not before at, and returns when that begins. A request that takes no time also
// waits for requests in progress. Later requests are not before settled.
func (s *server) reserve(at, hold, settled unit.Picos) (start unit.Picos) {
	start = s.Fit(at, max(1, hold))
	s.Reserve(calendar.Span{From: start, To: start + hold}, settled)
	return start
}
