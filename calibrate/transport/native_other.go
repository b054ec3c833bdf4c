//go:build !linux

package transport

import "spoor/calibrate/host"

// Transport is a way for messages.
type Transport struct{ Name, What string }

// Absent is nil.
func (t Transport) Absent() error { return nil }

// All are none: see host.Open.
var All []Transport

// Open fails: see host.Open.
func Open(Transport) (Bench, func() error, error) {
	_, err := host.Open()
	return nil, nil, err
}

// Other is false.
func Other() (is bool, err error) { return false, nil }
