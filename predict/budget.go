package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"spoor/calibrate/machine"
	"spoor/predict/cluster"
	"spoor/predict/internal/budget"
	"spoor/predict/internal/keyuse"
	"spoor/predict/internal/model"
	"spoor/predict/internal/published"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// budgetCommand is predict budget.
func budgetCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "budget TRACE... --prices FILE --budget MONEY",
	}
	stage.Describe(cmd, helpTexts, "budget")
	o := &budgetOptions{}
	o.declare(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), env, args) }
	return cmd
}

// upgradeCommand is predict upgrade.
func upgradeCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "upgrade TRACE... --prices FILE --have FILE --budget MONEY",
	}
	stage.Describe(cmd, helpTexts, "upgrade")
	o := &budgetOptions{}
	o.declare(cmd)
	stage.PathVar(cmd.Flags(), &o.have, "have", "description `FILE` of the existing machine")
	stage.Group(cmd.Flags(), "Input", "have")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if o.have == "" {
			return stage.Usage("no existing machine; give --have FILE")
		}
		return o.run(cmd.Context(), env, args)
	}
	return cmd
}

func (o *budgetOptions) run(ctx context.Context, env *stage.Env, traces []string) error {
	if err := o.checkInput(traces); err != nil {
		return err
	}
	p, vary, err := o.problem()
	if err != nil {
		return err
	}
	if err := o.readPrices(env, p); err != nil {
		return err
	}
	if p.Error, err = o.errorOf(p.Model.Name()); err != nil {
		return err
	}
	if len(traces) > 0 {
		program, err := o.count(ctx, env, p, traces)
		if err != nil {
			return err
		}
		defer program.Close()
	} else if p.Runs, err = o.open(env); err != nil {
		return err
	}
	if p.Runs, err = o.published.Apply(p.Runs); err != nil {
		return err
	}
	if err := o.keep(env, p); err != nil {
		return err
	}
	r, err := p.Search()
	o.adviseAnalysis(env, p, r, err)
	o.adviseModel(env, p, len(traces) > 0)
	if err != nil {
		return fmt.Errorf("choosing a machine for %s: %w", p.Runs[0].Program, err)
	}
	return o.output.report(env, p, r, vary)
}

// keep makes p the problem of an upgrade, if there is an existing machine.
func (o *budgetOptions) keep(env *stage.Env, p *budget.Problem) error {
	if o.have == "" {
		return nil
	}
	m, err := machine.Read(o.have)
	if err != nil {
		return err
	}
	if *p, err = p.UpgradeOf(m); err != nil {
		return err
	}
	noteAll(env, keyuse.OfExisting(m))
	return nil
}

// check returns an error about flags.
func (o *budgetOptions) check() error {
	switch {
	case o.prices == "":
		return stage.Usage("no prices; give --prices FILE, such as data/price/example1999.toml")
	case o.money == "":
		return stage.Usage("no budget; give --budget, such as --budget '$5000'")
	case o.output.tables() > 1:
		return stage.Usage("--front, --sensitivity and --price-spread print different tables; choose one")
	case o.top < 1 || o.top > 1000:
		return stage.Usage("--top %d is not from 1 to 1000", o.top)
	case !(o.limits.Jobs >= 0) || o.limits.Jobs > 1e9:
		return stage.Usage("--jobs %v is not a number from 0 to 1e9", o.limits.Jobs)
	case min(o.limits.MaxNodes, o.limits.MinProcessors, o.limits.MaxProcessors) < 0:
		return stage.Usage("numbers of nodes and processors must be 0 or more")
	}
	return nil
}

// problem returns the problem that the flags describe.
func (o *budgetOptions) problem() (*budget.Problem, float64, error) {
	if err := o.check(); err != nil {
		return nil, 0, err
	}
	p := &budget.Problem{Limits: o.limits, Top: o.top, Beaten: o.beaten}
	if err := o.sizes(&p.Limits); err != nil {
		return nil, 0, err
	}
	var err error
	if p.Objective, err = budget.ObjectiveNamed(o.objective); err != nil {
		return nil, 0, stage.Usage("--objective: %w", err)
	}
	if p.Model, err = o.chosen(); err != nil {
		return nil, 0, err
	}
	if o.output.spread != "" {
		if o.output.share, err = published.Percent("--price-spread", o.output.spread, 99); err != nil {
			return nil, 0, err
		}
	}
	vary, err := published.Percent("--vary", o.vary, 99)
	return p, vary, err
}

// chosen returns the model. The equations as printed and a law from a file are for model paper.
func (o *budgetOptions) chosen() (model.Model[*cluster.Case], error) {
	paper, err := o.published.Model()
	if err != nil {
		return nil, err
	}
	name := cmp.Or(o.model, "curve")
	if o.model == "" && (o.published.Printed || o.published.Given()) {
		name = "paper"
	}
	m, err := cluster.Named(name)
	switch flag := o.published.Flag(); {
	case err != nil:
		return nil, stage.Usage("--model: %w", err)
	case m == (cluster.Paper{}):
		return paper, nil
	case flag != "":
		return nil, stage.Usage("%s needs model paper, not %s", flag, name)
	}
	return m, nil
}

func (o *budgetOptions) sizes(l *budget.Limits) (err error) {
	for _, size := range []struct {
		flag, value string
		to          *unit.Bytes
	}{{"--min-memory", o.minMemory, &l.MinMemory}, {"--min-total-memory", o.minTotal, &l.MinTotal}} {
		if size.value == "" {
			continue
		}
		if *size.to, err = unit.ParseBytes(size.value); err != nil {
			return stage.Usage("%s: %v", size.flag, err)
		}
	}
	if o.due == "" {
		return nil
	}
	s, err := unit.Parse(o.due, "s")
	if l.Deadline = unit.Seconds(s); err != nil || s <= 0 {
		return stage.Usage("--deadline: %q is not a time above 0, such as 10s", o.due)
	}
	return nil
}

// errorOf returns the error of a model from --model-error: a share, or the mean error in a comparison. It is NaN if not given.
func (o *budgetOptions) errorOf(name string) (float64, error) {
	if o.modelError == "" {
		return math.NaN(), nil
	}
	if strings.HasSuffix(o.modelError, "%") {
		return published.Percent("--model-error", o.modelError, 1e4)
	}
	t, err := store.ReadTable(o.modelError)
	if err != nil {
		return 0, fmt.Errorf("reading --model-error %s: %w", o.modelError, err)
	}
	if t.Name != "comparison" {
		return 0, fmt.Errorf("reading --model-error %s: it is a %s table; give one of predict compare -o", o.modelError, t.Name)
	}
	models, err := store.Data[string](t, "model")
	if err != nil {
		return 0, err
	}
	errors, err := store.Data[float64](t, "error")
	if err != nil {
		return 0, err
	}
	sum, n := 0.0, 0.0
	for i := range models {
		if models[i] == name && !math.IsNaN(errors[i]) {
			sum, n = sum+math.Abs(errors[i]), n+1
		}
	}
	if n == 0 {
		return 0, fmt.Errorf("reading --model-error %s: it has no row of model %s", o.modelError, name)
	}
	return sum / n / 100, nil
}
