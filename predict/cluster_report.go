package main

import (
	"fmt"
	"io"
	"slices"

	"spoor/calibrate/machine"
	"spoor/predict/cluster"
	"spoor/predict/internal/model"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// clusterOutput are the flags about the tables of predict cluster.
type clusterOutput struct {
	tableOutput
	terms bool
}

// print prints the predictions or their terms, for people with intervals and warnings below, and writes the predictions to the file of -o.
func (o *clusterOutput) print(w io.Writer, all []model.Prediction) error {
	t := cluster.Table(all, toolFacts())
	if err := o.write("the predictions", t); err != nil {
		return err
	}
	shown := t
	if o.terms {
		shown = cluster.TermsTable(all, toolFacts())
	}
	if o.format != stage.Human {
		return stage.Print(w, o.format, shown)
	}
	return printRemarks(w, shown, cluster.Remarks(all))
}

// printClocks prints the table of --equal-clock, and writes it to the file of -o.
func (o *clusterOutput) printClocks(w io.Writer, file string, study *cluster.Study, machines []*machine.Machine) error {
	like, err := machine.Read(file)
	if err != nil {
		return err
	}
	all, err := study.EqualClocks(machines, like)
	if err != nil {
		return err
	}
	t := cluster.EqualClockTable(all)
	t.Meta = append(t.Meta, toolFacts()...)
	if err := o.write("the clocks", t); err != nil {
		return err
	}
	if o.format != stage.Human {
		return stage.Print(w, o.format, t)
	}
	return printRemarks(w, t, cluster.EqualClockRemarks(all))
}

// printRemarks prints a table without its long columns, and notes below it.
func printRemarks(w io.Writer, t, notes *store.Table) error {
	short := *t
	short.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c store.Column) bool {
		return c.Name == "trace" || c.Name == "interval" || c.Name == "warnings" || c.Name == machineDigest
	})
	if err := stage.Print(w, stage.Human, &short); err != nil {
		return err
	}
	if notes.Rows() == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return stage.Print(w, stage.Human, notes)
}
