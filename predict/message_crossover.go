package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"spoor/predict/message"
	"spoor/traces/stage"
)

const crossoverExample = `  $ predict message crossover --size 100x100,500x500,1000x1000 --param S1_alpha=20us --param S1_beta=5ns/B \
      --param array_S1_alpha=1us --param array_S1_beta=4ns/access`

// crossoverCommand is predict message crossover.
func crossoverCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "crossover --params P...",
		Short:   "find the d from which one operation is faster than another",
		Long:    crossoverLong,
		Example: crossoverExample,
		Args:    cobra.NoArgs,
	}
	var laws lawFlags
	var arrays arrayFlags
	var between []string
	var least, most int64
	flags := cmd.Flags()
	laws.add(flags)
	arrays.add(flags)
	flags.StringSliceVar(&between, "between", []string{"convshift", "convscan"}, "two operations of predict message as a `LIST`")
	flags.Int64Var(&least, "least", 1, "least `D` to try")
	flags.Int64Var(&most, "most", 10, "largest `D` to try")
	stage.Group(flags, "Search", "between", "least", "most")
	cmd.RunE = func(*cobra.Command, []string) error {
		ops, err := twoOperations(between)
		if err != nil {
			return err
		}
		cases, err := arrays.cases()
		if err != nil {
			return err
		}
		all, err := laws.laws(env)
		if err != nil {
			return err
		}
		rows, warnings, err := crossovers(all, ops, cases, least, most)
		if err != nil {
			return err
		}
		t := message.CrossoverTable(rows, messageFacts)
		return laws.report(env, t, t, nil, message.Distinct(warnings)...)
	}
	return cmd
}

// crossoverLong is the help of the command.
const crossoverLong = "Crossover finds the least d from which the second of two operations is faster than the first, for every model and\n" +
	"every size of the array. By default, it compares a convolution by shifts with one by scans [hur1999, sec. 7].\n" +
	"Columns: crossover is that d, or 0 if there is none up to --most; ratio is the time of the first over that of the\n" +
	"second there, ratio_before at d-1. From d = sure, the second is faster for all times within their intervals."

// twoOperations returns the operations of --between.
func twoOperations(names []string) (ops [2]message.Operation, err error) {
	if len(names) != len(ops) {
		return ops, stage.Usage("--between needs two operations, not %d", len(names))
	}
	for i, name := range names {
		if ops[i], err = message.Named(name); err != nil {
			return ops, stage.Usage("--between: %w", err)
		}
	}
	return ops, nil
}

// crossovers searches a crossover in every case by every law, with d from least to most.
func crossovers(laws []*message.Laws, ops [2]message.Operation, cases []message.Case, least, most int64) (rows []message.Crossover, warnings []error, err error) {
	for _, c := range cases {
		for _, l := range laws {
			x, err := l.Cross(ops[0], ops[1], c, least, most)
			if err != nil {
				return nil, nil, fmt.Errorf("searching a crossover of %dx%d: %w", c.Rows, c.Cols, err)
			}
			rows, warnings = append(rows, x), append(warnings, x.Warnings...)
		}
	}
	return rows, warnings, nil
}
