package engine

import (
	"context"
	"errors"
	"testing"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// An interrupt ends a run soon, also while one rank acts alone or takes no time.
func TestInterrupts(t *testing.T) {
	const soon = 1000 // operations
	for name, m := range map[string]cost.Model{"loggp": loggp(), "loggopsim": loggopsim(), "links": sharing(t, "bus", 3, "")} {
		t.Run(name, func(t *testing.T) {
			for _, long := range []unit.Picos{0, 1} {
				for _, ranks := range []int{1, 3} {
					for _, p := range []outcome.Protocol{outcome.Sequential, outcome.Quantum, outcome.Whoa} {
						ctx, interrupt := context.WithCancel(t.Context())
						rendezvousAfter := 0
						all := []program.Program{{Next: func() (program.Ops, error) {
							switch rendezvousAfter++; rendezvousAfter {
							case soon:
								interrupt()
							case 10 * soon:
								return program.Ops{}, errors.New("it goes on")
							}
							return program.Pack(work(long)), nil
						}}}
						for len(all) < ranks {
							all = append(all, programs([][]program.Op{{recv(0)}}, 0)...)
						}
						_, err := Run(ctx, all, Options{Model: m, Protocol: p, Workers: ranks})
						if !errors.Is(err, context.Canceled) || rendezvousAfter > 2*soon {
							t.Errorf("%s, %d ranks, work of %d ps, %s: %v, after %d operations", name, ranks, long, p, err, rendezvousAfter)
						}
					}
				}
			}
		})
	}
}
