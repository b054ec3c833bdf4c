package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"spoor/calibrate/machine"
	"spoor/predict/internal/keyuse"
	"spoor/predict/internal/windtunnel"
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
	output          tableOutput
}

// windtunnelCommand is predict windtunnel.
func windtunnelCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "windtunnel --params P... --prices FILE",
		Args: cobra.NoArgs,
	}
	stage.Describe(cmd, helpTexts, "windtunnel")
	o := &windtunnelOptions{}
	flags := cmd.Flags()
	stage.PathsVar(flags, &o.params, "params", "analysis directory or parameter file `P`; may be repeated")
	stage.PathVar(flags, &o.prices, "prices", "price list `FILE` with a section [windtunnel]")
	flags.IntSliceVar(&o.targets, "targets", nil, "sizes of the target system as a `LIST` (default the measured size)")
	flags.IntSliceVar(&o.hosts, "hosts", nil, "numbers of hosts as a `LIST` (default all powers of two)")
	flags.StringVar(&o.model, "model", "", "`NAME` of the model (default the last that applies)")
	flags.BoolVar(&o.printed, "as-printed", false, "use the equations as printed: --model printed")
	stage.PathVar(flags, &o.measured, "measured", "compare with the quanta of the analysis in `DIR`")
	flags.BoolVar(&o.halves, "halves", false, "with --measured, predict one half of the quanta from the other")
	flags.StringVar(&o.placement, "placement", "", "`NAME` of the placement of targets on hosts, for model placed: block or cyclic (default block)")
	flags.BoolVar(&o.terms, "terms", false, "print only the terms of the equations")
	flags.BoolVar(&o.summary, "summary", false, "print only the summary")
	o.output.add(flags, "write the table in Arrow to `FILE`")
	stage.Group(flags, "Input", "params", "prices", "targets", "hosts", "placement")
	stage.Group(flags, "Models", "model", "as-printed", "measured", "halves")
	stage.Group(flags, "Output", "terms", "summary", "format", "output")
	stage.Complete(cmd, "model", func() (names []string) {
		for _, m := range windtunnel.Models {
			names = append(names, m.Name)
		}
		return names
	})
	stage.Complete(cmd, "placement", func() (names []string) {
		for _, p := range windtunnel.Placements {
			names = append(names, p.Name)
		}
		return names
	})
	cmd.RunE = func(*cobra.Command, []string) error { return o.run(env) }
	return cmd
}

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
		if o.prices != "" {
			env.Note("--prices has no effect with --measured, which compares times")
		}
		return o.compare(env, run)
	}
	if o.model == "" {
		m = run.Parameters.Best()
	}
	if o.placement != "" && !m.Places() {
		return stage.Usage("--placement needs model placed; model %s places targets at random", m.Name)
	}
	prices, err := machine.ReadPrices(o.prices)
	if err != nil {
		return err
	}
	p, err := windtunnel.Predict(windtunnel.Case{Run: run, Model: m, Prices: prices, Targets: o.targets, Hosts: o.hosts, Placement: placement})
	if err != nil {
		return fmt.Errorf("predicting the simulation of %s: %w", run.Program, err)
	}
	noteAll(env, keyuse.OfPrices(prices, ""))
	return o.report(env, p)
}

// check returns an error for flags that exclude each other.
func (o *windtunnelOptions) check() error {
	switch {
	case len(o.params) == 0:
		return stage.Usage("no parameters; give --params with a directory that analyze wrote")
	case o.measured == "" && o.prices == "":
		return stage.Usage("no prices; give --prices FILE, such as data/price/sgi1993.toml")
	case o.terms && o.summary:
		return stage.Usage("--terms and --summary print different tables; choose one")
	case o.printed && o.model != "" && o.model != "printed":
		return stage.Usage("--as-printed is --model printed, not %s", o.model)
	case o.measured != "" && (o.terms || o.summary || o.model != "" || o.printed || o.placement != "" || len(o.targets)+len(o.hosts) > 0):
		return stage.Usage("--measured compares all models and placements on powers of two; only --params, --halves, --format and -o can be used with it")
	case o.halves && o.measured == "":
		return stage.Usage("--halves needs --measured")
	}
	return nil
}

// chosen returns the model and the placement of the flags, or zeros.
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

var windtunnelFacts = toolFacts()

func (o *windtunnelOptions) report(env *stage.Env, p windtunnel.Prediction) error {
	t, summary := windtunnel.Table(p, windtunnelFacts), windtunnel.SummaryTable(p, windtunnelFacts)
	if err := o.output.write("", t); err != nil {
		return err
	}
	if o.terms || o.summary || o.output.format != stage.Human {
		noteWarnings(env, p.Warnings)
	}
	switch {
	case o.terms:
		return stage.Print(env.Out, o.output.format, windtunnel.TermsTable(p, windtunnelFacts))
	case o.summary:
		return stage.Print(env.Out, o.output.format, summary)
	case o.output.format != stage.Human:
		return stage.Print(env.Out, o.output.format, t)
	}
	fmt.Fprintf(env.Out, "%s: model %s, prices %s\n", p.Program, p.Model, p.Prices)
	if err := printBoth(env.Out, t, summary); err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "\ninterval: %s\n", p.Covers)
	printWarnings(env.Out, p.Warnings)
	return nil
}

// compare compares models with measurements.
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
	if err := o.output.write("", t); err != nil {
		return err
	}
	if o.output.format != stage.Human {
		return stage.Print(env.Out, o.output.format, t)
	}
	return printBoth(env.Out, t, windtunnel.ErrorsTable(windtunnel.Summarize(rows)))
}

func printBoth(w io.Writer, a, b *store.Table) error {
	if err := stage.Print(w, stage.Human, a); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return stage.Print(w, stage.Human, b)
}
