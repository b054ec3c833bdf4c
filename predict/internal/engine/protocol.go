package engine

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

// DefaultAhead is the number of operations that Whoa looks ahead if F is not given. See lookaheadBackoff.
const DefaultAhead = 64

// Stats describes the work of an engine. It depends on the program, the protocol and the number of workers. It does
// not depend on the host or its timing.
type Stats struct {
	Protocol     Protocol // that ran; it may differ from the requested one
	Reason       string   // why it has one worker; empty if it could have several
	Workers      int
	Ahead        int    // F of Whoa
	Windows      uint64 // with Whoa, windows with lookahead; with Quantum or without lookahead, windows of a fixed length
	Barriers     uint64 // barriers at which workers exchanged messages
	Appointments uint64 // messages to other workers that Whoa found by looking ahead
	Remote       uint64 // packets from worker to worker, RTS and CTS included
}

// driversFor returns a driver for each worker. It sets the defaults in opt.
func driversFor(opt *Options, ranks int) ([]driver, error) {
	width := opt.Model.Lookahead()
	if opt.Protocol == "" {
		opt.Protocol = Sequential
	}
	if opt.Ahead == 0 {
		opt.Ahead, opt.adaptive = DefaultAhead, true
	}
	if opt.Quantum < 0 || opt.Workers < 0 || opt.Ahead < 0 {
		return nil, fmt.Errorf("the quantum is %v, the workers %d, the operations ahead %d; none may be negative", opt.Quantum, opt.Workers, opt.Ahead)
	}
	if opt.CoSimulator != nil {
		opt.Protocol = Sequential
		return []driver{&sequentialDriver{}}, nil
	}
	if opt.Protocol == Sequential || sequentialReason(&opt.Model) != "" {
		return []driver{driverFor(&opt.Model)}, nil
	}
	if opt.Protocol == Quantum && opt.Quantum > 0 {
		if opt.Quantum > width {
			return nil, fmt.Errorf("the quantum %v is %v longer than the lookahead, %v; use a quantum of at most the lookahead, or messages arrive too late", opt.Quantum, opt.Quantum-width, width)
		}
		width = opt.Quantum
	}
	var all []driver
	for range max(1, min(opt.Workers, ranks)) {
		all = append(all, newWindows(width))
	}
	return all, nil
}

// sequentialReason returns why a model needs a single worker, or "" if it can use several.
func sequentialReason(m *Model) string {
	switch {
	case m.Net != nil:
		return "all messages share its network in the order of sending"
	case m.Shared != nil:
		return "messages in flight share its links"
	case m.Lookahead() < leastWidth:
		return fmt.Sprintf("its lookahead is too short (%v)", m.Lookahead())
	}
	return ""
}
