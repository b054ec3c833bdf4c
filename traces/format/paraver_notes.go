package format

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// prvOddities counts what was tolerated, guessed and left out.
type prvOddities struct {
	skewedLine int // the first of skewed

	early, skewed, threads, undeclared, unclosed, unopened, ungiven, bare, lateWaits, lateReceives int
	silent, rootless, exscans, scatters, blocking, unread                                          int

	nothing map[string]int // calls without events, by name
}

// without counts a call that became no event.
func (p *prvParser) without(call *prvCall) {
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
			all = append(all, plural(n, noun)+" "+rest)
		}
	}
	note(p.early, "record", "out of the order of time, taken all the same, the events not before what had been read")
	note(p.skewed, "message", fmt.Sprintf("received before being sent (the first at line %d): the clocks of the nodes differ", p.skewedLine))
	note(p.threads, "record", "of other threads than the first of a task: states and events are left out, messages are the task's")
	note(p.undeclared, "communicator", "used by collectives and not declared")
	note(p.unclosed, "MPI call", "without an end, ended where the next begins")
	note(p.unopened, "end", "of an MPI call without a beginning, ignored")
	note(p.ungiven, "MPI_Irecv", "without a message of its own, left out")
	note(p.bare, "side", "of a message in no MPI call, taken for a send or recv at its logical time")
	note(p.lateWaits, "request", "that no call waits for, waited for where the message has come or at the end")
	note(p.lateReceives, "MPI_Irecv", "not found, taken to be directly before its wait")
	note(p.silent, "task", "without states, taken to compute whenever in no MPI call")
	note(p.rootless, "collective", "whose root is not recorded")
	note(p.scatters, "MPI_Reduce_scatter", "taken for a reduce and a scatter")
	note(p.exscans, "MPI_Exscan", "taken for a scan")
	note(p.blocking, "non-blocking collective", "taken for the blocking one")
	note(int(p.globals), "record", "of global communication (4:), ignored as Paraver does")
	if p.messages > 0 && !p.ours {
		all = append(all, "messages have no communicator: all are taken for the world's, in the order in which they were sent")
	}
	return all
}

func (p *prvParser) facts() (all []string) {
	if n := len(p.header.apps); n > 1 {
		all = append(all, fmt.Sprintf("%d applications: their tasks are numbered one after the other", n))
	}
	if len(p.nothing) > 0 {
		var calls []string
		for _, name := range slices.Sorted(maps.Keys(p.nothing)) {
			calls = append(calls, fmt.Sprintf("%s %d", name, p.nothing[name]))
		}
		all = append(all, "calls that are no events: "+strings.Join(calls, ", "))
	}
	if p.unread > 0 {
		all = append(all, plural(p.unread, "event")+" of other types than MPI's ignored")
	}
	if p.calls.named > 0 {
		all = append(all, plural(p.calls.named, "kind")+" of MPI calls named by the labels in the .pcf")
	}
	return all
}
