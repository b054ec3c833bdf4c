// Package memsys simulates the memory systems of shared-memory machines. It computes the cost of each reference and
// its effect on all caches.
//
// A system, see package touch, knows lines but not programs. The caller, which replays a trace, decides the order and time of the
// references (see predict/internal/replay). Costs are separated as in SPASM [sivasubramaniam1995, sec. 2]. Latency is the time
// of an access on an idle machine in addition to a hit. Contention is the time that an access waits for resources
// that other traffic holds. That includes earlier traffic of the same processor.
//
// The caches are Copies of analyze/cache, not its hierarchies, which count misses and have no time. A line has a
// permission, which other processors change at any time. A replay asks which of the next references hit before it
// performs them.
// The protocol is not that of analyze/phases either, which simulates all associativities at once, without time.
package memsys

import "spoor/predict/internal/memsys/touch"

// A Target builds systems of one kind.
type Target interface {
	// Name returns the name of the target in machine files.
	Name() string
	// New returns an empty system of c, or an error if c is not valid for the target.
	New(c Config) (touch.System, error)
}

// All lists every target.
var All = []Target{SMP{}, COW{}, CLUMP{}, CCNUMA{}, LogP{}, CLogP{}, Dir1SW{}, PRAM{}}
