package timeline

import "spoor/traces/internal/format"

// States lists the names, and the numbers for Paraver. They are Extrae's numbers if it
// has such a state, because viewers choose colors by them.
var States = [...]struct {
	Name    string
	Paraver int64
	Label   string
}{format.StateCompute: {"compute", 1, "Running"}, format.StateOverhead: {"overhead", 7, "Overhead of messages"}, format.StateLatency: {"latency", 3, "Waiting a message on its way"},
	format.StateContention: {"contention", 15, "Waiting for ports or links"}, format.StateWait: {"wait", 9, "Blocked, message not sent yet"}}
