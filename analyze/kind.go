package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/reusetime"
	"spoor/analyze/reuse"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// request holds what the analyses are built from.
type request struct {
	header      trace.Header
	digest      string       // of the trace
	name        string       // of the trace
	events      trace.Source // the trace, for analyses that read its events again; nil if it is not available
	procs       []trace.Proc // processors to analyze, nil for all
	interleaved bool         // measure the interleaved order too
	messages    *bool        // the trace passes messages; nil if that is unknown

	lines  []unit.Bytes        // ascending
	refs   trace.OpSet         // references whose lines are measured; zero: the default of each analysis
	first  unit.Bytes          // the line size that was given first
	meta   []trace.Arg         // metadata of every table
	source string              // source of parameters: name and digest of the trace, and whether it is a sample
	reuse  *reuse.Analysis     // shared by several analyses
	times  *reusetime.Analysis // nil without reuse_time
}

// kind is an analysis that --run can name.
type kind struct {
	name    string // file help/NAME.txt has its help page
	columns string // its tables, for the help page
	flags   func(*pflag.FlagSet)
	shares  []string                                  // flags that it shares with other analyses, which add them
	needs   map[string]string                         // flags that have an effect only with another flag: that flag, or several, one of which is enough
	build   func(*request) (analysis.Analysis, error) // errors about flags are usage errors

	perProc unit.Bytes // memory for each processor of the interleaved order, roughly, if each uses few lines

	own []string // names of the flags that it adds
}

// flagNames returns the names of all flags that affect the analysis.
func (k *kind) flagNames() []string { return slices.Concat(k.own, k.shares) }

// Names of analyses.
const commName, marshalName, quantaName, localityName = "comm", "marshal", "quanta", "locality"

// tool is the program name and version recorded in results.
const tool = "spoor analyze " + stage.Version

// sorted returns the values in ascending order without duplicates.
func sorted[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// facts returns the metadata of every table.
func (r *request) facts() []trace.Arg {
	var sizes []string
	for _, l := range r.lines {
		sizes = append(sizes, l.String())
	}
	facts := []trace.Arg{
		{Key: "program", Value: r.header.Title()},
		{Key: "procs", Value: strconv.Itoa(r.header.Procs)},
		{Key: "trace", Value: r.digest},
		{Key: "line", Value: strings.Join(sizes, ",")},
		{Key: "tool", Value: tool},
	}
	if which := r.header.Sample(); which != "" {
		facts = append(facts, trace.Arg{Key: "trace_sample", Value: which})
	}
	if r.procs != nil {
		facts = append(facts, trace.Arg{Key: "selected", Value: trace.FormatProcs(r.procs)})
	}
	return facts
}

func hasRefs(src *store.Trace) bool {
	for p := range trace.Proc(src.Header().Procs) {
		if src.Totals(p).Refs > 0 {
			return true
		}
	}
	return false
}

func texts[T ~string](values []T) (out []string) {
	for _, v := range values {
		out = append(out, string(v))
	}
	return out
}

// messagesOnly reports whether the trace has messages and no references. It ignores read errors.
func messagesOnly(src *store.Trace) bool {
	if hasRefs(src) {
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
