package dumpi

import (
	"cmp"
	"fmt"
	"slices"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"strings"
)

// dumpiNotes counts the guesses, tolerated oddities and omissions of an import.
type dumpiNotes struct {
	text                                       input.Text
	ranksGuessed, comms, null, open, sizeless  int
	cancelled, tests, exchanges, exscans       int
	reduceScatters, alone, unfinished, threads int
	ignored                                    uint64
	apart, missing                             string
	skipped                                    map[string]int
}

func (n *dumpiNotes) skip(c *dumpiCall) {
	if n.skipped == nil {
		n.skipped = map[string]int{}
	}
	n.skipped[c.name]++
}

// report adds the counts of one rank.
func (r *dumpiRank) report() {
	n := &r.d.notes
	n.text.Bom += r.Bom
	n.text.Crlf += r.Crlf
	n.text.Padded += r.Padded
	n.text.Unended += r.Unended
	if r.counts["MPI_Finalize"] == 0 {
		n.unfinished++
	}
	if len(r.leftIn) > 1 {
		n.threads++
	}
	for name, count := range r.counts {
		r.d.counts[name] += count
	}
}

// list returns all notes.
func (n *dumpiNotes) list() []string {
	all := n.text.Notes()
	note := func(count int, format string, a ...any) {
		if count > 0 {
			all = append(all, fmt.Sprintf(format, a...))
		}
	}
	note(n.ranksGuessed, "%s without a rank in the name or near the start: its position among the files is its rank", input.Plural(n.ranksGuessed, "file"))
	for _, s := range []string{n.apart, n.missing} {
		note(len(s), "%s", s)
	}
	note(n.open, "%s from any source, without a status to give it", input.Plural(n.open, "receive"))
	note(n.sizeless, "%s of unknown size: the datatype is user-defined, and there is no status", input.Plural(n.sizeless, "receive"))
	note(n.null, "%s to or from MPI_PROC_NULL omitted", input.Plural(n.null, "message"))
	note(n.exchanges, "%s imported as a non-blocking send, a receive and a wait", input.Plural(n.exchanges, "MPI_Sendrecv"))
	note(n.exscans, "%s imported as MPI_Scan", input.Plural(n.exscans, "MPI_Exscan"))
	note(n.reduceScatters, "%s imported as a reduction to rank 0 and a scatter", input.Plural(n.reduceScatters, "MPI_Reduce_scatter"))
	note(n.alone, "%s on MPI_COMM_SELF omitted", input.Plural(n.alone, "collective"))
	note(n.tests, "%s that found nothing omitted, with their time", input.Plural(n.tests, "test or probe"))
	note(n.cancelled, "%s cancelled", input.Plural(n.cancelled, "request"))
	note(n.comms, "%s that make communicators omitted, with their time", input.Plural(n.comms, "call"))
	note(n.threads, "%s with calls of several threads, imported as one sequence", input.Plural(n.threads, "rank"))
	note(n.unfinished, "%s without MPI_Finalize at the end; the trace may be truncated", input.Plural(n.unfinished, "rank"))
	note(int(n.ignored), "%s not recorded by sst-dumpi", input.Plural(int(n.ignored), "call"))
	return append(all, n.leftOut()...)
}

// leftOut lists the calls that send no message, the most frequent first.
func (n *dumpiNotes) leftOut() []string {
	var names []string
	total := 0
	for name, count := range n.skipped {
		names = append(names, name)
		total += count
	}
	if total == 0 {
		return nil
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(n.skipped[b], n.skipped[a]), cmp.Compare(a, b)) })
	more := ""
	if len(names) > 5 {
		names, more = names[:5], fmt.Sprintf(" and %d others", len(names)-5)
	}
	return []string{fmt.Sprintf("%s that send no message omitted, with their time (%s%s)", input.Plural(total, "call"), strings.Join(names, ", "), more)}
}

// countList returns the calls by name, and the bytes sent in messages.
func (d *dumpiImport) countList() (all []format.Count) {
	calls := uint64(0)
	for name, n := range d.counts {
		all = append(all, format.Count{Name: name, N: n})
		calls += n
	}
	slices.SortFunc(all, func(a, b format.Count) int { return cmp.Compare(a.Name, b.Name) })
	return append(all, format.Count{Name: "calls", N: calls}, format.Count{Name: "p2p bytes sent", N: d.sent})
}
