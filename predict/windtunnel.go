package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"spoor/calibrate/machine"
	"spoor/predict/windtunnel"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// windtunnelOptions are the flags of predict windtunnel.
type windtunnelOptions struct {
	params          []string
	prices          string
	targets, hosts  []int
	model, measured string
	placement       string
	printed, halves bool
	terms, summary  bool
	format          stage.Format
	output          string
}

const windtunnelExample = `  $ tracegen water --procs 8 --set molecules=32 --set steps=1 -o water
  $ analyze --run quanta,footprint -o water.analysis water
  $ predict windtunnel --params water.analysis --prices data/price/sgi1993.toml
  $ predict windtunnel --params water.analysis,data/machine/windtunnel/example.params.toml --prices data/price/sgi1993.toml --targets 8,32,128 --summary
  $ predict windtunnel --params water.analysis --prices data/price/sgi1993.toml --placement cyclic --hosts 2,4
  $ predict windtunnel --params water.analysis,data/machine/windtunnel/example.params.toml --measured water.analysis
  $ predict windtunnel --params water.analysis,data/machine/windtunnel/example.params.toml --measured water.analysis --halves`

// windtunnelCommand is predict windtunnel.
func windtunnelCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "windtunnel --params P... --prices FILE",
		Short:   "whether a parallel simulator of a parallel computer is worth its money",
		Long:    windtunnelLong,
		Example: windtunnelExample,
		Args:    cobra.NoArgs,
	}
	o := &windtunnelOptions{}
	flags := cmd.Flags()
	stage.PathsVar(flags, &o.params, "params", "analysis directory or parameter file `P`; may be repeated")
	flags.StringVar(&o.prices, "prices", "", "list of prices `FILE` with a section [windtunnel]")
	flags.IntSliceVar(&o.targets, "targets", nil, "sizes of the target system as a `LIST` (default the one measured)")
	flags.IntSliceVar(&o.hosts, "hosts", nil, "numbers of hosts as a `LIST`, which divide the sizes (default all powers of two)")
	flags.StringVar(&o.model, "model", "", "`NAME` of the model (default the last that applies)")
	flags.BoolVar(&o.printed, "as-printed", false, "the equations as they are printed: --model printed")
	flags.StringVar(&o.measured, "measured", "", "compare with what the analysis in `DIR` measured")
	flags.BoolVar(&o.halves, "halves", false, "with --measured, hold intervals from one half of the quanta to the other half")
	flags.StringVar(&o.placement, "placement", "", "`NAME` of how targets are placed on hosts, for model placed: block or cyclic (default block)")
	flags.BoolVar(&o.terms, "terms", false, "print the terms of the equations instead")
	flags.BoolVar(&o.summary, "summary", false, "print only the summary")
	format := stage.FormatFlag(flags)
	flags.StringVarP(&o.output, "output", "o", "", "write the table in Arrow to `FILE`")
	cmd.RunE = func(*cobra.Command, []string) error {
		o.format = *format
		return o.run(env)
	}
	return cmd
}

// windtunnelLong is the help of the command.
const windtunnelLong = "Windtunnel predicts how long a quantum takes when N target nodes are simulated on p hosts, K = N/p each, what speedup\n" +
	"that is, and whether it is above the costup, for then parallel simulation is cost-effective [falsafi1997]. Times\n" +
	"are in cycles, by cause. The summary has K_min, the targets per host of least cost/performance, and the\n" +
	"size from which on parallel simulation is cost-effective. Models of the slowest host:\n" +
	"  printed  all equations as printed; --as-printed is the same\n" +
	"  paper    with the slips in equations 10, 12 and 14 corrected\n" +
	"  gamma    order statistics of gamma distributions; interference that simulation bears out\n" +
	"  bounded  likewise, of times that the quantum bounds; the default where it does\n" +
	"  kinds    bounded for each of 16 kinds of quanta, by how long targets execute in them, from samples of quanta\n" +
	"  placed   likewise, of the targets that --placement has on each host; the default where there are samples\n\n" +
	"P is a directory in which analyze has left quanta and footprint of a fully parallel run (one target per host),\n" +
	"or predict replay --quanta those of simulated time, or a parameter file. What the host's operations take comes from a parameter file too, for example\n" +
	"data/machine/windtunnel/example.params.toml, and nothing if it is not given. Larger systems than the\n" +
	"measured one have larger problems, whose quanta are alike.\n\n" +
	"With --measured, speedups are compared with the critical path through the quanta of an analysis, with\n" +
	"misses as it has simulated them, for targets placed on hosts in blocks or in turn; no prices are needed. From lo to hi is what the program's quanta\n" +
	"and the intervals of parameters leave open; without --measured intervals have how far off the model is besides,\n" +
	"on samples of the program's own quanta or, where there are none, on 14 other programs. With --halves too, speedups and these\n" +
	"whole intervals are of one half of the quanta, and what was measured of the other."

func (o *windtunnelOptions) run(env *stage.Env) error {
	if err := o.check(); err != nil {
		return err
	}
	m, placement, err := o.chosen()
	if err != nil {
		return err
	}
	run, err := windtunnel.Open(o.params)
	if err != nil {
		return err
	}
	if o.measured != "" {
		return o.compare(env, run)
	}
	if o.model == "" {
		m = run.Parameters.Best()
	}
	if o.placement != "" && !m.Places() {
		return stage.Usage("--placement is for model placed; model %s has targets placed at random", m.Name)
	}
	prices, err := machine.ReadPrices(o.prices)
	if err != nil {
		return err
	}
	p, err := windtunnel.Predict(windtunnel.Case{Run: run, Model: m, Prices: prices, Targets: o.targets, Hosts: o.hosts, Placement: placement})
	if err != nil {
		return fmt.Errorf("predicting the simulation of %s: %w", run.Program, err)
	}
	return o.report(env, p)
}

// check says which flags do not go together.
func (o *windtunnelOptions) check() error {
	switch {
	case len(o.params) == 0:
		return stage.Usage("no parameters; give --params with a directory that analyze wrote")
	case o.measured == "" && o.prices == "":
		return stage.Usage("no prices; give --prices FILE, such as data/price/sgi1993.toml")
	case o.terms && o.summary:
		return stage.Usage("--terms and --summary print different tables; take one")
	case o.printed && o.model != "" && o.model != "printed":
		return stage.Usage("--as-printed is --model printed, not %s", o.model)
	case o.measured != "" && (o.terms || o.summary || o.model != "" || o.printed || o.placement != "" || len(o.targets)+len(o.hosts) > 0):
		return stage.Usage("--measured compares all models and placements on all powers of two; it goes with --params, --halves, --format and -o")
	case o.halves && o.measured == "":
		return stage.Usage("--halves goes with --measured")
	}
	return nil
}

// chosen is the model and the placement that were asked for, or zeros.
func (o *windtunnelOptions) chosen() (m windtunnel.Model, p windtunnel.Placement, err error) {
	if o.printed {
		o.model = "printed"
	}
	if o.model != "" {
		if m, err = windtunnel.Named(o.model); err != nil {
			return m, p, stage.Usage("--model: %v", err)
		}
	}
	if o.placement != "" {
		if p, err = windtunnel.PlacementNamed(o.placement); err != nil {
			return m, p, stage.Usage("--placement: %v", err)
		}
	}
	return m, p, nil
}

var windtunnelFacts = []trace.Arg{{Key: "tool", Value: "predict " + stage.Version}}

func (o *windtunnelOptions) report(env *stage.Env, p windtunnel.Prediction) error {
	t, summary := windtunnel.Table(p, windtunnelFacts), windtunnel.SummaryTable(p, windtunnelFacts)
	if err := o.write(t); err != nil {
		return err
	}
	switch {
	case o.terms:
		return stage.Print(env.Out, o.format, windtunnel.TermsTable(p, windtunnelFacts))
	case o.summary:
		return stage.Print(env.Out, o.format, summary)
	case o.format != stage.Human:
		return stage.Print(env.Out, o.format, t)
	}
	fmt.Fprintf(env.Out, "%s: model %s, prices %s\n", p.Program, p.Model, p.Prices)
	if err := printBoth(env.Out, t, summary); err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "\ninterval: %s\n", p.Covers)
	for _, w := range p.Warnings {
		fmt.Fprintf(env.Out, "warning: %v\n", w)
	}
	return nil
}

// compare prints models beside what was measured.
func (o *windtunnelOptions) compare(env *stage.Env, run *windtunnel.Run) error {
	m, err := windtunnel.OpenMeasured(run, o.measured)
	if err != nil {
		return err
	}
	compare := m.Compare
	if o.halves {
		compare = m.CrossValidate
	}
	rows, err := compare()
	if err != nil {
		return fmt.Errorf("comparing %s: %w", run.Program, err)
	}
	t := windtunnel.ComparisonTable(rows, append([]trace.Arg{{Key: "program", Value: run.Program}, {Key: "trace", Value: run.Trace}}, windtunnelFacts...))
	if err := o.write(t); err != nil {
		return err
	}
	if o.format != stage.Human {
		return stage.Print(env.Out, o.format, t)
	}
	return printBoth(env.Out, t, windtunnel.ErrorsTable(windtunnel.Summarize(rows)))
}

func (o *windtunnelOptions) write(t *store.Table) error {
	if o.output == "" {
		return nil
	}
	if err := store.WriteTable(o.output, t); err != nil {
		return fmt.Errorf("writing %s: %w", o.output, err)
	}
	return nil
}

func printBoth(w io.Writer, a, b *store.Table) error {
	if err := stage.Print(w, stage.Human, a); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return stage.Print(w, stage.Human, b)
}
