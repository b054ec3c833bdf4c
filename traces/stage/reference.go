package stage

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// reference returns the hidden command that prints the help of the whole tree as a Markdown page.
func reference(root *cobra.Command, env *Env) *cobra.Command {
	return &cobra.Command{Use: "reference", Short: "print the help of all commands and topics as Markdown", Args: cobra.NoArgs, Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(env.Out, referencePage(root))
			return err
		}}
}

// referencePage returns the page, with a section for each command and each topic.
func referencePage(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: all commands\n\nGenerated from `%s --help` by `make reference`. Do not edit.\n", root.Name(), root.Name())
	var section func(cmd *cobra.Command, level string)
	section = func(cmd *cobra.Command, level string) {
		fmt.Fprintf(&b, "\n%s %s\n\n```\n%s```\n", level, cmd.CommandPath(), helpText(cmd))
		for _, sub := range available(cmd) {
			section(sub, level)
		}
	}
	section(root, "##")
	for _, t := range topicsOf(root) {
		section(t, "##")
	}
	return b.String()
}
