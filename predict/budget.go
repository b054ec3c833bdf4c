package main

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/calibrate/machine"
	"spoor/predict/budget"
	"spoor/predict/cluster"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// budgetOptions are the flags of predict budget and predict upgrade.
type budgetOptions struct {
	params                   []string
	prices, money, have      string
	model, raise, objective  string
	modelError, vary         string
	minMemory, minTotal, due string
	limits                   budget.Limits
	top                      int
	front, sensitivity       bool
	printed                  bool
	format                   stage.Format
	output, machines         string
}

const budgetExample = `  $ tracegen fft --procs 1 --set points=1024 -o fft
  $ analyze --run reuse,locality -o fft.analysis fft
  $ predict budget --params fft.analysis --prices data/price/example1999.toml --budget '$5000'
  $ predict budget --params fft.analysis --prices data/price/example1999.toml --budget '$20000' --power-of-two --min-memory 128MiB --objective cost-per-job
  $ predict budget --params fft.analysis --prices data/price/example-cloud.toml --budget '$10/h' --max-nodes 8 --front --format csv`

const upgradeExample = `  $ tracegen fft --procs 1 --set points=1024 -o fft
  $ analyze --run reuse,locality --line 64B,256B -o fft.analysis fft
  $ predict upgrade --params fft.analysis --prices data/price/example1999.toml --have data/machine/du2000-cow-4-256k-100m.toml --budget '$5000'`

const budgetHelp = `

Models are paper and curve, which scale runs to any number of processors, and mva, which predicts those numbers
that were traced, where caches and traffic were measured. A lower bound of the time rules most machines of a large catalogue
out, exactly; those that are left take mva tenths of a second each, again for each parameter that is varied (--vary 0%
does without). Objectives are time; cost-per-job, the rent for that time or that part of the machine's lifetime; and
time-cost, their product. Cheaper is better among equals.

Under the ranking are the front (machines than which no cheaper one is as fast), the winner with one parameter
less and more by --vary (change: of its time or cost; regret: how far it is then behind the new winner), and
warnings. A margin inside --model-error decides nothing: give a share, or the table that predict compare -o
leaves of the same model beside simulation, whose mean error is taken.`

// budgetCommand is predict budget.
func budgetCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "budget --params P... --prices FILE --budget MONEY",
		Short: "the best machine that a catalogue has for so much money",
		Long: "Budget ranks all machines that a catalogue offers within a budget, as a model predicts a program on them\n" +
			"[du2000, eq. 3.6 and 3.7]: kinds of nodes, their processors, caches and memory, networks, numbers of nodes." + budgetHelp,
		Example: budgetExample,
		Args:    cobra.NoArgs,
	}
	o := &budgetOptions{}
	o.declare(cmd.Flags())
	cmd.RunE = func(*cobra.Command, []string) error { return o.run(env) }
	return cmd
}

// upgradeCommand is predict upgrade.
func upgradeCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "upgrade --params P... --prices FILE --have FILE --budget MONEY",
		Short: "the best that so much money makes of a machine that is there",
		Long: "Upgrade ranks what can be made of a machine for so much money [du2000, sec. 3.3]: more nodes of its kind, more\n" +
			"processors and memory in each, larger caches or another network in place of the old ones, all new nodes of another kind, or\n" +
			"nothing. The machine must be made of what the catalogue has." + budgetHelp,
		Example: upgradeExample,
		Args:    cobra.NoArgs,
	}
	o := &budgetOptions{}
	o.declare(cmd.Flags())
	cmd.Flags().StringVar(&o.have, "have", "", "description `FILE` of the machine that is there")
	cmd.RunE = func(*cobra.Command, []string) error {
		if o.have == "" {
			return stage.Usage("no machine to begin with; give --have FILE")
		}
		return o.run(env)
	}
	return cmd
}

func (o *budgetOptions) declare(flags *pflag.FlagSet) {
	stage.PathsVar(flags, &o.params, "params", "analysis directory or parameter file `P`; may be repeated")
	flags.StringVar(&o.prices, "prices", "", "list of prices `FILE` with a section [catalogue]")
	flags.StringVar(&o.money, "budget", "", "`MONEY` at most: '$5000', or '$10/h' of what is rented")
	flags.StringVar(&o.model, "model", "", "`NAME` of the model: paper, curve or mva (default \"curve\")")
	flags.BoolVar(&o.printed, "as-printed", false, "model paper, with rates and prefactors as they are printed, to check the paper")
	flags.StringVar(&o.raise, "raise-remote", "0%", "`SHARE` by which model paper raises the rate of remote accesses for coherence")
	flags.StringVar(&o.objective, "objective", "time", "what is to be least: time, cost-per-job or time-cost")
	flags.BoolVar(&o.limits.PowerOfTwo, "power-of-two", false, "only powers of two of processors")
	flags.IntVar(&o.limits.MaxNodes, "max-nodes", 0, "at most so many nodes (default any number)")
	flags.IntVar(&o.limits.MinProcessors, "min-processors", 0, "at least so many processors in all (default 1)")
	flags.IntVar(&o.limits.MaxProcessors, "max-processors", 0, "at most so many processors in all (default any number)")
	flags.StringVar(&o.minMemory, "min-memory", "", "at least this `SIZE` of memory in each node")
	flags.StringVar(&o.minTotal, "min-total-memory", "", "at least this `SIZE` of memory in all nodes together")
	flags.StringVar(&o.due, "deadline", "", "`TIME` that the run may take at most, such as 10s")
	flags.StringVar(&o.modelError, "model-error", "", "how far off the model is: a `SHARE`, such as 16%, or a table of predict compare")
	flags.StringVar(&o.vary, "vary", "10%", "`SHARE` by which parameters are varied")
	flags.IntVar(&o.top, "top", 10, "how many machines to rank")
	flags.BoolVar(&o.front, "front", false, "print only the front")
	flags.BoolVar(&o.sensitivity, "sensitivity", false, "print only what parameters make of the winner")
	flags.StringVarP(&o.output, "output", "o", "", "write the ranking, and the best two of every smaller budget, as an Arrow table to `FILE`: predict report shows it")
	flags.StringVar(&o.machines, "machines", "", "write descriptions of the ranked machines into folder `DIR`, for predict replay")
	flags.Var(&o.format, "format", "how to print the result")
	o.format = stage.Human
	flags.Lookup("format").DefValue = string(stage.Human)
}

func (o *budgetOptions) run(env *stage.Env) error {
	p, vary, err := o.problem()
	if err != nil {
		return err
	}
	if p.Runs, err = openRuns(o.params); err != nil {
		return err
	}
	prices, err := machine.ReadPrices(o.prices)
	if err != nil {
		return err
	}
	if p.Catalogue = prices.Catalogue; p.Catalogue == nil {
		return fmt.Errorf("reading %s: there is no [catalogue]; data/price/example1999.toml has one", o.prices)
	}
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
	}
	r, err := p.Search()
	if err != nil {
		return fmt.Errorf("choosing a machine for %s: %w", p.Runs[0].Program, err)
	}
	return o.report(env, p, r, vary)
}

// problem is what the flags alone say.
func (o *budgetOptions) problem() (*budget.Problem, float64, error) {
	switch {
	case len(o.params) == 0:
		return nil, 0, stage.Usage("no parameters; give --params with a directory that analyze wrote")
	case o.prices == "":
		return nil, 0, stage.Usage("no prices; give --prices FILE, such as data/price/example1999.toml")
	case o.money == "":
		return nil, 0, stage.Usage("no budget; give --budget, such as --budget '$5000'")
	case o.front && o.sensitivity:
		return nil, 0, stage.Usage("--front and --sensitivity print different tables; take one")
	case o.top < 1 || o.top > 1000:
		return nil, 0, stage.Usage("--top %d is not from 1 to 1000", o.top)
	case min(o.limits.MaxNodes, o.limits.MinProcessors, o.limits.MaxProcessors) < 0:
		return nil, 0, stage.Usage("a number of nodes or processors below 0")
	}
	p := &budget.Problem{Limits: o.limits, Top: o.top}
	if err := o.sizes(&p.Limits); err != nil {
		return nil, 0, err
	}
	var err error
	if p.Objective, err = budget.ObjectiveNamed(o.objective); err != nil {
		return nil, 0, stage.Usage("--objective: %v", err)
	}
	switch {
	case !o.printed:
	case o.model != "" && o.model != "paper":
		return nil, 0, stage.Usage("--as-printed is model paper, not %s", o.model)
	default:
		o.model = "paper"
	}
	if p.Model, err = cluster.Named(cmp.Or(o.model, "curve")); err != nil {
		return nil, 0, stage.Usage("--model: %v", err)
	}
	raise, err := percent("--raise-remote", o.raise, 1000)
	if err != nil {
		return nil, 0, err
	}
	if p.Model == (cluster.Paper{}) {
		p.Model = cluster.Paper{Raise: raise, Printed: o.printed}
	}
	vary, err := percent("--vary", o.vary, 99)
	return p, vary, err
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

// percent reads "12.4%" as a share.
func percent(flag, text string, most float64) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !strings.HasSuffix(text, "%") || !(v >= 0 && v <= most) {
		return 0, stage.Usage("%s %s is not a share from 0%% to %v%%", flag, text, most)
	}
	return v / 100, nil
}

// amount reads the budget, per hour or not as the prices are.
func (o *budgetOptions) amount(hourly bool) (unit.Dollars, error) {
	text, isHourly := strings.CutSuffix(strings.TrimSpace(o.money), "/h")
	switch {
	case isHourly && !hourly:
		return 0, stage.Usage("--budget %s is per hour, and %s has things to buy; give an amount such as '$5000'", o.money, o.prices)
	case !isHourly && hourly:
		return 0, stage.Usage("--budget %s is not per hour, and %s has things to rent; give an amount such as '$10/h'", o.money, o.prices)
	}
	d, err := unit.ParseDollars(text)
	if err != nil {
		return 0, stage.Usage("--budget: %v", err)
	}
	return d, nil
}

// errorOf is how far off a model is, as was said or as a comparison has it; NaN if nobody says so.
func (o *budgetOptions) errorOf(name string) (float64, error) {
	if o.modelError == "" {
		return math.NaN(), nil
	}
	if strings.HasSuffix(o.modelError, "%") {
		return percent("--model-error", o.modelError, 1e4)
	}
	t, err := store.ReadTable(o.modelError)
	if err != nil {
		return 0, fmt.Errorf("reading --model-error %s: %w", o.modelError, err)
	}
	if t.Name != "comparison" {
		return 0, fmt.Errorf("reading --model-error %s: a %s table; predict compare -o writes what is wanted", o.modelError, t.Name)
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
		return 0, fmt.Errorf("reading --model-error %s: no row is of model %s", o.modelError, name)
	}
	return sum / n / 100, nil
}
