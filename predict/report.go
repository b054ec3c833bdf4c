package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"spoor/predict/internal/report"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// reportCommand is predict report.
func reportCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "report DIR|FILE... -o FILE",
		Args: cobra.MinimumNArgs(1),
	}
	stage.Describe(cmd, helpTexts, "report")
	out := cmd.Flags().StringP("output", "o", "", "write the page to `FILE`, or - for standard output")
	stage.TakesDash(cmd)
	title := cmd.Flags().String("title", "", "`TITLE` of the page (default from the contents)")
	figure := cmd.Flags().String("figure", "", "write only the figure with this `TITLE`, as SVG")
	commands := cmd.Flags().String("commands", "", "`FILE` with the commands that made the tables, to show on the page")
	var machines, published []string
	stage.PathsVar(cmd.Flags(), &machines, "machine", "machine description `FILE` to show; may be repeated")
	baselines := cmd.Flags().StringSlice("baseline", nil, "`MACHINE` to compare others with, as in predict compare; may be repeated")
	stage.PathsVar(cmd.Flags(), &published, "published", "`FILE` with published numbers to show with simulations; may be repeated")
	cmd.RunE = func(_ *cobra.Command, paths []string) error {
		if *out == "" {
			return stage.Usage("no output; give -o FILE for the page")
		}
		study, err := openReport(paths, machines, published)
		if err != nil {
			return err
		}
		write := func(w io.Writer) error { return study.WriteHTML(w, *title) }
		if *figure != "" {
			write = func(w io.Writer) error { return study.WriteFigure(w, *figure) }
		}
		return writeReport(env, study, *baselines, *commands, *out, write)
	}
	return cmd
}

func openReport(paths, machines, published []string) (*report.Study, error) {
	study, err := report.Open(paths...)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("reading the study: %w; give the folder with the results of analyze and predict", err)
	case err != nil:
		return nil, fmt.Errorf("reading the study: %w", err)
	}
	for _, m := range machines {
		if err := study.AddMachine(m); err != nil {
			return nil, fmt.Errorf("reading a machine: %w", err)
		}
	}
	for _, f := range published {
		if err := study.AddPublished(f); err != nil {
			return nil, fmt.Errorf("reading published numbers: %w", err)
		}
	}
	return study, nil
}

func writeReport(env *stage.Env, study *report.Study, baselines []string, commands, out string, write func(io.Writer) error) error {
	if commands != "" {
		text, err := os.ReadFile(commands)
		if err != nil {
			return fmt.Errorf("reading the commands: %w", err)
		}
		study.Commands = strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	if len(baselines) > 0 {
		if err := study.Abstract(baselines); err != nil {
			return fmt.Errorf("reading the study: %w", err)
		}
	}
	for _, u := range study.Notes() {
		env.Note("%s", u)
	}
	var err error
	if out == "-" {
		err = write(env.Raw())
	} else {
		err = store.WriteFileAtomic(out, write)
	}
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}
