package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"spoor/predict/cluster"
	"spoor/predict/model"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func (o *clusterOptions) report(env *stage.Env, all []model.Prediction) error {
	facts := []trace.Arg{{Key: "tool", Value: "predict " + stage.Version}}
	t := cluster.Table(all, facts)
	if o.output != "" {
		if err := store.WriteTable(o.output, t); err != nil {
			return fmt.Errorf("writing the predictions: %w", err)
		}
	}
	switch {
	case o.terms:
		return stage.Print(env.Out, o.format, cluster.TermsTable(all, facts))
	case o.format != stage.Human:
		return stage.Print(env.Out, o.format, t)
	}
	return printPredictions(env.Out, t, all)
}

// printPredictions prints the numbers, and under them what speaks against which model.
func printPredictions(w io.Writer, t *store.Table, all []model.Prediction) error {
	short := *t
	short.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c store.Column) bool {
		return c.Name == "trace" || c.Name == "interval" || c.Name == "warnings"
	})
	if err := stage.Print(w, stage.Human, &short); err != nil {
		return err
	}
	notes := remarks(all)
	if notes.Rows() == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return stage.Print(w, stage.Human, notes)
}

// remarks lists what the intervals cover and the warnings, each with the rows it is about.
func remarks(all []model.Prediction) *store.Table {
	var models, texts, where []string
	add := func(p model.Prediction, text string) {
		place := fmt.Sprintf("%d on %s", p.Processors, p.Machine)
		for i := range texts {
			if models[i] == p.Model && texts[i] == text {
				where[i] += ", " + place
				return
			}
		}
		models, texts, where = append(models, p.Model), append(texts, text), append(where, place)
	}
	for _, p := range all {
		if p.Interval.Known() {
			add(p, "interval: "+p.Interval.Covers)
		}
		for _, r := range p.Warnings {
			add(p, "warning: "+strings.TrimSpace(r.Error()))
		}
	}
	return &store.Table{Name: "remarks", Columns: []store.Column{
		{Name: "model", Data: models}, {Name: "remark", Data: texts}, {Name: "processors", Data: where}}}
}
