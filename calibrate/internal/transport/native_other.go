//go:build !linux

package transport

import "spoor/calibrate/internal/host"

// Transport is a way to send messages.
type Transport struct {
	Name, What string
	Variant    bool
}

// Absent returns nil.
func (t Transport) Absent() error { return nil }

// All is empty: see host.Open.
var All []Transport

// Open fails: see host.Open.
func Open(Transport) (Bench, func() error, error) {
	_, err := host.Open()
	return nil, nil, err
}

// Other returns false.
func Other() (is bool, err error) { return false, nil }
