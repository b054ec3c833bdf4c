package engine

import (
	"fmt"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
)

// DefaultAhead is the number of operations that Whoa looks ahead if F is not given. See appointment.Backoff.
const DefaultAhead = 64

// driversFor returns a driver for each worker. It sets the defaults in opt.
func driversFor(opt *Options, ranks int) ([]driver, error) {
	width, application := opt.Model.Lookahead(), opt.Application
	opt.Application = 0
	if opt.Protocol == "" {
		opt.Protocol = outcome.Sequential
	}
	if opt.Ahead == 0 {
		opt.Ahead, opt.adaptive = DefaultAhead, true
	}
	if opt.Quantum < 0 || opt.Workers < 0 || opt.Ahead < 0 || application < 0 {
		return nil, fmt.Errorf("the quantum is %v, the workers %d and %d, the operations ahead %d; none may be negative", opt.Quantum, opt.Workers, application, opt.Ahead)
	}
	if opt.CoSimulator != nil {
		opt.Protocol = outcome.Sequential
		return []driver{&sequentialDriver{}}, nil
	}
	if opt.Protocol == outcome.Sequential || sequentialReason(&opt.Model) != "" {
		return []driver{driverFor(&opt.Model)}, nil
	}
	if opt.Protocol == outcome.Quantum && opt.Quantum > 0 {
		if opt.Quantum > width {
			return nil, fmt.Errorf("the quantum %v is %v longer than the lookahead, %v; use a quantum of at most the lookahead, or messages arrive too late", opt.Quantum, opt.Quantum-width, width)
		}
		width = opt.Quantum
	}
	var all []driver
	for range max(1, min(opt.Workers, ranks)) {
		all = append(all, newWindows(width))
	}
	if _, is := opt.Direct.(program.Concurrent); is {
		opt.Application = min(application, ranks)
	}
	for range opt.Application {
		all = append(all, newWindows(width))
	}
	return all, nil
}

// sequentialReason returns why a model needs a single worker, or "" if it can use several.
func sequentialReason(m *cost.Model) string {
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
