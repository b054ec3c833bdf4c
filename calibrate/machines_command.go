package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"spoor/calibrate/machine"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// machinesCommand returns the command that lists the machines that --machine NAME finds.
func machinesCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "machines",
		Args: cobra.NoArgs,
	}
	stage.Describe(cmd, helpTexts, "machines")
	format := stage.FormatFlag(cmd.Flags())
	cmd.RunE = func(*cobra.Command, []string) error {
		table, err := listMachines(*format != stage.Human, func(err error) { env.Note("%v", err) })
		if err != nil {
			return err
		}
		return stage.Print(env.Out, *format, table)
	}
	return cmd
}

// listMachines returns a table with a row for each machine, with its file if files is set. It reports files that it cannot read and
// leaves them out.
func listMachines(files bool, report func(error)) (*store.Table, error) {
	var names, targets, networks, sources, abouts, validated, paths []string
	var processors []int64
	for _, name := range machine.Names() {
		path, err := machine.FindFile(name)
		if err != nil {
			return nil, err
		}
		m, err := machine.ReadPart(path)
		if err != nil {
			report(err)
			continue
		}
		network := "-"
		if m.Network != nil {
			network = m.Network.Model
		}
		target, count := string(m.System.Target), int64(m.Count())
		if slices.Contains(m.Missing, machine.SystemSection) {
			target, count = "-", 0 // as many as the trace has
		}
		names, targets, networks = append(names, name), append(targets, target), append(networks, network)
		sources, abouts, paths = append(sources, m.Source.Text), append(abouts, m.About), append(paths, path)
		validated = append(validated, cmp.Or(m.Source.Validated, "-"))
		processors = append(processors, count)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("listing machines: none is in data/machine here, and none in Spoor's own folder; set SPOOR_HOME to a checkout of Spoor")
	}
	t := &store.Table{Name: "machines", Columns: []store.Column{{Name: "name", Data: names}, {Name: "target", Data: targets},
		{Name: "processors", Data: processors}, {Name: "network", Data: networks}, {Name: "source", Data: sources}, {Name: "about", Data: abouts},
		{Name: "validated", Data: validated}}}
	if files {
		t.Columns = append(t.Columns, store.Column{Name: "file", Data: paths})
	}
	return t, nil
}
