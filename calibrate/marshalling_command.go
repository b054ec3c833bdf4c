package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"spoor/calibrate/internal/fitting"
	"spoor/calibrate/internal/host"
	"spoor/calibrate/internal/marshalling"
	"spoor/calibrate/internal/transport"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// marshallingOptions are the flags of calibrate marshalling.
type marshallingOptions struct {
	measuring
	transport string
}

func marshallingCommand(env *stage.Env) *cobra.Command {
	o := &marshallingOptions{}
	var names []string
	for _, s := range marshalling.Statements {
		names = append(names, s.Name)
	}
	cmd := &cobra.Command{
		Use:   "marshalling -o PREFIX",
		Short: "measure packed messages, scans and array statements [hur1999]",
		Long: "Marshalling times blocks of a matrix that are packed, sent, received and unpacked: 1 to 200 rows or columns of\n" +
			"matrices of 1 x 1 to 4000 x 4000 items of 4 bytes. It times parts of horizontal and vertical scans of\n" +
			"50 x 50 to 1000 x 1000 items, and array statements over as many:\n" +
			strings.Join(names, ", ") + ".\n" +
			"It draws as many test points as training points, independently: 100 of transfers. It writes\n" +
			"\n" +
			"    PREFIX.marshalling.arrow        the times\n" +
			"    PREFIX.marshalling.params.toml  parameters of all models: see 'calibrate help transfer'\n" +
			"    PREFIX.marshalling.fit.arrow    predictions of each model next to the measured times\n" +
			"\n" +
			"It takes a minute and a half: launches are spread over it, so that intervals include slow changes. See\n" +
			"'calibrate help noise' about busy hosts.",
		Example: "  $ calibrate marshalling --quick -o host",
		Args:    cobra.NoArgs,
	}
	o.add(cmd.Flags())
	cmd.Flags().StringVar(&o.transport, "transport", marshallingTransport, "`NAME` of the transport")
	format := stage.FormatFlag(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		r, err := o.run(cmd.Context(), env)
		if err != nil {
			return err
		}
		return stage.Print(env.Out, *format, r.Summary())
	}
	return cmd
}

// marshallingTransport is the default transport: it only copies.
const marshallingTransport = "ring"

// marshallingBudget is the time after which no further launch begins.
const marshallingBudget = unit.Seconds(90)

// run measures and fits.
func (o *marshallingOptions) run(ctx context.Context, env *stage.Env) (*fitting.Fitted, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	chosen, err := transportsOf("--transport", []string{o.transport})
	if err != nil {
		return nil, err
	}
	p := env.Progress("measuring", int64(o.options(0, nil).Launches*len(marshalling.Plan(o.seed, o.quick))), "points")
	defer p.Done()
	table, err := o.marshalling(ctx, env, chosen[0], host.Sleep, func() { p.Add(1) })
	if err != nil {
		return nil, err
	}
	return o.fit(env, "marshalling", table)
}

// marshalling measures over a transport.
func (o *measuring) marshalling(ctx context.Context, env *stage.Env, t transport.Transport, wait waiter, step func()) (table *store.Table, err error) {
	bench, done, err := transport.Open(t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	defer func() { err = errors.Join(err, done()) }()
	if err := bench.Launch(0); err != nil {
		return nil, err
	}
	if err := o.look(env, "marshalling: ", bench); err != nil {
		return nil, err
	}
	line := unit.Bytes(64)
	if caches := host.KernelCaches(os.DirFS("/sys/devices/system/cpu"), 0); len(caches) > 0 {
		line = caches[0].Line
	}
	return transport.At(ctx, bench, o.options(marshallingBudget, wait), marshalling.Plan(o.seed, o.quick), step, trace.Arg{Key: "line", Value: line.String()},
		trace.Arg{Key: "page", Value: unit.Bytes(os.Getpagesize()).String()}, trace.Arg{Key: "transport", Value: t.Name})
}
