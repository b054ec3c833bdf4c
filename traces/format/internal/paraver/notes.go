package paraver

import (
	"fmt"
	"maps"
	"slices"
	"spoor/traces/internal/input"
	"strings"
)

// prvOddities counts the tolerated, guessed and omitted parts of a trace.
type prvOddities struct {
	skewedLine int // the first line of skewed

	early, skewed, threads, undeclared, unclosed, unopened, ungiven, bare, lateWaits, lateReceives int
	silent, rootless, exscans, scatters, blocking, unread                                          int

	nothing map[string]int // calls without events, by name
}

// countNoEvent counts a call that became no event.
func (p *prvParser) countNoEvent(call *prvCall) {
	name := p.calls.name(call.id)
	if name == "" {
		name = fmt.Sprintf("%d:%d", call.id.typ, call.id.value)
	}
	if len(p.nothing) < 100 || p.nothing[name] > 0 {
		p.nothing[name]++
	}
}

func (p *prvParser) notes() (all []string) {
	note := func(n int, noun, rest string) {
		if n > 0 {
			all = append(all, input.Plural(n, noun)+" "+rest)
		}
	}
	note(p.early, "record", "out of the order of time; imported, but no earlier than the events already read")
	note(p.skewed, "message", fmt.Sprintf("received before being sent (the first at line %d): the clocks of the nodes differ", p.skewedLine))
	note(p.threads, "record", "of threads other than the first of a task: states and events omitted, messages count for the task")
	note(p.undeclared, "communicator", "used by collectives but not declared")
	note(p.unclosed, "MPI call", "without an end, ended at the start of the next")
	note(p.unopened, "end", "of an MPI call without a beginning, ignored")
	note(p.ungiven, "MPI_Irecv", "without a message of its own, omitted")
	note(p.bare, "side", "of a message outside MPI calls, imported as a send or recv at its logical time")
	note(p.lateWaits, "request", "without a waiting call, completed at the arrival of the message or at the end")
	note(p.lateReceives, "MPI_Irecv", "not found, placed directly before its wait")
	note(p.silent, "task", "without states, assumed to compute when in no MPI call")
	note(p.rootless, "collective", "without a recorded root")
	note(p.scatters, "MPI_Reduce_scatter", "imported as a reduce and a scatter")
	note(p.exscans, "MPI_Exscan", "imported as a scan")
	note(p.blocking, "non-blocking collective", "imported as the blocking one")
	note(int(p.globals), "record", "of global communication (4:), ignored, as by Paraver")
	if p.messages > 0 && !p.ours {
		all = append(all, "messages have no communicator: all are imported in the world's, in the order in which they were sent")
	}
	return all
}

func (p *prvParser) facts() (all []string) {
	if n := len(p.header.apps); n > 1 {
		all = append(all, fmt.Sprintf("%d applications: their tasks are numbered consecutively", n))
	}
	if len(p.nothing) > 0 {
		var calls []string
		for _, name := range slices.Sorted(maps.Keys(p.nothing)) {
			calls = append(calls, fmt.Sprintf("%s %d", name, p.nothing[name]))
		}
		all = append(all, "calls that are not events: "+strings.Join(calls, ", "))
	}
	if p.unread > 0 {
		all = append(all, input.Plural(p.unread, "event")+" of other types than MPI's ignored")
	}
	if p.calls.named > 0 {
		all = append(all, input.Plural(p.calls.named, "kind")+" of MPI calls named by the labels in the .pcf")
	}
	return all
}
