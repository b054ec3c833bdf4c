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
		Use:  "marshalling -o PREFIX",
		Args: cobra.NoArgs,
	}
	stage.Describe(cmd, helpTexts, "marshalling", strings.Join(names, ", ")+".")
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
