package session

import (
	"errors"
	"fmt"
	"os"

	"spoor/tracegen/spmd"
)

// served carries out the order that this process was started with; it is nil if there is none.
var served = serve()

// serve makes spmd.Main carry out the order of this process, and send the result through the pipe.
func serve() *server {
	s, err := newServer()
	if err != nil {
		fmt.Fprintln(os.Stderr, "spoor:", err)
		os.Exit(1)
	}
	if s != nil {
		spmd.OnMain(s.run)
	}
	return s
}

// RunBy makes the order be carried out by another function, which simulates the program instead of recording it. It
// does nothing in a process without an order. Call it before main starts.
func RunBy(simulate func(*Order, spmd.Program) (Result, error)) {
	if served != nil {
		served.execute = simulate
	}
}

type server struct {
	order   *Order
	execute func(*Order, spmd.Program) (Result, error)
	out     *writer
	ran     bool
}

// newServer returns a server for the order of this process, or nil if there is none.
func newServer() (*server, error) {
	order, err := readOrder()
	if err != nil || order == nil {
		return nil, err
	}
	pipe, err := inheritedPipe(order.FD)
	if err != nil {
		return nil, err
	}
	s := &server{order: order, out: &writer{w: pipe}}
	s.execute = s.record
	return s, nil
}

var errCalledTwice = errors.New("spmd.Main was called twice; a recording has one run")

// run is spmd.Main under the order. If an error was sent, the other end prints it.
func (s *server) run(program spmd.Program) error {
	if s.ran {
		return errCalledTwice
	}
	s.ran = true
	result, err := s.execute(s.order, program)
	if err != nil {
		result.Error = err.Error()
	}
	if sendErr := s.out.result(result); sendErr != nil {
		return errors.Join(err, sendErr)
	}
	if err != nil {
		os.Exit(1)
	}
	return nil
}
