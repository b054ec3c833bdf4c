package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"spoor/predict/message"
	"spoor/traces/stage"
)

const crossoverExample = `  $ predict message crossover --param S1_alpha=20us --param S1_beta=5ns/B --param array_S1_alpha=1us --param array_S1_beta=4ns/access --size 100x100,500x500,1000x1000`

// crossoverCommand is predict message crossover.
func crossoverCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "crossover --params P...",
		Short:   "from which d on one operation is faster than another",
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
	flags.Int64Var(&least, "least", 1, "least `D` that is tried")
	flags.Int64Var(&most, "most", 10, "largest `D` that is tried")
	cmd.RunE = func(*cobra.Command, []string) error {
		ops, err := twoOperations(between)
		if err != nil {
			return err
		}
		cases, err := arrays.cases()
		if err != nil {
			return err
		}
		all, err := laws.laws()
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
const crossoverLong = "Crossover looks for the least d from which on, up to the largest that is tried, the second of two operations takes less\n" +
	"time than the first, by every model, for every size of the array: by default, from which size of boxes on a\n" +
	"convolution by scans is faster than one by shifts [hur1999, sec. 7]. ratio is the time of the first over that of\n" +
	"the second there, ratio_before at d-1; 0 means that there is no such d, and then ratio is that at the largest. From\n" +
	"d = sure on the second is faster wherever within their intervals the times are."

// twoOperations are the operations of --between.
func twoOperations(names []string) (ops [2]message.Operation, err error) {
	if len(names) != len(ops) {
		return ops, stage.Usage("--between takes two operations, not %d", len(names))
	}
	for i, name := range names {
		if ops[i], err = message.Named(name); err != nil {
			return ops, stage.Usage("--between: %v", err)
		}
	}
	return ops, nil
}

// crossovers looks for one in every case, by every law, with d from least to most.
func crossovers(laws []*message.Laws, ops [2]message.Operation, cases []message.Case, least, most int64) (rows []message.Crossover, warnings []error, err error) {
	for _, c := range cases {
		for _, l := range laws {
			x, err := l.Cross(ops[0], ops[1], c, least, most)
			if err != nil {
				return nil, nil, fmt.Errorf("looking for a crossover of %dx%d: %w", c.Rows, c.Cols, err)
			}
			rows, warnings = append(rows, x), append(warnings, x.Warnings...)
		}
	}
	return rows, warnings, nil
}
