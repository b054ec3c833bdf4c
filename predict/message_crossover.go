package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"spoor/predict/internal/message"
	"spoor/traces/stage"
)

// crossoverCommand is predict message crossover.
func crossoverCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "crossover --params P...",
		Args: cobra.NoArgs,
	}
	stage.Describe(cmd, helpTexts, "message-crossover")
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
