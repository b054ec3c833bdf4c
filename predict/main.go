// Predict turns parameters, machine descriptions and traces into predictions,
// simulations, comparisons of the two, and a report.
//
//	$ predict cluster --help
package main

import (
	"os"

	"github.com/spf13/cobra"

	"spoor/calibrate/machine"
	"spoor/traces/stage"
	"spoor/traces/store"
)

func main() { os.Exit(stage.Main(command, stage.OS(), os.Args[1:])) }

// command is the command tree of predict: one line for each subcommand.
func command(env *stage.Env) *cobra.Command {
	root := &cobra.Command{
		Use:               "predict",
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return tryOutputs(cmd) },
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

// tryOutputs checks before the work that the output files of cmd can be written.
func tryOutputs(cmd *cobra.Command) error {
	for _, name := range []string{"output", "timeline"} {
		f := cmd.Flags().Lookup(name)
		if f == nil || f.Value.String() == "-" || f.Value.String() == "" {
			continue
		}
		if err := store.CheckWritable(f.Value.String()); err != nil {
			return err
		}
	}
	return nil
}
