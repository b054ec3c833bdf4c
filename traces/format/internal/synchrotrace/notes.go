package synchrotrace

import (
	"fmt"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
)

// syncTally holds the counts of an import.
type syncTally struct {
	all                       uint64 // lines
	tokens                    [256]uint64
	calls                     [len(syncAPI)]uint64
	threadNames, barrierNames uint64
	instructions              uint64 // counted by markers
	operations                uint64
	counted                   uint64 // reads and writes counted by the events
	ranges, split, foreign    uint64
	nested, stillHeld         uint64 // mutexes
	unnamed                   uint64 // threads without a name or a file
	partial                   uint64 // barriers of only some of the threads
	reads, writes             []syncRange
}

func (t *syncTally) counts() (all []format.Count) {
	for _, token := range "@#^!" {
		all = append(all, format.Count{Name: string(token), N: t.tokens[token]})
	}
	all = append(all, format.Count{Name: "##", N: t.threadNames}, format.Count{Name: "**", N: t.barrierNames})
	for i, name := range syncAPI {
		if t.calls[i] > 0 {
			all = append(all, format.Count{Name: name, N: t.calls[i]})
		}
	}
	return append(all, format.Count{Name: "instructions of markers", N: t.instructions}, format.Count{Name: "operations", N: t.operations},
		format.Count{Name: "reads and writes", N: t.counted}, format.Count{Name: "ranges", N: t.ranges})
}

// notes returns the approximations, changes and omissions.
func (p *syncParser) notes(threads []syncThread) (all []string) {
	add := func(n uint64, format string, args ...any) {
		if n > 0 {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	count := func(n uint64, noun string) string { return input.Plural(int(n), noun) }
	add(1, "an approximation: %s of addresses (%d reads and writes) stored as one reference each, reads before writes",
		count(p.ranges, "range"), p.counted)
	add(1, "%s counted as instructions (the markers count %d)", count(p.operations, "operation"), p.instructions)
	add(p.split, "%s over 65535 bytes split into references of %d", count(p.split, "range"), syncPiece)
	add(p.foreign, "%s written by other threads stored as loads, which do not wait for the writes", count(p.foreign, "range"))
	add(p.calls[6], "%s for a condition stored as unlock, wait for a flag and lock", count(p.calls[6], "wait"))
	add(p.calls[8], "%s stored as signals", count(p.calls[8], "broadcast"))
	add(p.calls[12]+p.calls[13], "%s and %s of semaphores stored as waits for a flag and signals", count(p.calls[12], "wait"), count(p.calls[13], "post"))
	add(p.calls[11]+p.calls[14]+p.calls[15], "%s that make, read or destroy a semaphore omitted", count(p.calls[11]+p.calls[14]+p.calls[15], "call"))
	add(p.nested, "%s of a mutex that the thread already held omitted", count(p.nested, "lock"))
	add(p.stillHeld, "mutexes still locked at the end of their thread: %d", p.stillHeld)
	add(p.unnamed, "unknown: %s created or joined without an address in sigil.pthread.out, or without a file", count(p.unnamed, "thread"))
	add(p.partial, "%s of only some threads (sigil.pthread.out), stored with a group of their own", count(p.partial, "barrier call"))
	if len(p.names) == 0 {
		all = append(all, "no sigil.pthread.out: created threads and the members of barriers are unknown")
	}
	for i, t := range threads {
		if t.number != uint64(i+1) {
			all = append(all, fmt.Sprintf("threads are missing: processor %d is thread %d", int(p.o.FirstProc)+i, t.number))
			break
		}
	}
	return all
}
