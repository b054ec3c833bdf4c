package cluster

import (
	"errors"

	"spoor/analyze/locality"
)

// PassesMessages reports whether the program of r passes messages, and whether that is known. Parameters of older
// versions do not tell.
func (r *Run) PassesMessages() (passes, known bool) {
	p, known := r.Params.Lookup(locality.MessagesParam)
	return p.Value != 0, known
}

// ErrMessages is the warning of predictions for programs that pass messages.
var ErrMessages = errors.New("the program passes messages, and their time is not part of the prediction")

// messagesWarning returns ErrMessages if a run of c passes messages.
func (c *Case) messagesWarning() []error {
	for _, r := range c.Runs {
		if passes, _ := r.PassesMessages(); passes {
			return []error{ErrMessages}
		}
	}
	return nil
}
