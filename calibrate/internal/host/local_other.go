//go:build !linux

package host

import (
	"errors"
	"sync/atomic"

	"spoor/traces/unit"
)

// Local is this host. Only Linux can be measured.
type Local struct{ CPU, Peer int }

var errOnlyLinux = errors.New("measuring needs pinned threads and works on Linux only; calibrate fit works everywhere")

// Open fails.
func Open() (*Local, error) { return nil, errOnlyLinux }

// OpenAlone fails.
func OpenAlone() (*Local, error) { return nil, errOnlyLinux }

// RoundTrips is never called.
func (*Local) RoundTrips(_, _ *atomic.Uint32) unit.Seconds { return 0 }

// Pin fails.
func Pin(int) error { return errOnlyLinux }

// Allowed fails.
func Allowed() ([]int, error) { return nil, errOnlyLinux }

// Close has nothing to do.
func (*Local) Close() error { return nil }

// Now is never called.
func (*Local) Now() unit.Seconds { return 0 }

// Time is never called.
func (*Local) Time(func()) unit.Seconds { return 0 }

// Sentinel is never called.
func (*Local) Sentinel() unit.Seconds { return 0 }

// Switches is never called.
func (*Local) Switches() int64 { return 0 }

// Watch is never called.
func (*Local) Watch(unit.Seconds) (watched, stolen unit.Seconds) { return 0, 0 }
