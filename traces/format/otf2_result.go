package format

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// otf2Notices counts what an import guesses, tolerates or leaves out.
type otf2Notices struct {
	ticks       bool
	sent        uint64 // bytes of messages, sends
	exchanges   int
	late        int
	cancelled   int
	later       int
	dropped     int
	sizeless    int
	substitutes map[string]int
}

func (n *otf2Notices) taken(what string) {
	if n.substitutes == nil {
		n.substitutes = map[string]int{}
	}
	n.substitutes[what]++
}

// finish ends all ranks.
func (p *otf2Parser) finish() (Result, error) {
	switch {
	case p.section != otf2Events && p.events == 0:
		return Result{}, p.fail(nil, "end of file before the line === Events", "print the events of the archive with otf2-print -A")
	case p.events == 0:
		return Result{}, p.fail(nil, "end of file after no events", "is the archive empty, or limited with -L or --time?")
	}
	if err := p.endLocations(); err != nil {
		return Result{}, err
	}
	for i := range p.ranks {
		if p.ranks[i] == nil {
			continue
		}
		if err := p.ranks[i].finish(); err != nil {
			return Result{}, err
		}
	}
	procs := max(len(p.ranks), len(p.members))
	if procs == 0 {
		return Result{}, p.fail(nil, "no location is a process", "print the archive with otf2-print -A")
	}
	unmatched, err := p.c.finish(procs)
	if err != nil {
		return Result{}, err
	}
	counts := p.counts()
	return Result{Procs: procs, Lines: uint64(p.line), Notes: append(append(p.text.notes(), p.summary()...), unmatched...), Counts: counts}, nil
}

// endLocations adds the computation after the last call of MPI.
func (p *otf2Parser) endLocations() error {
	for _, l := range p.places { // each is of another rank, so that their order does not matter
		if !l.main || l.inMPI > 0 {
			continue
		}
		if err := p.computed(l.rank, &otf2Line{time: l.time}); err != nil {
			return err
		}
	}
	return nil
}

// counts are the events by name, and what messages send.
func (p *otf2Parser) counts() (all []Count) {
	for _, k := range p.names {
		if k.n > 0 {
			all = append(all, Count{k.name, k.n})
		}
	}
	slices.SortFunc(all, func(a, b Count) int { return cmp.Compare(a.Name, b.Name) })
	return append(all, Count{"events", p.events}, Count{"bytes sent", p.notices.sent})
}

// summary is the notes besides those about text.
func (p *otf2Parser) summary() (all []string) {
	n := &p.notices
	note := func(count int, format string, a ...any) {
		if count > 0 {
			all = append(all, fmt.Sprintf(format, a...))
		}
	}
	if !p.complete {
		all = append(all, "no definitions: locations are taken for ranks; otf2-print -A writes them")
	}
	if n.ticks {
		all = append(all, fmt.Sprintf("no definition of the clock: taken for %d ticks per second; --set ticks=N says otherwise", otf2DefaultTicks))
	}
	note(n.sizeless, "bytes of %s are as recorded, which may be a multiple: the size of the communicator is not in the text", plural(n.sizeless, "collective"))
	for _, what := range slices.Sorted(maps.Keys(n.substitutes)) {
		note(1, "%s: %d", what, n.substitutes[what])
	}
	note(n.exchanges, "%s of MPI_Sendrecv taken for sends that do not block, completed after the receive", plural(n.exchanges, "send"))
	note(n.later, "%s that do not block and are taken for others are blocking ones where they complete", plural(n.later, "collective"))
	note(n.late, "%s that completed over %d events after they were posted taken for blocking ones", plural(n.late, "receive or collective"), patientEvents)
	note(n.cancelled, "%s cancelled", plural(n.cancelled, "request"))
	note(n.dropped, "%s that send no message of this trace left out (handles, communicators of one rank or between groups)", plural(n.dropped, "collective"))
	all = append(all, p.leftOut()...)
	return append(all, p.strangers()...)
}

// leftOut names the events without a meaning for messages.
func (p *otf2Parser) leftOut() (all []string) {
	var rma, other uint64
	var names []string
	for _, c := range p.counts() {
		k := p.names[c.Name]
		if k == nil || k.handle != nil {
			continue
		}
		if strings.HasPrefix(k.name, "RMA_") {
			rma += c.N
		} else {
			other += c.N
			names = append(names, k.name)
		}
	}
	if rma > 0 {
		all = append(all, fmt.Sprintf("one-sided communication is left out: %d events", rma))
	}
	if other > 0 {
		if len(names) > 5 {
			names = append(names[:5], fmt.Sprintf("%d more", len(names)-5))
		}
		all = append(all, fmt.Sprintf("%d events that are no messages left out (%s)", other, strings.Join(names, ", ")))
	}
	return all
}

// strangers says what became of locations that are no rank of their own.
func (p *otf2Parser) strangers() (all []string) {
	strangers, open, threads := 0, 0, 0
	for _, l := range p.places {
		if len(l.stack) > 0 {
			open++
		}
		if !l.main {
			strangers++
		}
	}
	for _, r := range p.ranks {
		if r != nil {
			threads += len(r.threads)
		}
	}
	if strangers > threads {
		all = append(all, plural(strangers-threads, "location")+" without messages left out (threads, devices)")
	}
	if threads > 0 {
		all = append(all, plural(threads, "thread")+" with messages counted to their process, without what they compute")
	}
	if open > 0 {
		all = append(all, plural(open, "location")+" inside a region at the end; the trace may be cut")
	}
	return all
}
