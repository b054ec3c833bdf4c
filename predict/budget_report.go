package main

import (
	"fmt"
	"io"

	"spoor/predict/internal/budget"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// budgetOutput are the flags about the tables of predict budget and predict upgrade.
type budgetOutput struct {
	tableOutput
	front, sensitivity bool
	machines           string // the folder for machine files
	spread             string // of --price-spread; empty: no such table
	share              float64
}

// tables counts the flags that print another table than the ranking.
func (o *budgetOutput) tables() (n int) {
	for _, given := range []bool{o.front, o.sensitivity, o.spread != ""} {
		if given {
			n++
		}
	}
	return n
}

// printSpread prints the winners of other price lists, and how often the winner of the list itself wins.
func (o *budgetOutput) printSpread(env *stage.Env, p *budget.Problem, r *budget.Result) error {
	all, err := p.PriceSpread(o.share)
	if err != nil {
		return err
	}
	if o.format == stage.Human {
		fmt.Fprintf(env.Out, "%s\n\n", p.SpreadSummary(all, r, o.share))
	}
	return stage.Print(env.Out, o.format, p.SpreadTable(all, o.share))
}

// report prints the tables, and writes the ranking and its machines.
func (o *budgetOutput) report(env *stage.Env, p *budget.Problem, r *budget.Result, vary float64) error {
	facts := toolFacts()
	t, err := p.Table(r, facts)
	if err != nil {
		return err
	}
	var shifts []budget.Shift
	if vary > 0 && (o.sensitivity || o.format == stage.Human && o.tables() == 0) {
		if shifts, err = p.Sensitivity(r, vary); err != nil {
			return err
		}
	}
	if err := o.writeAll(p, r, facts); err != nil {
		return err
	}
	if o.tables() > 0 || o.format != stage.Human {
		noteWarnings(env, r.Warnings)
	}
	switch {
	case o.spread != "":
		return o.printSpread(env, p, r)
	case o.front:
		return stage.Print(env.Out, o.format, p.FrontTable(r, facts))
	case o.sensitivity:
		return stage.Print(env.Out, o.format, p.SensitivityTable(shifts))
	case o.format != stage.Human:
		return stage.Print(env.Out, o.format, t)
	}
	return printBudget(env.Out, p, r, t, shifts)
}

func (o *budgetOutput) writeAll(p *budget.Problem, r *budget.Result, facts []trace.Arg) error {
	if o.machines != "" {
		if err := p.Describe(r, o.machines); err != nil {
			return fmt.Errorf("writing machines into %s: %w", o.machines, err)
		}
	}
	if o.file == "" {
		return nil
	}
	t, err := p.Decision(r, facts)
	if err != nil {
		return fmt.Errorf("writing %s: %w", o.file, err)
	}
	return o.write("", t)
}

// printBudget prints the ranking, the front, the sensitivity and the warnings.
func printBudget(w io.Writer, p *budget.Problem, r *budget.Result, t *store.Table, shifts []budget.Shift) error {
	fmt.Fprintf(w, "%s by model %s, prices of %s\n", p.Runs[0].Program, p.Model.Name(), p.Catalogue.Date)
	if err := stage.Print(w, stage.Human, t); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n\nfront:\n", p.Summary(r))
	if err := stage.Print(w, stage.Human, p.FrontTable(r, nil)); err != nil {
		return err
	}
	if len(shifts) > 0 {
		fmt.Fprintf(w, "\neffect of changed parameters:\n")
		if err := stage.Print(w, stage.Human, p.SensitivityTable(shifts)); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	const most = 5
	for i, l := range r.Skipped {
		if i == most {
			fmt.Fprintf(w, "note: %d more reasons\n", len(r.Skipped)-most)
			break
		}
		fmt.Fprintf(w, "note: %v\n", l)
	}
	printWarnings(w, r.Warnings)
	return nil
}
