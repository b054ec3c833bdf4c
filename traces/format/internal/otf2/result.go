package otf2

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"strings"
)

// otf2Notices counts the guesses, tolerated oddities and omissions of an import.
type otf2Notices struct {
	ticks       bool
	sent        uint64 // bytes of messages; number of sends
	exchanges   int
	late        int
	cancelled   int
	later       int
	dropped     int
	nobody      int // messages to or from MPI_PROC_NULL
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
func (p *otf2Parser) finish() (format.Result, error) {
	switch {
	case p.section != otf2Events && p.events == 0:
		return format.Result{}, p.fail(nil, "end of file before the line === Events", "print the events of the archive with otf2-print -A")
	case p.events == 0:
		return format.Result{}, p.fail(nil, "end of file after no events", "the archive is empty, or -L or --time excluded all events")
	}
	if err := p.endLocations(); err != nil {
		return format.Result{}, err
	}
	for i := range p.ranks {
		if p.ranks[i] == nil {
			continue
		}
		if err := p.ranks[i].Finish(); err != nil {
			return format.Result{}, err
		}
	}
	procs := max(len(p.ranks), len(p.members))
	if procs == 0 {
		return format.Result{}, p.fail(nil, "no location is a process", "print the archive with otf2-print -A")
	}
	unmatched, err := p.c.Finish(procs)
	if err != nil {
		return format.Result{}, err
	}
	counts := p.counts()
	return format.Result{Procs: procs, Lines: uint64(p.Line), Notes: append(append(p.Text.Notes(), p.summary()...), unmatched...), Counts: counts}, nil
}

// endLocations adds the computation after the last MPI call.
func (p *otf2Parser) endLocations() error {
	for _, l := range p.places { // the order does not matter, because each is of another rank
		if !l.main || l.inMPI > 0 {
			continue
		}
		if err := p.computed(l.rank, &otf2Line{time: l.time}); err != nil {
			return err
		}
	}
	return nil
}

// counts returns the events by name, and the bytes sent in messages.
func (p *otf2Parser) counts() (all []format.Count) {
	for _, k := range p.names {
		if k.n > 0 {
			all = append(all, format.Count{Name: k.name, N: k.n})
		}
	}
	slices.SortFunc(all, func(a, b format.Count) int { return cmp.Compare(a.Name, b.Name) })
	return append(all, format.Count{Name: "events", N: p.events}, format.Count{Name: "bytes sent", N: p.notices.sent})
}

// summary returns the notes that do not concern the text.
func (p *otf2Parser) summary() (all []string) {
	n := &p.notices
	note := func(count int, format string, a ...any) {
		if count > 0 {
			all = append(all, fmt.Sprintf(format, a...))
		}
	}
	if !p.complete {
		all = append(all, "no definitions: locations are ranks; otf2-print -A prints definitions")
	}
	if n.ticks {
		all = append(all, fmt.Sprintf("no definition of the clock: %d ticks per second assumed; --set ticks=N changes that", otf2DefaultTicks))
	}
	note(n.sizeless, "bytes of %s are as recorded, perhaps a multiple: the communicator's size is unknown", input.Plural(n.sizeless, "collective"))
	for _, what := range slices.Sorted(maps.Keys(n.substitutes)) {
		note(1, "%s: %d", what, n.substitutes[what])
	}
	note(n.exchanges, "%s of MPI_Sendrecv imported as non-blocking sends, completed after the receive", input.Plural(n.exchanges, "send"))
	note(n.later, "%s without an equivalent of their own imported as blocking, at their completion", input.Plural(n.later, "collective"))
	note(n.late, "%s completed over %d events after posting, imported as blocking", input.Plural(n.late, "receive or collective"), emit.LookaheadEvents)
	note(n.cancelled, "%s cancelled", input.Plural(n.cancelled, "request"))
	note(n.nobody, "%s with MPI_PROC_NULL omitted (4294967294 or 4294967295, INVALID)", input.Plural(n.nobody, "message"))
	note(n.dropped, "%s without messages in this trace omitted (handles, communicators of one rank or between groups)", input.Plural(n.dropped, "collective"))
	all = append(all, p.leftOut()...)
	return append(all, p.otherLocations()...)
}

// leftOut describes the events that do not concern messages.
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
		all = append(all, fmt.Sprintf("one-sided communication is omitted: %d events", rma))
	}
	if other > 0 {
		if len(names) > 5 {
			names = append(names[:5], fmt.Sprintf("%d more", len(names)-5))
		}
		all = append(all, fmt.Sprintf("%d events that are not messages omitted (%s)", other, strings.Join(names, ", ")))
	}
	return all
}

// otherLocations describes the locations that are not ranks of their own.
func (p *otf2Parser) otherLocations() (all []string) {
	otherLocations, open, threads := 0, 0, 0
	for _, l := range p.places {
		if len(l.stack) > 0 {
			open++
		}
		if !l.main {
			otherLocations++
		}
	}
	for _, r := range p.ranks {
		if r != nil {
			threads += len(r.threads)
		}
	}
	if otherLocations > threads {
		all = append(all, input.Plural(otherLocations-threads, "location")+" without messages omitted (threads, devices)")
	}
	if threads > 0 {
		all = append(all, input.Plural(threads, "thread")+" with messages, which count for the process; their computation is omitted")
	}
	if open > 0 {
		all = append(all, input.Plural(open, "location")+" within a region at the end; the trace may be truncated")
	}
	return all
}
