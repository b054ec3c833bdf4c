package reference

import (
	"fmt"
	"strings"

	"spoor/analyze/analysis"
	"spoor/analyze/cache"
	"spoor/analyze/coherent"
	"spoor/analyze/comm"
	"spoor/analyze/filter"
	"spoor/analyze/footprint"
	"spoor/analyze/locality"
	"spoor/analyze/marshal"
	"spoor/analyze/phases"
	"spoor/analyze/quanta"
	"spoor/analyze/reuse"
	"spoor/analyze/reusetime"
	"spoor/analyze/sharing"
	"spoor/predict/cluster"
	"spoor/predict/internal/replay"
	"spoor/predict/logp"
	"spoor/predict/message"
	"spoor/predict/windtunnel"
	"spoor/traces/trace"
)

// A Consumer is an analysis, a simulator or a model, with what it does with every row of a trace.
type Consumer struct {
	Name, By string
	Effects  analysis.Effects
}

// Consumers lists all, with their default flags.
func Consumers() (all []Consumer) {
	caches, err := cache.Parse(cache.Usual)
	if err != nil {
		panic(err) // a constant
	}
	all = []Consumer{
		{"reuse", "analyze", (&reuse.Analysis{}).Effects()},
		{"reuse, sampled", "analyze", (&reuse.Analysis{Sampling: reuse.Sampling{Rate: 0.1}}).Effects()},
		{"locality", "analyze", (&locality.Analysis{Reuse: &reuse.Analysis{}}).Effects()},
		{"reuse_time", "analyze", (&reusetime.Analysis{}).Effects()},
		{"phases", "analyze", (&phases.Analysis{}).Effects()},
		{"marshal", "analyze", (&marshal.Analysis{}).Effects()},
		{"comm", "analyze", (&comm.Analysis{}).Effects()},
		{"footprint", "analyze", (&footprint.Analysis{}).Effects()},
		{"quanta", "analyze", (&quanta.Analysis{}).Effects()},
		{"cache", "analyze", (&cache.Analysis{Specs: []cache.Spec{caches}}).Effects()},
		{"sharing", "analyze", (&sharing.Analysis{}).Effects()},
		{"coherent", "analyze", (&coherent.Analysis{}).Effects()},
		{"filter", "analyze filter", filter.Effects()},
	}
	for _, s := range replay.Simulators {
		all = append(all, Consumer{s.Name, "predict replay", s.Effects})
	}
	for _, r := range cluster.Readers {
		all = append(all, Consumer{r.Name, "predict cluster, budget, upgrade", r.Effects})
	}
	return append(all, Consumer{"windtunnel", "predict windtunnel", windtunnel.Effects()},
		Consumer{"message", "predict message", message.Effects()}, Consumer{"logp", "predict logp", logp.Effects()})
}

// rowsHead is the page before its tables.
const rowsHead = "# Rows of a trace and their effects\n\n" +
	"This page says what each analysis, simulator and model does with each operation and each kind of event of a trace.\n\n" +
	"- **used**: such rows change the result.\n" +
	"- **noted**: such rows have no effect, and a note or warning says so.\n" +
	"- **refused**: a trace with such rows is an error.\n" +
	"- `-`: such rows are not part of what is measured, as the description of the command says.\n\n" +
	"Every row of a reference or event counts in the position of the rows after it. The table does not count that as a\n" +
	"use. Analyses are those with default flags; `--refs` chooses other references. The rows of `predict scaling` are\n" +
	"those of the analysis that it extrapolates.\n\n" +
	"Generated from the declarations in the code by `make reference`. Do not edit. Tests run every pair.\n"

// rowsPage makes the page of all pairs.
func rowsPage() (string, error) {
	var b strings.Builder
	b.WriteString(rowsHead)
	all := Consumers()
	for _, c := range all {
		if err := c.Effects.Check(); err != nil {
			return "", fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	rowTable(&b, "Operations", trace.Ops, all, func(e analysis.Effects, op trace.Op) analysis.Effect { return e.Ops[op] })
	rowTable(&b, "Synchronization and computation", shared, all, func(e analysis.Effects, k trace.Kind) analysis.Effect { return e.Kinds[k] })
	rowTable(&b, "Messages", kindsOf(isMessage), all, func(e analysis.Effects, k trace.Kind) analysis.Effect { return e.Kinds[k] })
	rowTable(&b, "Collectives", kindsOf(isCollective), all, func(e analysis.Effects, k trace.Kind) analysis.Effect { return e.Kinds[k] })
	return b.String(), nil
}

// shared are the kinds of events that are neither messages nor collectives.
var shared = kindsOf(func(k trace.Kind) bool { return !isMessage(k) && !isCollective(k) })

func isMessage(k trace.Kind) bool { return k >= trace.Send && k <= trace.Iprobe }

func isCollective(k trace.Kind) bool { return k >= trace.Bcast && k <= trace.AllToAll }

// kindsOf returns the kinds of events for which is holds.
func kindsOf(is func(trace.Kind) bool) (kinds []trace.Kind) {
	for _, k := range trace.Kinds {
		if is(k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// rowTable writes the effects of some rows on all consumers.
func rowTable[R fmt.Stringer](b *strings.Builder, title string, rows []R, all []Consumer, of func(analysis.Effects, R) analysis.Effect) {
	fmt.Fprintf(b, "\n## %s\n\n| | command |", title)
	for _, r := range rows {
		fmt.Fprintf(b, " %v |", r)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(rows)) + "\n")
	for _, c := range all {
		fmt.Fprintf(b, "| %s | %s |", c.Name, c.By)
		for _, r := range rows {
			e := of(c.Effects, r)
			text := e.String()
			if e == analysis.Outside {
				text = "-"
			}
			fmt.Fprintf(b, " %s |", text)
		}
		b.WriteString("\n")
	}
}
