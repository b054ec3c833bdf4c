package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spoor/predict/internal/report/paired"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// compareCommand is predict compare.
func compareCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "compare FILE...",
		Args: cobra.MinimumNArgs(1),
	}
	stage.Describe(cmd, helpTexts, "compare")
	format := stage.FormatFlag(cmd.Flags())
	out := cmd.Flags().StringP("output", "o", "", "write the comparison as an Arrow table to `FILE`")
	intervals := cmd.Flags().Bool("intervals", false, "print and write only the coverage of the intervals")
	baselines := cmd.Flags().StringSlice("baseline", nil, "`MACHINE` to compare others with, named MACHINE-...; may be repeated")
	cmd.RunE = func(_ *cobra.Command, files []string) error {
		switch {
		case len(*baselines) > 0 && *intervals:
			return stage.Usage("--intervals and --baseline print different tables; choose one")
		case len(*baselines) > 0:
			return compareAbstractions(env, files, *baselines, *format, *out)
		}
		return compare(env, files, *format, *out, *intervals)
	}
	return cmd
}

func compare(env *stage.Env, files []string, format stage.Format, out string, intervals bool) error {
	rows, kinds, err := readEach(files)
	if err != nil {
		return err
	}
	if err := noteSettings(env, files); err != nil {
		return err
	}
	if len(files) == 1 {
		return fmt.Errorf("comparing %s: it is one table; give two, such as those of cluster -o and replay -o", files[0])
	}
	if len(files) == 2 && kinds[0] == kinds[1] && !intervals {
		return compareAlike(env, rows, format, out)
	}
	c, err := paired.Compare(slices.Concat(rows...))
	if err != nil {
		return err
	}
	for _, u := range slices.Concat(c.Doubts, c.Unpaired) {
		env.Note("%s", u)
	}
	if len(c.Cases) == 0 {
		return fmt.Errorf("comparing %d files: no prediction and simulation have the same program, machine and processors", len(files))
	}
	table := c.Long()
	if n := c.WithoutInterval(); n > 0 {
		env.Note("%d predictions have no interval (see their warnings) and count neither as inside nor as outside", n)
	}
	if intervals {
		table = c.CoverageTable()
	}
	if out != "" {
		if err := store.WriteTable(out, table); err != nil {
			return fmt.Errorf("writing the comparison: %w", err)
		}
	}
	if format != stage.Human || intervals {
		return stage.Print(env.Out, format, table)
	}
	return printComparison(env.Out, c)
}

// readRows reads the rows of all files.
func readRows(files []string) ([]paired.Row, error) {
	rows, _, err := readEach(files)
	return slices.Concat(rows...), err
}

// readEach reads the rows of each file, and whether they are predictions.
func readEach(files []string) (all [][]paired.Row, predictions []bool, err error) {
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.IsDir() {
			return nil, nil, fmt.Errorf("reading %s: it is a directory; give the tables of models and simulations in it", f)
		}
		t, err := store.ReadTable(f)
		if err != nil {
			return nil, nil, err
		}
		rows, err := paired.Rows(t)
		if err != nil {
			return nil, nil, fmt.Errorf("reading %s: %w", f, err)
		}
		all, predictions = append(all, rows), append(predictions, len(rows) > 0 && rows[0].Model != "")
	}
	return all, predictions, nil
}

// compareAlike compares two tables of predictions, or two of simulations.
func compareAlike(env *stage.Env, rows [][]paired.Row, format stage.Format, out string) error {
	t, notes, err := paired.Difference(rows[0], rows[1])
	if err != nil {
		return fmt.Errorf("comparing 2 files: %w", err)
	}
	for _, n := range notes {
		env.Note("%s", n)
	}
	if t.Rows() == 0 {
		return fmt.Errorf("comparing 2 files: %w", paired.Apart(rows[0], rows[1]))
	}
	if out != "" {
		if err := store.WriteTable(out, t); err != nil {
			return fmt.Errorf("writing the comparison: %w", err)
		}
	}
	return stage.Print(env.Out, format, t)
}

// compareAbstractions compares abstractions with the machines called baselines.
func compareAbstractions(env *stage.Env, files, baselines []string, format stage.Format, out string) error {
	rows, err := readRows(files)
	if err != nil {
		return err
	}
	a, err := paired.Abstract(rows, baselines)
	if err != nil {
		return err
	}
	for _, u := range a.Unpaired {
		env.Note("%s", u)
	}
	if len(a.Pairs) == 0 {
		return fmt.Errorf("comparing %d files: found no simulations of %s and of a machine named like it with a hyphen and a suffix", len(files), strings.Join(baselines, " or "))
	}
	if out != "" {
		if err := store.WriteTable(out, a.Table()); err != nil {
			return fmt.Errorf("writing the comparison: %w", err)
		}
	}
	if err := stage.Print(env.Out, format, a.Table()); err != nil || format != stage.Human {
		return err
	}
	fmt.Fprintln(env.Out)
	return stage.Print(env.Out, format, a.Summary())
}

// printComparison prints the rows, the summary, and the coverage of the intervals.
func printComparison(w io.Writer, c *paired.Comparison) error {
	if err := stage.Print(w, stage.Human, c.Wide()); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := stage.Print(w, stage.Human, c.SummaryTable()); err != nil {
		return err
	}
	coverage := c.CoverageTable()
	if coverage.Rows() == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return stage.Print(w, stage.Human, coverage)
}
