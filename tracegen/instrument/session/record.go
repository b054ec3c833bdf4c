package session

import (
	"context"
	"runtime"

	"spoor/tracegen/spmd"
)

// record records the program, or runs it at full speed.
func (s *server) record(order *Order, program spmd.Program) (result Result, err error) {
	ctx := context.Background() // interrupts end the process
	if order.Native {
		timed := spmd.Timed
		if order.Compute {
			timed = spmd.Computed
		}
		took, err := timed(ctx, order.Procs, program)
		result.Seconds = took.Seconds()
		return result, err
	}
	before := collections()
	result.Recording, err = spmd.Record(ctx, order.Options, program, s.out)
	result.Collections = collections() - before
	return result, err
}

// collections returns how often the garbage collector has run.
func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}
