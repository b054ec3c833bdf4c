// Traces imports, exports, looks at and checks the traces that all stages speak of.
//
//	$ traces import valgrind.log -o gzip
//	$ traces info gzip
package main

import (
	"os"

	"github.com/spf13/cobra"

	"spoor/traces/stage"
)

func main() { os.Exit(stage.Main(command, stage.OS(), os.Args[1:])) }

// command is the command tree of traces: one line for each subcommand.
func command(env *stage.Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "traces",
		Short: "import, export, look at and check traces",
		Long: "Traces turns foreign traces into PREFIX.refs.arrow (memory references) and PREFIX.events.arrow\n" +
			"(everything else), writes foreign formats from them, and says what is in them and whether it is sound.",
		Example: "  $ traces import data/sample/tiny.log -o tiny\n  $ traces info tiny",
	}
	root.AddCommand(
		importCommand(env),
		exportCommand(env),
		infoCommand(env),
		headCommand(env),
		checkCommand(env),
		sliceCommand(env),
		mergeCommand(env),
		sampleCommand(env),
		formatsCommand(env),
	)
	return root
}

// tool is what files that this command writes say of it.
const tool = "spoor traces " + stage.Version
