package wire

import (
	"errors"
	"fmt"
	"os"

	"spoor/tracegen/spmd"
)

// Execute runs the program of a process as it was ordered.
type Execute func(order *Order, program spmd.Program, out *Writer) (Result, error)

// Serve makes spmd.Main execute the order that this process was started with, and send the result
// through the pipe. In a process that was started by hand it does nothing.
func Serve(execute Execute) {
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
	order   *Order
	execute Execute
	out     *Writer
	ran     bool
}

// newServer is for the order that this process was started with, or nil if there is none.
func newServer(execute Execute) (*server, error) {
	order, err := Ordered()
	if err != nil || order == nil {
		return nil, err
	}
	pipe, err := inherited(order.FD)
	if err != nil {
		return nil, err
	}
	return &server{order: order, execute: execute, out: NewWriter(pipe)}, nil
}

var errTwice = errors.New("spmd.Main was called a second time; a recording is of one run")

// run is spmd.Main under the order. An error that was sent is for the other end to print.
func (s *server) run(program spmd.Program) error {
	if s.ran {
		return errTwice
	}
	s.ran = true
	result, err := s.execute(s.order, program, s.out)
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
