package engine

import (
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
)

// withLocks returns opt with an Observer and Steps that several workers may call.
func withLocks(opt Options) Options {
	s := &observe.Locked{Observer: opt.Observer}
	if opt.Observer != nil {
		opt.Observer = s
	}
	if steps := opt.Steps; steps != nil {
		opt.Steps = func(rank int32, op *program.Op) ([]program.Step, error) {
			s.Lock()
			defer s.Unlock()
			return steps(rank, op)
		}
	}
	return opt
}
