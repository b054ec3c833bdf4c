package study

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
	noteOps(env, rows, analyses)
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

// noteOps prints one note for all operations that the same analyses ignore for the same reason.
func noteOps(env *stage.Env, rows *analysis.Rows, analyses []analysis.Analysis) {
	type cause struct{ names, why string }
	var causes []cause
	counts := map[cause][]string{}
	add := func(op trace.Op, n uint64, what string) {
		names := map[string][]string{}
		var whys []string
		for _, a := range analyses {
			if a.Effects().Ops[op] == analysis.Noted && n > 0 {
				why := why(a, op)
				if names[why] == nil {
					whys = append(whys, why)
				}
				names[why] = append(names[why], a.Name())
			}
		}
		for _, why := range whys {
			c := cause{strings.Join(names[why], ", "), why}
			if counts[c] == nil {
				causes = append(causes, c)
			}
			counts[c] = append(counts[c], what)
		}
	}
	add(trace.Load, rows.Data, numbered(rows.Data, "load or store", "loads and stores"))
	for _, op := range []trace.Op{trace.Ifetch, trace.Prefetch, trace.Flush} {
		add(op, rows.Ops[op], counted(rows.Ops[op], op.String()))
	}
	for _, c := range causes {
		env.Note("%s: no effect of %s in the trace%s", c.names, strings.Join(counts[c], ", "), c.why)
	}
}

// why says why an analysis ignores an operation and what to do, if something can be done.
func why(a analysis.Analysis, op trace.Op) string {
	if e, can := a.(analysis.Explainer); can {
		return e.Why(op)
	}
	if op == trace.Ifetch {
		return "; give --refs all to measure them too"
	}
	return ""
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

// counted returns a number with the name of what is counted: "3 flushes".
func counted(n uint64, name string) string {
	plural := "s"
	if strings.HasSuffix(name, "h") {
		plural = "es"
	}
	return numbered(n, name, name+plural)
}

// numbered returns a number with what is counted, one or several.
func numbered(n uint64, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}
