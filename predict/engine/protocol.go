package engine

import "fmt"

// Protocol is how far workers go before they meet.
type Protocol string

// The protocols. The zero Protocol is Sequential.
const (
	Sequential Protocol = "sequential" // there is one worker
	Quantum    Protocol = "quantum"    // a window of a fixed length
	Whoa       Protocol = "whoa"       // the first appointment that others have with them
)

// ParseProtocol is the protocol of that name.
func ParseProtocol(name string) (Protocol, error) {
	switch p := Protocol(name); p {
	case Sequential, Quantum, Whoa:
		return p, nil
	}
	return "", fmt.Errorf("no engine %q; there are %s, %s, %s", name, Sequential, Quantum, Whoa)
}

// DefaultAhead is how many operations Whoa looks ahead if nothing else is said, where that pays: see pays.
const DefaultAhead = 64

// Stats is what an engine did. It is that of the program, the protocol and the number of workers: not of
// the host, and not of time.
type Stats struct {
	Protocol     Protocol // that ran, which may be another one than was asked for
	Reason       string   // why it has one worker, whatever was asked for; empty if it could have several
	Workers      int
	Ahead        int    // F, of Whoa
	Windows      uint64 // in which all that workers send to each other was known; of a Quantum, and where Whoa does not look ahead, those of a fixed length
	Barriers     uint64 // of workers, to exchange messages
	Appointments uint64 // with other workers: what was seen ahead that rank of them may be sent
	Remote       uint64 // messages from worker to worker, with requests for long ones and answers
}

// driversFor are a driver for each worker. opt becomes what there really is.
func driversFor(opt *Options, ranks int) ([]driver, error) {
	width := opt.Model.Lookahead()
	if opt.Protocol == "" {
		opt.Protocol = Sequential
	}
	if opt.Ahead == 0 {
		opt.Ahead, opt.adaptive = DefaultAhead, true
	}
	if opt.Quantum < 0 || opt.Workers < 0 || opt.Ahead < 0 {
		return nil, fmt.Errorf("a quantum of %v, %d workers, %d operations ahead: none may be negative", opt.Quantum, opt.Workers, opt.Ahead)
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
			return nil, fmt.Errorf("a quantum of %v is %v longer than the lookahead, %v: messages would come too late", opt.Quantum, opt.Quantum-width, width)
		}
		width = opt.Quantum
	}
	var all []driver
	for range max(1, min(opt.Workers, ranks)) {
		all = append(all, newWindows(width))
	}
	return all, nil
}

// parallel is why a model has no use for several workers, if it has none.
func sequentialReason(m *Model) string {
	switch {
	case m.Net != nil:
		return "its network is shared by all messages, in the order in which they are sent"
	case m.Shared != nil:
		return "its links are shared by all messages that are on their way"
	case m.Lookahead() < leastWidth:
		return fmt.Sprintf("its lookahead is next to nothing (%v)", m.Lookahead())
	}
	return ""
}
