// Predict turns parameters, machine descriptions and traces into predictions,
// simulations, comparisons of the two, and a report.
//
//	$ predict cluster --help
package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/calibrate/machine"
	"spoor/traces/stage"
	"spoor/traces/store"
)

func main() { os.Exit(stage.Main(command, stage.OS(), os.Args[1:])) }

// command is the command tree of predict: one line for each subcommand.
func command(env *stage.Env) *cobra.Command {
	root := &cobra.Command{
		Use:               "predict",
		PersistentPreRunE: tryOutputs,
	}
	stage.Describe(root, helpTexts, "predict")
	root.AddCommand(
		budgetCommand(env),
		clusterCommand(env),
		compareCommand(env),
		directCommand(env),
		logpCommand(env),
		messageCommand(env),
		replayCommand(env),
		reportCommand(env),
		scalingCommand(env),
		upgradeCommand(env),
		windtunnelCommand(env),
	)
	for _, flag := range []string{"machine", "node", "have"} {
		stage.CompleteFiles(root, flag, machine.Names)
	}
	stage.CompleteFiles(root, "prices", machine.PriceNames)
	addTopics(root)
	return root
}

// outputFlags are the flags that name a file to write.
var outputFlags = []string{"output", "timeline", "host-times"}

// tryOutputs checks before the work that the output files of cmd can be written, and that they are no inputs.
func tryOutputs(cmd *cobra.Command, args []string) error {
	seen := map[string]string{}
	for _, name := range outputFlags {
		f := cmd.Flags().Lookup(name)
		if f == nil || f.Value.String() == "-" || f.Value.String() == "" {
			continue
		}
		path := filepath.Clean(f.Value.String())
		if other := seen[path]; other != "" {
			return stage.Usage("--%s and --%s name the same file, %s", other, name, path)
		}
		seen[path] = name
		if input := sameFile(path, inputsOf(cmd, args)); input != "" {
			return stage.Usage("--%s %s would overwrite an input, %s; give another name", name, path, input)
		}
		if err := store.CheckWritable(f.Value.String()); err != nil {
			return err
		}
	}
	return nil
}

// inputsOf returns the files that cmd may read: arguments, which may be prefixes of traces, and values of flags.
func inputsOf(cmd *cobra.Command, args []string) (files []string) {
	all := slices.Clone(args)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if values, is := f.Value.(pflag.SliceValue); is {
			all = append(all, values.GetSlice()...)
		} else if !slices.Contains(outputFlags, f.Name) {
			all = append(all, f.Value.String())
		}
	})
	for _, a := range all {
		files = append(files, a, a+store.RefsSuffix, a+store.EventsSuffix)
	}
	return files
}

// sameFile returns which of some files is the file at path, or "".
func sameFile(path string, files []string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	for _, f := range files {
		if other, err := os.Stat(f); err == nil && other.Mode().IsRegular() && os.SameFile(info, other) {
			return f
		}
	}
	return ""
}
