package outcome

import "fmt"

// Protocol decides how far workers go before they synchronize.
type Protocol string

// The protocols. The zero Protocol is Sequential.
const (
	Sequential Protocol = "sequential" // one worker
	Quantum    Protocol = "quantum"    // a window of a fixed length
	Whoa       Protocol = "whoa"       // until the first appointment that other workers have with the worker
)

// ParseProtocol returns the protocol with a name.
func ParseProtocol(name string) (Protocol, error) {
	switch p := Protocol(name); p {
	case Sequential, Quantum, Whoa:
		return p, nil
	}
	return "", fmt.Errorf("unknown engine %q; use %s, %s or %s", name, Sequential, Quantum, Whoa)
}

// Stats describes the work of an engine. It depends on the program, the protocol and the number of workers. It does
// not depend on the host or its timing.
type Stats struct {
	Protocol     Protocol // that ran; it may differ from the requested one
	Reason       string   // why it has one worker; empty if it could have several
	Workers      int
	Application  int    // workers that only ran the program
	Ahead        int    // F of Whoa
	Windows      uint64 // with Whoa, windows with lookahead; with Quantum or without lookahead, windows of a fixed length
	Barriers     uint64 // barriers at which workers exchanged messages
	Appointments uint64 // messages to other workers that Whoa found by looking ahead
	Remote       uint64 // packets from worker to worker, RTS and CTS included
}
