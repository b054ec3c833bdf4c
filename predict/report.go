package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"spoor/predict/report"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// reportCommand is predict report.
func reportCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report DIR|FILE... -o FILE",
		Short: "one HTML page of a study",
		Long: "Report makes one self-contained HTML page of the tables and parameter files in each DIR (searched to the\n" +
			"bottom) and FILE: programs and their locality, miss-ratio curves, working sets, who supplies whose caches and\n" +
			"sends to whom, models against simulation, where the time goes, and how far to trust it; and, of tables that\n" +
			"predict budget -o leaves, what any smaller budget buys.\n" +
			"The page needs no network. Plots can be asked for values, their series hidden, scales changed, tables\n" +
			"sorted, and plots saved as SVG, PNG and PDF; without script they are drawings. Of tables that calibrate fit\n" +
			"leaves it shows measured times beside those of the models.",
		Example: reportExample,
		Args:    cobra.MinimumNArgs(1),
	}
	out := cmd.Flags().StringP("output", "o", "", "write the page to `FILE`, or - for standard output")
	stage.TakesDash(cmd)
	title := cmd.Flags().String("title", "", "`text` at the top of the page; what the study holds if it is not given")
	figure := cmd.Flags().String("figure", "", "write only the figure with this `TITLE`, as SVG")
	commands := cmd.Flags().String("commands", "", "`FILE` of the commands that made the tables, shown under provenance")
	var machines, published []string
	stage.PathsVar(cmd.Flags(), &machines, "machine", "machine description `FILE` to show with the results; may be repeated")
	baselines := cmd.Flags().StringSlice("baseline", nil, "`MACHINE` to which others are compared, see predict compare; may be repeated")
	stage.PathsVar(cmd.Flags(), &published, "published", "`FILE` of numbers of a paper to show beside simulations, such as data/paper/du2000/published.tsv; may be repeated")
	cmd.RunE = func(_ *cobra.Command, paths []string) error {
		if *out == "" {
			return stage.Usage("-o FILE says where the page goes")
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
	if err != nil {
		return nil, fmt.Errorf("reading the study: %w", err)
	}
	for _, m := range machines {
		if err := study.AddMachine(m); err != nil {
			return nil, fmt.Errorf("reading a machine: %w", err)
		}
	}
	for _, f := range published {
		if err := study.AddPublished(f); err != nil {
			return nil, fmt.Errorf("reading what is published: %w", err)
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
		err = write(env.Out)
	} else {
		err = store.WriteFileAtomic(out, write)
	}
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

const reportExample = `  $ mkdir study
  $ tracegen lu --procs 2 --set n=64 -o study/lu
  $ analyze --run reuse,locality,phases -o study/lu.analysis study/lu
  $ predict cluster --params study/lu.analysis --machine data/machine/du2000-smp-256k.toml -o study/lu.prediction.arrow
  $ predict replay study/lu --machine data/machine/du2000-smp-256k.toml -o study/lu.simulation.arrow
  $ predict report study --machine data/machine/du2000-smp-256k.toml -o report.html
  $ predict report study --figure 'Time by cause, lu n=64 block=16' -o split.svg`
