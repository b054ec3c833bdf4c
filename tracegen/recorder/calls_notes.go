package recorder

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// unknownThread is the number of a thread that was not seen to begin, as in preload.c.
const unknownThread = math.MaxUint64

// what is missing, after its count
const (
	missedJoins     = "joins of threads whose start was not seen are not recorded"
	missedUnlocks   = "releases of locks that the thread did not hold are not recorded"
	missedBarriers  = "calls of barriers whose size is not known are not recorded"
	missedCancelled = "barriers that were cancelled are not recorded"
	missedFutexes   = "waits by futex, of atomics or of locks of Rust, have the order of this run"
	missedSignals   = "signals of flags with too many signals are not recorded"
	missedForks     = "goroutines that the runtime started begin at once"
	missedHeld      = "waits of goroutines that hold mutexes release them in the trace"
	missedOutside   = "waits of goroutines for time, files or the network take no time"
	missedForeign   = "calls of Go by threads of C are not recorded"
)

// unfollowedCalls are the functions whose calls are only counted, as in preload.c. The next number is a wait by futex.
var unfollowedCalls = []string{"pthread_cancel", "OpenMP task", "OpenMP taskwait", "OpenMP taskloop", "OpenMP taskgroup", "OpenMP cancel",
	"OpenMP doacross", "GOMP_parallel_start"}

func (c *calls) unfollowed(function uint64) {
	if function == uint64(len(unfollowedCalls)) {
		c.missed[missedFutexes]++
		return
	}
	name := "unknown functions"
	if function < uint64(len(unfollowedCalls)) {
		name = unfollowedCalls[function]
	}
	c.missed["calls of "+name+" are not followed"]++
}

// notes says what could not be followed, with counts.
func (c *calls) notes() []string {
	var all []string
	for _, what := range slices.Sorted(maps.Keys(c.missed)) {
		all = append(all, fmt.Sprintf("%d %s", c.missed[what], what))
	}
	return all
}
