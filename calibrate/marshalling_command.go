package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"spoor/calibrate/host"
	"spoor/calibrate/marshalling"
	"spoor/calibrate/transport"
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
		Short: "measure what it costs to pack, send, receive and unpack, and to scan [hur1999]",
		Long: "Marshalling measures transfers of 1 to 200 rows and columns of matrices of 1 x 1 to 4000 x 4000 items of 4 bytes\n" +
			"between two processors of this host: packed, sent, received and unpacked; parts of horizontal and vertical\n" +
			"scans of 50 x 50 to 1000 x 1000 items; and array statements over as many, " + strings.Join(names, ", ") + ".\n" +
			"As many test points as training points are drawn, independently of each other: 100 of transfers.\n\n" +
			"It writes what was measured, PREFIX.marshalling.arrow, and what calibrate fit finds in it: the models of [hur1999]\n" +
			"and ours, PREFIX.marshalling.params.toml and PREFIX.marshalling.fit.arrow. It takes a minute and a half: launches\n" +
			"are spread over it, so that what changes slowly is in the intervals.\n\n" +
			"Nothing else should run: a host that is busy for more than a fifth of the time is refused, and times on which\n" +
			"launches do not agree give no parameters. States of the host are as in calibrate transport.",
		Example: "  $ calibrate marshalling --quick -o host",
		Args:    cobra.NoArgs,
	}
	o.add(cmd.Flags())
	cmd.Flags().StringVar(&o.transport, "transport", marshallingTransport, "`NAME` of the transport, as calibrate transport has it")
	format := stage.FormatFlag(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		r, err := o.run(cmd.Context(), env)
		if err != nil {
			return err
		}
		return stage.Print(env.Out, *format, r.summary())
	}
	return cmd
}

// marshallingTransport is the usual one: nothing but copies.
const marshallingTransport = "ring"

// marshallingBudget is the time after which no launch begins, if there were some.
const marshallingBudget = unit.Seconds(90)

// run measures and fits.
func (o *marshallingOptions) run(ctx context.Context, env *stage.Env) (*fitted, error) {
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
