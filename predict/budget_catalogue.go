package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spoor/calibrate/machine"
	"spoor/predict/cluster"
	"spoor/predict/internal/budget"
	"spoor/predict/internal/catalogue"
	"spoor/predict/internal/counts"
	"spoor/predict/internal/keyuse"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

// readPrices reads the catalogue and what the flags say about it.
func (o *budgetOptions) readPrices(env *stage.Env, p *budget.Problem) error {
	prices, err := machine.ReadPrices(o.prices)
	if err != nil {
		return err
	}
	if p.Catalogue = (*catalogue.Catalogue)(prices.Catalogue); p.Catalogue == nil {
		return fmt.Errorf("reading %s: it has no [catalogue]; use a price list such as example1999", o.prices)
	}
	noteAll(env, keyuse.OfPrices(prices, p.Model.Name()))
	p.Budget, err = o.amount(p.Catalogue.Hourly)
	return err
}

// amount parses the budget, per hour if the prices are.
func (o *budgetOptions) amount(hourly bool) (unit.Dollars, error) {
	text, isHourly := strings.CutSuffix(strings.TrimSpace(o.money), "/h")
	switch {
	case isHourly && !hourly:
		return 0, stage.Usage("--budget %s is per hour, but %s has prices to buy; give an amount such as '$5000'", o.money, o.prices)
	case !isHourly && hourly:
		return 0, stage.Usage("--budget %s is not per hour, but %s has prices to rent; give an amount such as '$10/h'", o.money, o.prices)
	}
	d, err := unit.ParseDollars(text)
	if err != nil {
		return 0, stage.Usage("--budget: %v", err)
	}
	return d, nil
}

// count analyzes traces as far as the model needs it for the machines of the catalogue.
func (o *budgetOptions) count(ctx context.Context, env *stage.Env, p *budget.Problem, traces []string) (*counts.Program, error) {
	offered := *p.Catalogue // p may later have other numbers in its catalogue
	program, err := o.trace(ctx, env, traces, offeredMachines(&offered))
	if err != nil {
		return nil, err
	}
	flags := cluster.DistanceFlags(program.Machines...)
	if p.Runs, err = program.Distances(flags); err == nil {
		err = o.checkMessages(env, p.Runs)
	}
	if err != nil {
		return nil, errors.Join(err, program.Close())
	}
	if p.Model == (cluster.MVA{}) {
		program.Retain = true
		p.RunsOn = func(of catalogue.Parts) ([]*cluster.Run, error) {
			return program.On(offered.Machine(of), flags, func(int) bool { return true })
		}
	}
	return program, nil
}

// offeredMachines returns the machines of a catalogue with the least number of nodes.
func offeredMachines(c *catalogue.Catalogue) (all []*machine.Machine) {
	for _, parts := range c.Configurations() {
		all = append(all, c.Machine(parts))
	}
	return all
}

// adviseAnalysis notes how to get the counts that the parameters lack, if machines were left out for that reason.
func (o *budgetOptions) adviseAnalysis(env *stage.Env, p *budget.Problem, r *budget.Result, err error) {
	lacks := cluster.LacksCounts(err)
	if r != nil {
		lacks = lacks || slices.ContainsFunc(r.Skipped, cluster.LacksCounts)
	}
	switch {
	case !lacks || p.RunsOn != nil || p.Runs[0].Trace == "":
	case p.Model == (cluster.MVA{}):
		env.Note("%s lacks counts for machines of %s: give the trace instead of --params", p.Runs[0].Name, o.prices)
	default:
		env.Note("%s lacks counts for machines of %s: give the trace instead of --params, or run analyze %s -o %s TRACE",
			p.Runs[0].Name, o.prices, strings.Join(cluster.DistanceFlags(offeredMachines(p.Catalogue)...), " "), p.Runs[0].Name)
	}
}

// adviseModel notes that another model than that of the default simulates what it leaves out.
func (o *budgetOptions) adviseModel(env *stage.Env, p *budget.Problem, traced bool) {
	if !traced || o.model != "" || p.Model != (cluster.Curve{}) {
		return
	}
	var sizes []string
	for _, r := range p.Runs {
		sizes = append(sizes, strconv.Itoa(r.Processors))
	}
	env.Note("model curve leaves out locks and what processors share; --model mva simulates both, for machines with as many processors as a trace (%s)",
		strings.Join(sizes, ", "))
}
