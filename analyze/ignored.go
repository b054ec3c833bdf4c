package main

import (
	"fmt"
	"slices"
	"strings"

	"spoor/analyze/analysis"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// noteIgnored prints a note for each operation and kind of event of the trace that an analysis ignores although
// it is a part of what the analysis measures.
func noteIgnored(env *stage.Env, h trace.Header, rows *analysis.Rows, orders []trace.Proc, analyses []analysis.Analysis) {
	for _, op := range trace.Ops {
		names := ignoring(analyses, func(e analysis.Effects) analysis.Effect { return e.Ops[op] })
		if n := rows.Ops[op]; n > 0 && len(names) > 0 {
			env.Note("%s: no effect of %s in the trace", strings.Join(names, ", "), counted(n, op.String()))
		}
	}
	if h.Procs < 2 || !slices.Contains(orders, trace.Interleaved) {
		return
	}
	var waits, names []string
	for _, k := range analysis.WaitKinds {
		if n := rows.Kinds[k]; n > 0 {
			waits = append(waits, counted(n, k.String()))
		}
	}
	if len(waits) == 0 {
		return
	}
	for _, a := range inOrder(h, analyses) {
		if kinds := a.Effects().Kinds; slices.ContainsFunc(analysis.WaitKinds, func(k trace.Kind) bool { return rows.Kinds[k] > 0 && kinds[k] == analysis.Noted }) {
			names = append(names, a.Name())
		}
	}
	if len(names) > 0 {
		env.Note("%s: in the interleaved order, processors wait only at barriers and locks, not at %s of the trace",
			strings.Join(names, ", "), strings.Join(waits, ", "))
	}
}

// inOrder returns the analyses that use the interleaved order.
func inOrder(h trace.Header, analyses []analysis.Analysis) (out []analysis.Analysis) {
	for _, a := range analyses {
		if len(analysis.Orders(h, []trace.Proc{trace.Interleaved}, a)) > 0 {
			out = append(out, a)
		}
	}
	return out
}

// ignoring returns the names of the analyses that ignore rows with a note.
func ignoring(analyses []analysis.Analysis, effect func(analysis.Effects) analysis.Effect) (names []string) {
	for _, a := range analyses {
		if effect(a.Effects()) == analysis.Noted {
			names = append(names, a.Name())
		}
	}
	return names
}

// counted returns a number with the name of what is counted: "3 flushes".
func counted(n uint64, name string) string {
	plural := "s"
	if strings.HasSuffix(name, "h") {
		plural = "es"
	}
	if n == 1 {
		plural = ""
	}
	return fmt.Sprintf("%d %s%s", n, name, plural)
}
