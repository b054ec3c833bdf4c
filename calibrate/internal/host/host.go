// Package host takes samples of times on hosts that other programs and virtual machines disturb.
//
// Its rules follow from measurements of such hosts:
//
//   - Threads are pinned, the garbage collector is off, and memory is touched before it is timed.
//   - The distance between two virtual processors changes within seconds. Before every sample a sentinel is taken: the
//     least of 12 round trips of one byte between them. Sentinels divide samples into states afterwards.
//   - Other work takes the processor away. Samples with involuntary context switches are rejected. The least of the
//     others counts: 15 samples or more, until the three smallest agree within 1 %.
//   - A host is refused if more than a fifth of the time is stolen.
//   - Points are visited in shuffled order, and all of them in each of several launches. A launch has the same pages
//     for all its samples.
//
// Host is an interface, so that tests can use simulated hosts with known properties.
package host

import (
	"fmt"

	"spoor/traces/unit"
)

// Host is a computer on which samples are taken. All calls come from one goroutine.
type Host interface {
	// Now returns the time since an arbitrary moment.
	Now() unit.Seconds
	// Sentinel returns the least of 12 round trips of one byte to another processor; 0 if none is answered in
	// time.
	Sentinel() unit.Seconds
	// Switches returns the number of involuntary context switches so far.
	Switches() int64
	// Watch reads the clock continuously for about d. It returns how long it did so, and the part of it that was
	// stolen.
	Watch(d unit.Seconds) (watched, stolen unit.Seconds)
}

// Trial is a prepared experiment. It runs once, and returns the time of one operation.
type Trial func() unit.Seconds

// Sample is one run of a trial.
type Sample struct {
	Point, Launch, Rep int
	Sentinel           unit.Seconds // just before; 0: no answer
	Time               unit.Seconds
	At                 unit.Seconds // start of the sample
	Disturbed          bool         // with an involuntary context switch
}

// TooNoisyError is the error of a host that is too disturbed for a measurement.
type TooNoisyError struct{ What string }

// Error gives the numbers.
func (e *TooNoisyError) Error() string {
	return fmt.Sprintf("too noisy: %s; no parameters", e.What)
}
