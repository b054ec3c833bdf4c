package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"spoor/calibrate/internal/transport"
	"spoor/calibrate/param"
	"spoor/traces/lookup"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// transportOptions are the flags of calibrate transport.
type transportOptions struct {
	measuring
	transports []string
}

func transportCommand(env *stage.Env) *cobra.Command {
	o := &transportOptions{}
	cmd := &cobra.Command{
		Use:  "transport -o PREFIX",
		Args: cobra.NoArgs,
	}
	stage.Describe(cmd, helpTexts, "transport")
	flags := cmd.Flags()
	o.add(flags)
	flags.StringSliceVar(&o.transports, "transports", nil, "measure these `NAMES` only (default all that are present)")
	format := stage.FormatFlag(flags)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env, *format) }
	return cmd
}

// chosen returns the transports of --transports.
func (o *transportOptions) chosen(env *stage.Env) (list []transport.Transport, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if len(o.transports) == 0 {
		return present(env), nil
	}
	return transportsOf("--transports", o.transports)
}

// present returns the transports that can be measured here, without variants of others. It notes those that cannot.
func present(env *stage.Env) (list []transport.Transport) {
	for _, t := range transport.All {
		if t.Variant {
			continue
		}
		if err := t.Absent(); err != nil {
			env.Note("%s is not measured: %v", t.Name, err)
			continue
		}
		list = append(list, t)
	}
	return list
}

// transportsOf returns the transports with the names of a flag, in the order of transport.All.
func transportsOf(flag string, wanted []string) (list []transport.Transport, err error) {
	var names []string
	for _, t := range transport.All {
		if names = append(names, t.Name); slices.Contains(wanted, t.Name) {
			list = append(list, t)
		}
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return nil, stage.Usage("%s: %w", flag, lookup.Unknown("transport", name, names))
		}
	}
	return list, nil
}

func (o *transportOptions) run(ctx context.Context, env *stage.Env, format stage.Format) error {
	chosen, err := o.chosen(env)
	if err != nil {
		return err
	}
	tables, err := o.messages(ctx, env, chosen)
	if err != nil {
		return err
	}
	found := &foundParams{}
	var failed refusals
	for i, t := range chosen {
		err := tables[i].refused
		if err == nil {
			err = o.find(env, t.Name, tables[i].table, found)
		}
		if err != nil && !unusable(err) {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		if err != nil {
			failed.add(env, t.Name, fmt.Errorf("%s: %w", t.Name, err))
		}
	}
	if o.quick {
		return stage.Print(env.Out, format, found.table("transport"))
	}
	if len(failed) == len(chosen) {
		return failed.err("nothing was measured")
	}
	return errors.Join(stage.Print(env.Out, format, found.table("transport")), failed.err("the table is incomplete"))
}

// transportBudget is the time after which no further launch of a transport begins.
const transportBudget = unit.Seconds(20)

// outcome has the times of a transport, or the error that they are too noisy.
type outcome struct {
	table   *store.Table
	refused error
}

// messages measures everything before it writes anything. A transport that is too noisy does not affect the
// others.
func (o *measuring) messages(ctx context.Context, env *stage.Env, chosen []transport.Transport) (list []outcome, err error) {
	usual := o.options(transportBudget, nil)
	p := env.Progress("measuring", int64(len(chosen)*usual.Launches*transport.Points(usual)), "points")
	defer p.Done()
	list = make([]outcome, len(chosen))
	var measurements []func(context.Context, waiter) error
	for i, t := range chosen {
		measurements = append(measurements, func(ctx context.Context, wait waiter) (err error) {
			list[i].table, err = o.transport(ctx, env, t, wait, func() { p.Add(1) })
			return err
		})
	}
	for i, err := range takeTurns(ctx, measurements) {
		if list[i].refused = err; err != nil && !unusable(err) {
			return nil, fmt.Errorf("%s: %w", chosen[i].Name, err)
		}
	}
	return list, nil
}

// transport measures one transport.
func (o *measuring) transport(ctx context.Context, env *stage.Env, t transport.Transport, wait waiter, step func()) (table *store.Table, err error) {
	bench, done, err := transport.Open(t)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	if err := bench.Launch(0); err != nil {
		return nil, err
	}
	if err := o.look(env, t.Name+": ", bench); err != nil {
		return nil, err
	}
	return transport.Measure(ctx, bench, o.options(transportBudget, wait), step)
}

// find writes a dataset and the results of its fit.
func (o *transportOptions) find(env *stage.Env, name string, table *store.Table, found *foundParams) error {
	r, err := o.fit(env, name, table)
	if err != nil {
		return err
	}
	set, err := r.Params()
	if err != nil {
		return err
	}
	found.add(name, set)
	return nil
}

// foundParams has parameters of transports or of other experiments, for people.
type foundParams struct {
	of, name, unit []string
	value, lo, hi  []float64
}

func (f *foundParams) add(of string, set *param.Set) {
	for _, p := range set.All() {
		f.of, f.name, f.unit = append(f.of, of), append(f.name, p.Name), append(f.unit, p.Unit)
		f.value, f.lo, f.hi = append(f.value, p.Value), append(f.lo, p.Lo), append(f.hi, p.Hi)
	}
}

// table returns the parameters. The column called of has the transport or experiment.
func (f *foundParams) table(of string) *store.Table {
	return &store.Table{Name: of, Columns: []store.Column{{Name: of, Data: f.of}, {Name: "name", Data: f.name},
		{Name: "value", Data: f.value}, {Name: "unit", Data: f.unit}, {Name: "lo", Data: f.lo}, {Name: "hi", Data: f.hi}}}
}

// completeTransports completes the names of transports in the shell.
func completeTransports(root *cobra.Command) {
	names := func() (list []string) {
		for _, t := range transport.All {
			list = append(list, t.Name)
		}
		return list
	}
	for _, cmd := range root.Commands() {
		for _, flag := range []string{"transports", "transport"} {
			if cmd.Flags().Lookup(flag) != nil {
				stage.Complete(cmd, flag, names)
			}
		}
	}
}
