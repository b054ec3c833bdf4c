package wire

import (
	"errors"
	"fmt"
	"os"

	"spoor/tracegen/spmd"
)

// RunOrder runs the program of a process as the order says.
type RunOrder func(order *Order, program spmd.Program, out *Writer) (Result, error)

// Serve makes spmd.Main carry out the order that this process was started with, and send the result through the
// pipe. It does nothing in a process without an order.
func Serve(execute RunOrder) {
	s, err := newServer(execute)
	if err != nil {
		fmt.Fprintln(os.Stderr, "spoor:", err)
		os.Exit(1)
	}
	if s != nil {
		spmd.OnMain(s.run)
	}
}

type server struct {
	order    *Order
	runOrder RunOrder
	out      *Writer
	ran      bool
}

// newServer returns a server for the order of this process, or nil if there is none.
func newServer(execute RunOrder) (*server, error) {
	order, err := ReadOrder()
	if err != nil || order == nil {
		return nil, err
	}
	pipe, err := inheritedPipe(order.FD)
	if err != nil {
		return nil, err
	}
	return &server{order: order, runOrder: execute, out: NewWriter(pipe)}, nil
}

var errCalledTwice = errors.New("spmd.Main was called twice; a recording has one run")

// run is spmd.Main under the order. If an error was sent, the other end prints it.
func (s *server) run(program spmd.Program) error {
	if s.ran {
		return errCalledTwice
	}
	s.ran = true
	result, err := s.runOrder(s.order, program, s.out)
	if err != nil {
		result.Error = err.Error()
	}
	if sendErr := s.out.Result(result); sendErr != nil {
		return errors.Join(err, sendErr)
	}
	if err != nil {
		os.Exit(1)
	}
	return nil
}
