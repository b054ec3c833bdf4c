// Package session makes a program that tracegen has built and started do as it was
// told: spmd.Main records, or runs at full speed and is timed. A file that imports
// it is added to the user's main package through the build overlay; in a program
// that was not started by tracegen it does nothing.
package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"spoor/tracegen/instrument/wire"
	"spoor/tracegen/spmd"
)

func init() {
	order, err := wire.Ordered()
	if err != nil {
		fmt.Fprintln(os.Stderr, "spoor:", err)
		os.Exit(1)
	}
	if order == nil {
		return
	}
	syscall.CloseOnExec(order.FD) // the pipe ends when this process does
	s := &session{order: *order, out: wire.NewWriter(os.NewFile(uintptr(order.FD), "recording"))}
	spmd.OnMain(s.run)
}

type session struct {
	order wire.Order
	out   *wire.Writer
	ran   bool
}

var errTwice = errors.New("spmd.Main was called a second time; a recording is of one run")

// run is spmd.Main under the order. An error that tracegen was told of is for
// tracegen to print.
func (s *session) run(program spmd.Program) error {
	if s.ran {
		return errTwice
	}
	s.ran = true
	result, err := s.execute(program)
	if err != nil {
		result.Error = err.Error()
	}
	if untold := s.out.Result(result); untold != nil {
		return errors.Join(err, untold)
	}
	if err != nil {
		os.Exit(1)
	}
	return nil
}

func (s *session) execute(program spmd.Program) (result wire.Result, err error) {
	ctx := context.Background() // interrupts end the process
	if s.order.Native {
		start := time.Now()
		err = spmd.Native(ctx, s.order.Procs, program)
		result.Seconds = time.Since(start).Seconds()
		return result, err
	}
	result.Recording, err = spmd.Record(ctx, s.order.Options, program, s.out)
	return result, err
}
