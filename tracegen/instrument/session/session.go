// Package session carries out tracegen's order in a program that tracegen has built and started: spmd.Main records, or
// runs at full speed and is timed. The build overlay adds a file that imports this package to the user's main package.
// In a program that was not started by tracegen, the package does nothing.
package session

import (
	"context"
	"runtime"

	"spoor/tracegen/instrument/wire"
	"spoor/tracegen/spmd"
)

func init() { wire.Serve(execute) }

func execute(order *wire.Order, program spmd.Program, out *wire.Writer) (result wire.Result, err error) {
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
	result.Recording, err = spmd.Record(ctx, order.Options, program, out)
	result.Collections = collections() - before
	return result, err
}

// collections returns how often the garbage collector has run.
func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}
