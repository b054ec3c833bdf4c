package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"spoor/predict/internal/message"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// messageOptions are the flags of predict message itself.
type messageOptions struct {
	lawFlags
	arrayFlags
	of    []string
	d     []int64
	terms bool
}

// messageCommand is predict message.
func messageCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "message [PREFIX] --params P...",
		Args: cobra.MaximumNArgs(1),
	}
	stage.Describe(cmd, helpTexts, "message", namesAndDocs(message.Operations, func(o message.Operation) (string, string) { return o.Name, o.Doc }))
	o := &messageOptions{}
	flags := cmd.Flags()
	o.lawFlags.add(flags)
	o.arrayFlags.add(flags)
	flags.StringSliceVar(&o.of, "of", []string{"rows", "columns"}, "operations as a `LIST`")
	flags.Int64SliceVar(&o.d, "d", []int64{1}, "numbers of rows or columns to send, or sides of boxes, as a `LIST`")
	flags.BoolVar(&o.terms, "terms", false, "print the time of each term")
	cmd.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			for _, name := range []string{"of", "size", "mesh", "d", "item", "terms"} {
				if flags.Changed(name) {
					return stage.Usage("--%s is for arrays, but %s has recorded messages", name, args[0])
				}
			}
			return o.traffic(c.Context(), env, args[0])
		}
		return o.run(env)
	}
	stage.Group(flags, "Arrays", "of", "d")
	stage.Group(flags, "Output", "terms")
	stage.Complete(cmd, "of", func() (names []string) {
		for _, o := range message.Operations {
			names = append(names, o.Name)
		}
		return names
	})
	stage.Complete(cmd, "model", message.Names)
	cmd.AddCommand(crossoverCommand(env), blocksCommand(env))
	return cmd
}

func (o *messageOptions) run(env *stage.Env) error {
	var operations []message.Operation
	for _, name := range o.of {
		op, err := message.Named(name)
		if err != nil {
			return stage.Usage("--of: %w", err)
		}
		operations = append(operations, op)
	}
	cases, err := o.cases()
	if err != nil {
		return err
	}
	laws, err := o.laws(env)
	if err != nil {
		return err
	}
	var rows []message.Row
	var all []message.Prediction
	for _, op := range operations {
		for _, c := range cases {
			for _, c.D = range o.d {
				for _, l := range laws {
					p, err := l.Predict(op, c)
					if err != nil {
						return fmt.Errorf("predicting %s of %dx%d: %w", op.Name, c.Rows, c.Cols, err)
					}
					rows, all = append(rows, message.Row{Case: c, Prediction: p}), append(all, p)
				}
			}
		}
	}
	t := message.Table(rows, messageFacts)
	if o.terms {
		return o.report(env, message.TermsTable(rows, messageFacts), t, all)
	}
	return o.report(env, t, t, all)
}

// traffic predicts the messages of a trace.
func (o *messageOptions) traffic(ctx context.Context, env *stage.Env, prefix string) error {
	laws, err := o.laws(env)
	if err != nil {
		return err
	}
	t, err := store.Open(prefix)
	if err != nil {
		return err
	}
	defer t.Close()
	var rows []message.TrafficRow
	var all []message.Prediction
	var traffic *message.Traffic
	for _, l := range laws {
		if traffic == nil { // all laws have the same lines
			if traffic, err = message.Events(ctx, t, l.Line, l.Page); err != nil {
				return fmt.Errorf("reading %s: %w", prefix, err)
			}
		}
		shares, err := l.Traffic(traffic)
		if err != nil {
			return fmt.Errorf("predicting the messages of %s: %w", prefix, err)
		}
		for _, s := range shares {
			rows = append(rows, message.TrafficRow{Share: s, Model: l.Model.Name})
			for _, p := range []message.Prediction{s.Sent, s.Received} {
				if p.Messages > 0 {
					all = append(all, p)
				}
			}
		}
	}
	table := message.TrafficTable(rows, append(message.Facts(all), append([]trace.Arg{{Key: "program", Value: t.Header().Title()}, {Key: "trace", Value: t.SHA256()}}, messageFacts...)...))
	return o.report(env, table, table, all, traffic.Warnings()...)
}
