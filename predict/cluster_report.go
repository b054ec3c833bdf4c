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

// printPredictions prints the predictions, and below them intervals and warnings.
func printPredictions(w io.Writer, t *store.Table, all []model.Prediction) error {
	short := *t
	short.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c store.Column) bool {
		return c.Name == "trace" || c.Name == "interval" || c.Name == "warnings" || c.Name == machineDigest
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

// remark is an interval or a kind of warning of a model, with the predictions that have it.
type remark struct {
	model  string
	text   *warningKind
	places []string
}

// where lists the first predictions.
func (r *remark) where() string {
	const most = 3
	if n := len(r.places); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(r.places[:most], ", "), n-most)
	}
	return strings.Join(r.places, ", ")
}

// remarks lists the meaning of the intervals and the warnings. Remarks of one kind are one row with ranges of their numbers.
func remarks(all []model.Prediction) *store.Table {
	var list []*remark
	add := func(p model.Prediction, text string) {
		place, one := fmt.Sprintf("%d on %s", p.Processors, p.Machine), newWarningKind(text)
		for _, r := range list {
			if r.model == p.Model && r.text.add(one) {
				r.places = append(r.places, place)
				return
			}
		}
		list = append(list, &remark{p.Model, one, []string{place}})
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
		columnOf(list, "model", "", func(r *remark) string { return r.model }),
		columnOf(list, "remark", "", func(r *remark) string { return r.text.String() }),
		columnOf(list, "processors", "", (*remark).where)}}
}
