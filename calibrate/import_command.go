package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"spoor/calibrate/internal/platform"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// importCommand returns the command that reads machine descriptions of other simulators.
func importCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "import FILE",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("give one file: a machine of Spoor is one")
			}
			return nil
		},
	}
	stage.Describe(cmd, helpTexts, "import", platform.Formats)
	output := cmd.Flags().StringP("output", "o", "", "write the machine file to `FILE`, not to standard output")
	cluster := cmd.Flags().String("cluster", "", "read the cluster `NAME` of a SimGrid platform")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		m, err := platform.Import(env.Input(args[0]), *cluster)
		if err != nil {
			return err
		}
		for _, n := range m.Notes {
			env.Note("%s: %s", args[0], n)
		}
		write := func(w io.Writer) error { _, err := w.Write(m.Text); return err }
		if *output == "" {
			return write(env.Out)
		}
		return store.WriteFileAtomic(*output, write)
	}
	return cmd
}
