package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/keyuse"
	"spoor/predict/internal/logp"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// logpOptions are the flags of predict logp.
type logpOptions struct {
	machines []string
	procs    []int
	bytes    []string
	network  bool
	printed  bool
	output   tableOutput
}

// logpCommand is predict logp.
func logpCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "logp [PREFIX] --machine FILE...",
	}
	stage.Describe(cmd, helpTexts, "logp", namesAndDocs(logp.Operations, func(o logp.Operation) (string, string) { return o.Name, o.Doc }))
	o := &logpOptions{}
	flags := cmd.Flags()
	stage.PathsVar(flags, &o.machines, "machine", "machine description `FILE`; may be repeated")
	flags.IntSliceVar(&o.procs, "procs", nil, "numbers of processors as a `LIST` (default from PREFIX or the machine)")
	flags.StringSliceVar(&o.bytes, "bytes", nil, "sizes of messages as a `LIST` (default the mean of PREFIX, or 8B)")
	flags.BoolVar(&o.network, "network", false, "print L, o, g and G instead of bounds")
	flags.BoolVar(&o.printed, "as-printed", false, "take g from the bisection as in the paper; for networks of links")
	o.output.add(flags, "write the bounds as an Arrow table to `FILE`")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		prefixes, machines := splitReplayArgs(env, args, o.machines)
		o.machines = machines
		return o.run(env, prefixes)
	}
	return cmd
}

// traffic is the messages of a trace. The zero traffic has no messages.
type traffic struct {
	program, trace string
	procs          int
	bytes          unit.Bytes
	flows          []comm.Flow
	warning        error
}

func openTraffic(prefix string) (traffic, error) {
	t, err := store.Open(prefix)
	if err != nil {
		return traffic{}, err
	}
	defer t.Close()
	flows, mean, warning, err := logp.Traffic(t)
	if err != nil {
		return traffic{}, fmt.Errorf("reading %s: %w", prefix, err)
	}
	return traffic{t.Header().Title(), t.SHA256(), t.Header().Procs, max(1, mean), flows, warning}, nil
}

func (o *logpOptions) run(env *stage.Env, prefixes []string) error {
	switch {
	case len(prefixes) > 1:
		return stage.Usage("%s and %s: give one trace for the traffic", prefixes[0], prefixes[1])
	case len(o.machines) == 0:
		return noMachine(prefixes)
	case len(prefixes) == 1 && len(o.procs) > 0:
		return stage.Usage("--procs cannot be used with the traffic of %s, which has its own number of processors", prefixes[0])
	}
	var sizes []unit.Bytes
	for _, text := range o.bytes {
		size, err := unit.ParseBytes(text)
		if err != nil || size < 1 {
			return stage.Usage("--bytes %s is not a size such as 8B", text)
		}
		sizes = append(sizes, size)
	}
	var of traffic
	if len(prefixes) == 1 {
		var err error
		if of, err = openTraffic(prefixes[0]); err != nil {
			return err
		}
	}
	rows, warnings, err := o.rows(env, of, sizes)
	if err != nil {
		return err
	}
	return o.report(env, of, rows, warnings)
}

// rows returns the networks of all machines.
func (o *logpOptions) rows(env *stage.Env, of traffic, sizes []unit.Bytes) (rows []logp.Row, warnings []error, err error) {
	if len(sizes) == 0 {
		sizes = []unit.Bytes{max(of.bytes, 1)}
		if of.bytes == 0 {
			sizes[0] = 8
		}
	}
	if of.warning != nil {
		warnings = append(warnings, of.warning)
	}
	for _, file := range o.machines {
		m, err := machine.ReadPart(file)
		if err == nil && of.procs == 0 && len(o.procs) == 0 {
			err = m.Need("without --procs", machine.SystemSection)
		}
		if err != nil {
			return nil, nil, err
		}
		procs := o.procs
		noteAll(env, keyuse.OfMachine(m, keyuse.Use{LogP: true, Procs: of.procs > 0 || len(procs) > 0}))
		switch {
		case of.procs > 0:
			procs = []int{of.procs}
		case len(procs) == 0:
			procs = []int{m.System.Nodes}
		}
		for _, n := range procs {
			for _, size := range sizes {
				a, err := logp.Abstract(m, n, size, of.flows)
				if err != nil {
					return nil, nil, fmt.Errorf("abstracting machine %q for %s: %w", m.Name, stage.Count(n, "processor"), err)
				}
				if o.printed {
					if a.Gaps = slices.DeleteFunc(a.Gaps, func(g logp.Gap) bool { return g.From != machine.GapBisection }); len(a.Gaps) == 0 {
						return nil, nil, fmt.Errorf("machine %q has L and g itself, but the paper computes them from links; omit --as-printed", m.Name)
					}
				}
				for _, g := range a.Gaps {
					rows = append(rows, logp.Row{Name: m.Name, Bytes: size, From: g.From, Machine: a.With(g)})
				}
				for _, w := range a.Warnings {
					warnings = append(warnings, fmt.Errorf("machine %q: %w", m.Name, w))
				}
			}
		}
	}
	return rows, warnings, nil
}

func (o *logpOptions) report(env *stage.Env, of traffic, rows []logp.Row, warnings []error) error {
	facts := []trace.Arg{{Key: "program", Value: of.program}, {Key: "trace", Value: of.trace}, {Key: "tool", Value: "predict " + stage.Version}}
	bounds, err := logp.BoundsTable(rows, facts)
	if err != nil {
		return err
	}
	if err := o.output.write("", bounds); err != nil {
		return err
	}
	t := bounds
	if o.network {
		t = logp.NetworkTable(rows, facts)
	}
	if err := stage.Print(env.Out, o.output.format, t); err != nil {
		return err
	}
	if o.output.format != stage.Human {
		noteWarnings(env, warnings)
		return nil
	}
	printWarnings(env.Out, warnings)
	return nil
}
