// Package session makes a program that tracegen has built and started do as it was
// told: spmd.Main records, or runs at full speed and is timed. A file that imports
// it is added to the user's main package through the build overlay; in a program
// that was not started by tracegen it does nothing.
package session

import (
	"context"

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
	result.Recording, err = spmd.Record(ctx, order.Options, program, out)
	return result, err
}
