package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spoor/calibrate/internal/fitting"
	"spoor/calibrate/internal/host"
	"spoor/calibrate/internal/marshalling"
	"spoor/calibrate/internal/transport"
	"spoor/traces/lookup"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// marshallingOptions are the flags of calibrate marshalling.
type marshallingOptions struct {
	measuring
	transport, plan string
}

func marshallingCommand(env *stage.Env) *cobra.Command {
	o := &marshallingOptions{}
	cmd := &cobra.Command{
		Use:  "marshalling -o PREFIX",
		Args: cobra.NoArgs,
	}
	stage.Describe(cmd, helpTexts, "marshalling", statementsAndPlans())
	o.add(cmd.Flags())
	cmd.Flags().StringVar(&o.transport, "transport", marshallingTransport, "`NAME` of the transport")
	cmd.Flags().StringVar(&o.plan, "plan", marshalling.Plans[0].Name, "`NAME` of the points to measure")
	stage.Complete(cmd, "plan", planNames)
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

// statementsAndPlans lists the statements and the plans, for the help.
func statementsAndPlans() string {
	var names []string
	for _, s := range marshalling.Statements {
		names = append(names, s.Name)
	}
	text := strings.Join(names, ", ") + ". The points of --plan NAME are:\n\n"
	for _, p := range marshalling.Plans {
		text += fmt.Sprintf("    %-8s %s\n", p.Name, p.What)
	}
	return text
}

// planNames returns the names of all plans.
func planNames() (names []string) {
	for _, p := range marshalling.Plans {
		names = append(names, p.Name)
	}
	return names
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
	plan := slices.IndexFunc(marshalling.Plans, func(p marshalling.Plan) bool { return p.Name == o.plan })
	if plan < 0 {
		return nil, stage.Usage("--plan: %w", lookup.Unknown("plan", o.plan, planNames()))
	}
	p := env.Progress("measuring", int64(o.options(0, nil).Launches*len(marshalling.Plans[plan].Points(o.seed, o.quick))), "points")
	defer p.Done()
	table, err := o.marshalling(ctx, env, chosen[0], marshalling.Plans[plan], host.Sleep, func() { p.Add(1) })
	if err != nil {
		return nil, err
	}
	return o.fit(env, "marshalling", table)
}

// marshalling measures the points of a plan over a transport.
func (o *measuring) marshalling(ctx context.Context, env *stage.Env, t transport.Transport, plan marshalling.Plan, wait waiter, step func()) (table *store.Table, err error) {
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
	return transport.At(ctx, bench, o.options(marshallingBudget, wait), plan.Points(o.seed, o.quick), step, trace.Arg{Key: "line", Value: line.String()},
		trace.Arg{Key: "page", Value: unit.Bytes(os.Getpagesize()).String()}, trace.Arg{Key: "transport", Value: t.Name}, trace.Arg{Key: "plan", Value: plan.Name})
}
