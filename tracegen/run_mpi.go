package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/tracegen/recorder"
	"spoor/traces/stage"
)

func (o *mpiOptions) mpiFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&o.fast, "fast", false, "record calls of MPI and processor time only, without QEMU, at full speed")
	flags.BoolVar(&o.printShim, "print-shim", false, "print the C source that records calls of MPI where there is no tracegen")
}

// withoutQEMU does what needs no QEMU, and reports whether it did.
func (o *runOptions) withoutQEMU(cmd *cobra.Command, env *stage.Env, args []string) (done bool, err error) {
	switch {
	case o.printShim && (len(args) > 0 || cmd.Flags().NFlag() > 1):
		return true, stage.Usage("--print-shim prints a source and records nothing; give it alone")
	case o.printShim:
		return true, recorder.PrintShim(env.Out)
	case !o.fast:
		return false, nil
	case len(args) == 0 || o.prefix == "":
		return false, nil // the errors of all recordings
	}
	var without string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "fast" && f.Name != "output" && f.Name != "quiet" {
			without = f.Name
		}
	})
	if without != "" {
		return true, stage.Usage("--%s is for recordings under QEMU, and --fast records without; leave one out", without)
	}
	return true, o.runFast(cmd.Context(), env, args)
}
