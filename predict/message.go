package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/predict/message"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// arrayFlags say which arrays there are.
type arrayFlags struct {
	sizes []string
	mesh  string
	item  string
}

func (f *arrayFlags) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.sizes, "size", []string{"1000x1000"}, "rows x columns of the array in items, as a `LIST`")
	flags.StringVar(&f.mesh, "mesh", "2x2", "rows x columns of `PROCESSORS`")
	flags.StringVar(&f.item, "item", "4B", "`SIZE` of an item")
}

// cases are the arrays on the mesh.
func (f *arrayFlags) cases() (out []message.Case, err error) {
	var c message.Case
	if c.MeshRows, c.MeshCols, err = pair("mesh", f.mesh); err != nil {
		return nil, err
	}
	if c.Item, err = unit.ParseBytes(f.item); err != nil || c.Item < 1 {
		return nil, stage.Usage("--item %s is not a size such as 4B", f.item)
	}
	c.D = 1
	for _, size := range f.sizes {
		if c.Rows, c.Cols, err = pair("size", size); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// pair reads 2x3.
func pair(flag, text string) (rows, cols int64, err error) {
	var rest string
	if n, _ := fmt.Sscanf(text+" ", "%dx%d%s", &rows, &cols, &rest); n != 2 || rows < 1 || cols < 1 {
		return 0, 0, stage.Usage("--%s %s is not rows x columns, such as 1000x1000", flag, text)
	}
	return rows, cols, nil
}

// messageOptions are the flags of predict message itself.
type messageOptions struct {
	lawFlags
	arrayFlags
	of    []string
	d     []int64
	terms bool
}

const messageExample = `  $ calibrate fit data/sample/transfers.csv -o host
  $ predict message --params host.params.toml --state far --of rows,columns --size 1000x1000,2000x2000 --d 1,2,5
  $ predict message --param M1_alpha=20us --param M1_beta=1ns/B --param M1_gamma=30ns/line --of rows,columns --size 2000x2000 --mesh 1x2
  $ tracegen transfer --procs 2 --set rows=100 --set cols=100 --set shape=1 --refs=false -o transfer
  $ predict message transfer --params host.params.toml --state far`

// messageCommand is predict message.
func messageCommand(env *stage.Env) *cobra.Command {
	var list strings.Builder
	for _, o := range message.Operations {
		fmt.Fprintf(&list, "  %-10s %s\n", o.Name, o.Doc)
	}
	cmd := &cobra.Command{
		Use:   "message [PREFIX] --params P...",
		Short: "what messages, scans, array statements and programs of them cost, by bytes and memory lines touched",
		Long: "Message predicts times of operations on an array that is divided into blocks over a mesh of processors: a message of\n" +
			"n bytes that touches MLT memory lines takes alpha + beta n + gamma MLT [hur1999]. Models are those of calibrate fit:\n" +
			"S1 knows no lines, M1 has them as the paper does, M1x exactly, page knows the memory pages too,\n" +
			"and level instead the pieces that are copied and the bytes beyond what a cache holds. Operations:\n" +
			list.String() + "\n" +
			"The first three need coefficients of transfers, all others those of array statements too: calibrate fit makes them\n" +
			"of tables with times of experiments transfer and array. Scans as printed are of experiment scan. A shift takes as\n" +
			"long as one message. Where P.fit.arrow lies beside P.params.toml, intervals include how far models were off there.\n\n" +
			"With PREFIX it is the messages of that trace, with the buffers that they have there, charged to who sends and who\n" +
			"receives them. A processor's messages take in_step if what it sends and receives goes on at the same time, and\n" +
			"apart if nothing does; at_least if all are under way at once, so that alpha is waited for once. lo and hi are around all three.\n" +
			"The order in which messages wait for each other is predict replay's.",
		Example: messageExample,
		Args:    cobra.MaximumNArgs(1),
	}
	o := &messageOptions{}
	flags := cmd.Flags()
	o.lawFlags.add(flags)
	o.arrayFlags.add(flags)
	flags.StringSliceVar(&o.of, "of", []string{"rows", "columns"}, "operations as a `LIST`")
	flags.Int64SliceVar(&o.d, "d", []int64{1}, "rows, columns, or edges of boxes as a `LIST`")
	flags.BoolVar(&o.terms, "terms", false, "print what each term takes instead")
	cmd.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			for _, name := range []string{"of", "size", "mesh", "d", "item", "terms"} {
				if flags.Changed(name) {
					return stage.Usage("--%s is about arrays, and %s has messages of its own", name, args[0])
				}
			}
			return o.traffic(c.Context(), env, args[0])
		}
		return o.run(env)
	}
	cmd.AddCommand(crossoverCommand(env), blocksCommand(env))
	return cmd
}

func (o *messageOptions) run(env *stage.Env) error {
	var operations []message.Operation
	for _, name := range o.of {
		op, err := message.Named(name)
		if err != nil {
			return stage.Usage("--of: %v", err)
		}
		operations = append(operations, op)
	}
	cases, err := o.cases()
	if err != nil {
		return err
	}
	laws, err := o.laws()
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
	laws, err := o.laws()
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
