package study

import (
	"strconv"
	"strings"

	"spoor/analyze/internal/kind"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// facts returns the metadata of every table.
func facts(r *kind.Request) []trace.Arg {
	var sizes []string
	for _, l := range r.Lines {
		sizes = append(sizes, l.String())
	}
	facts := []trace.Arg{
		{Key: "program", Value: r.Header.Title()},
		{Key: "procs", Value: strconv.Itoa(r.Header.Procs)},
		{Key: "trace", Value: r.Digest},
		{Key: "line", Value: strings.Join(sizes, ",")},
		{Key: "tool", Value: Tool},
	}
	if which := r.Header.Sample(); which != "" {
		facts = append(facts, trace.Arg{Key: "trace_sample", Value: which})
	}
	if r.Procs != nil {
		facts = append(facts, trace.Arg{Key: "selected", Value: trace.FormatProcs(r.Procs)})
	}
	return facts
}

// messagesOnly reports whether the trace has messages and no references. It ignores read errors.
func messagesOnly(src *store.Trace) bool {
	if kind.HasRefs(src) {
		return false
	}
	for b, err := range src.Events() {
		if err != nil {
			return false
		}
		for i := range b.Rows {
			if e := &b.Rows[i]; e.Kind >= trace.Bcast && e.Kind <= trace.AllToAll || e.Kind >= trace.Send && e.Kind <= trace.Irecv {
				return true
			}
		}
	}
	return false
}
