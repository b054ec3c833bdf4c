package main

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"spoor/calibrate/machine"
	"spoor/predict/cluster"
	"spoor/predict/internal/budget"
	"spoor/predict/internal/catalogue"
	"spoor/predict/internal/keyuse"
	"spoor/predict/internal/model"
	"spoor/predict/internal/published"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// budgetOptions are the flags of predict budget and predict upgrade.
type budgetOptions struct {
	modelRuns
	prices, money, have      string
	model, objective         string
	modelError, vary         string
	minMemory, minTotal, due string
	limits                   budget.Limits
	top                      int
	beaten                   bool
	published                published.Options
	output                   budgetOutput
}

// budgetCommand is predict budget.
func budgetCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "budget --params P... --prices FILE --budget MONEY",
		Args: cobra.NoArgs,
	}
	stage.Describe(cmd, helpTexts, "budget")
	o := &budgetOptions{}
	o.declare(cmd)
	cmd.RunE = func(*cobra.Command, []string) error { return o.run(env) }
	return cmd
}

// upgradeCommand is predict upgrade.
func upgradeCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "upgrade --params P... --prices FILE --have FILE --budget MONEY",
		Args: cobra.NoArgs,
	}
	stage.Describe(cmd, helpTexts, "upgrade")
	o := &budgetOptions{}
	o.declare(cmd)
	stage.PathVar(cmd.Flags(), &o.have, "have", "description `FILE` of the existing machine")
	stage.Group(cmd.Flags(), "Input", "have")
	cmd.RunE = func(*cobra.Command, []string) error {
		if o.have == "" {
			return stage.Usage("no existing machine; give --have FILE")
		}
		return o.run(env)
	}
	return cmd
}

// declare adds the flags that both commands have.
func (o *budgetOptions) declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	o.modelRuns.add(flags)
	stage.PathVar(flags, &o.prices, "prices", "price list `FILE` with a [catalogue]")
	flags.StringVar(&o.money, "budget", "", "`MONEY` to spend at most: '$5000', or '$10/h' for rent")
	flags.StringVar(&o.model, "model", "", "`NAME` of the model: paper, curve, mva or messages (default \"curve\")")
	o.published.Add(flags)
	flags.StringVar(&o.objective, "objective", "time", "`NAME` of what to minimize: time, cost-per-job or time-cost")
	flags.BoolVar(&o.limits.PowerOfTwo, "power-of-two", false, "only numbers of processors that are powers of two")
	flags.IntVar(&o.limits.MaxNodes, "max-nodes", 0, "largest number of nodes (default any)")
	flags.IntVar(&o.limits.MinProcessors, "min-processors", 0, "least number of processors in all (default 1)")
	flags.IntVar(&o.limits.MaxProcessors, "max-processors", 0, "largest number of processors in all (default any)")
	flags.StringVar(&o.minMemory, "min-memory", "", "least `SIZE` of memory in each node")
	flags.StringVar(&o.minTotal, "min-total-memory", "", "least `SIZE` of memory in all nodes together")
	flags.StringVar(&o.due, "deadline", "", "longest `TIME` of the run, such as 10s")
	flags.Float64Var(&o.limits.Jobs, "jobs", 0, "`NUMBER` of runs that the machine does in a month, one after the other (default any)")
	flags.StringVar(&o.modelError, "model-error", "", "error of the model: a `SHARE` such as 16%, or a table of predict compare -o")
	flags.StringVar(&o.vary, "vary", "10%", "`SHARE` by which to vary parameters")
	flags.StringVar(&o.output.spread, "price-spread", "", "print only the winners with prices that differ by up to a `SHARE`, in 100 draws")
	flags.IntVar(&o.top, "top", 10, "`NUMBER` of machines to rank")
	flags.BoolVar(&o.beaten, "beaten", false, "rank also machines that another one beats in time and price")
	flags.BoolVar(&o.output.front, "front", false, "print only the front")
	flags.BoolVar(&o.output.sensitivity, "sensitivity", false, "print only the effect of varied parameters")
	o.output.add(flags, "write the ranking as an Arrow table to `FILE`, for predict report")
	flags.StringVar(&o.output.machines, "machines", "", "write the ranked machines as files into `DIR`, for predict replay")
	stage.Group(flags, "Input", "params", "prices", "budget", "without-messages")
	stage.Group(flags, "Decision", "objective", "model", "model-error", "as-printed", "law", "raise-remote", "without-barriers", "vary")
	stage.Group(flags, "Limits", "deadline", "jobs", "max-nodes", "min-processors", "max-processors", "power-of-two", "min-memory", "min-total-memory")
	stage.Group(flags, "Output", "top", "beaten", "front", "sensitivity", "price-spread", "format", "output", "machines")
	stage.Complete(cmd, "model", clusterModels)
	stage.Complete(cmd, "objective", func() (names []string) {
		for _, o := range budget.Objectives {
			names = append(names, o.Name)
		}
		return names
	})
}

func (o *budgetOptions) run(env *stage.Env) error {
	p, vary, err := o.problem()
	if err != nil {
		return err
	}
	if p.Runs, err = o.open(env); err != nil {
		return err
	}
	if p.Runs, err = o.published.Apply(p.Runs); err != nil {
		return err
	}
	prices, err := machine.ReadPrices(o.prices)
	if err != nil {
		return err
	}
	if p.Catalogue = (*catalogue.Catalogue)(prices.Catalogue); p.Catalogue == nil {
		return fmt.Errorf("reading %s: it has no [catalogue]; use a price list such as example1999", o.prices)
	}
	noteAll(env, keyuse.OfPrices(prices, p.Model.Name()))
	if p.Budget, err = o.amount(p.Catalogue.Hourly); err != nil {
		return err
	}
	if p.Error, err = o.errorOf(p.Model.Name()); err != nil {
		return err
	}
	if o.have != "" {
		m, err := machine.Read(o.have)
		if err != nil {
			return err
		}
		if *p, err = p.UpgradeOf(m); err != nil {
			return err
		}
		noteAll(env, keyuse.OfExisting(m))
	}
	r, err := p.Search()
	if err != nil {
		return fmt.Errorf("choosing a machine for %s: %w", p.Runs[0].Program, err)
	}
	return o.output.report(env, p, r, vary)
}

// check returns an error about flags.
func (o *budgetOptions) check() error {
	switch {
	case len(o.params) == 0:
		return stage.Usage("no parameters; give --params with a directory that analyze wrote")
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
