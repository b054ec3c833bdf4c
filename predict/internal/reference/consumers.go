package reference

import (
	"fmt"
	"strings"

	"spoor/analyze/analysis"
	"spoor/analyze/registry"
	"spoor/predict/cluster"
	"spoor/predict/internal/logp"
	"spoor/predict/internal/message"
	"spoor/predict/internal/replay"
	"spoor/predict/internal/windtunnel"
	"spoor/traces/trace"
)

// Consumers lists all, with their default flags.
func Consumers() (all []registry.Consumer, err error) {
	if all, err = registry.Consumers(); err != nil {
		return nil, err
	}
	for _, s := range replay.Simulators {
		all = append(all, registry.Consumer{Name: s.Name, By: "predict replay", Effects: s.Effects})
	}
	for _, m := range cluster.All {
		all = append(all, registry.Consumer{Name: m.Name(), By: "predict cluster, budget, upgrade", Effects: cluster.Effects[m.Name()]})
	}
	return append(all, registry.Consumer{Name: "windtunnel", By: "predict windtunnel", Effects: windtunnel.Effects()},
		registry.Consumer{Name: "message", By: "predict message", Effects: message.Effects()}, registry.Consumer{Name: "logp", By: "predict logp", Effects: logp.Effects()}), nil
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
	all, err := Consumers()
	if err != nil {
		return "", err
	}
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

// rowTable writes the effects of some rows on all registry.
func rowTable[R fmt.Stringer](b *strings.Builder, title string, rows []R, all []registry.Consumer, of func(analysis.Effects, R) analysis.Effect) {
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
