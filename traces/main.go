// Traces imports, exports, inspects and checks traces.
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

// command returns the command tree of traces.
func command(env *stage.Env) *cobra.Command {
	root := &cobra.Command{
		Use: "traces",
	}
	stage.Describe(root, helpTexts, "traces")
	imports := importCommand(env)
	root.AddCommand(
		imports,
		exportCommand(env),
		infoCommand(env),
		headCommand(env),
		checkCommand(env),
		sliceCommand(env),
		mergeCommand(env),
		sampleCommand(env),
		growCommand(env),
		formatsCommand(env),
	)
	stage.AddTopics(root, stage.Topics{Title: "Formats", Brief: true, Pages: formatTopics(imports.Flags())})
	return root
}
