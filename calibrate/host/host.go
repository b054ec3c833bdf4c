// Package host is the discipline of measuring on a machine that does not hold still.
//
// What is known of such machines decides what is done here:
//
//   - Threads are pinned, nothing is collected, and memory is touched before it is timed.
//   - The distance between two virtual processors changes within seconds. Before every sample the least of 12 round
//     trips of one byte between them is taken, the sentinel; afterwards samples are divided into states by it.
//   - Other work takes the processor away. Samples in which the kernel did so are rejected, and of the rest
//     the least counts: 15 samples or more, until the three smallest agree within 1 %.
//   - A host that is stolen for more than a fifth of the time is refused.
//   - Points are visited in shuffled order, and all of them in each of several launches, since what a launch got,
//     such as its pages, is the same for all its samples.
//
// Host is an interface, so that all of this can be held to hosts whose every property is known.
package host

import (
	"fmt"

	"spoor/traces/unit"
)

// Host is where samples are taken. All calls come from one goroutine.
type Host interface {
	// Now is the time since some moment.
	Now() unit.Seconds
	// Sentinel is the least of 12 round trips of one byte to another processor; 0 if none answers in time.
	Sentinel() unit.Seconds
	// Switches is how often the kernel has taken the processor away so far.
	Switches() int64
	// Watch looks at the clock for about so long, and says for how long it looked and was kept from looking.
	Watch(d unit.Seconds) (watched, stolen unit.Seconds)
}

// Trial is an experiment that is ready to run: it runs once, and says how long an operation of it took.
type Trial func() unit.Seconds

// Sample is one run of a trial.
type Sample struct {
	Point, Launch, Rep int
	Sentinel           unit.Seconds // just before; 0 if nobody answered
	Time               unit.Seconds
	At                 unit.Seconds // when it was taken
	Disturbed          bool         // the processor was taken away meanwhile
}

// TooNoisyError is the error of a host on which nothing can be measured.
type TooNoisyError struct{ What string }

// Error has the numbers.
func (e *TooNoisyError) Error() string {
	return fmt.Sprintf("too noisy: %s; no parameters", e.What)
}
