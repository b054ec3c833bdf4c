package stage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// manual returns the hidden command that writes a manual page for each command and topic.
// Help texts have columns, so the pages show them without filling.
func manual(root *cobra.Command) *cobra.Command {
	return &cobra.Command{Use: "man DIR", Short: "write manual pages into DIR", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			return writePages(root, args[0])
		}}
}

func writePages(cmd *cobra.Command, dir string) error {
	if err := os.WriteFile(filepath.Join(dir, pageName(cmd)+".1"), []byte(page(cmd)), 0o666); err != nil {
		return err
	}
	for _, sub := range append(available(cmd), topicsOf(cmd)...) {
		if err := writePages(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func available(cmd *cobra.Command) (list []*cobra.Command) {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			list = append(list, sub)
		}
	}
	return list
}

// page returns the manual page of a command in man macros.
func page(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"Spoor %s\"\n.SH NAME\n%s \\- %s\n", roff(strings.ToUpper(pageName(cmd))), Version, roff(pageName(cmd)), roff(cmd.Short))
	use := cmd.UseLine()
	if !cmd.Runnable() {
		use = cmd.CommandPath() + " COMMAND"
	}
	section := func(title, text string) {
		if text = strings.TrimRight(text, " \n"); text != "" {
			fmt.Fprintf(&b, ".SH %s\n.nf\n%s\n.fi\n", title, roff(text))
		}
	}
	section("SYNOPSIS", use)
	section("DESCRIPTION", cmd.Long)
	var also, commands strings.Builder
	if cmd.HasParent() {
		fmt.Fprintf(&also, "%s(1)\n", pageName(cmd.Parent()))
	}
	for _, sub := range append(available(cmd), topicsOf(cmd)...) {
		fmt.Fprintf(&commands, "%-*s  %s\n", sub.NamePadding(), sub.Name(), sub.Short)
		fmt.Fprintf(&also, "%s(1)\n", pageName(sub))
	}
	section("COMMANDS", commands.String())
	section("EXAMPLES", cmd.Example)
	var options strings.Builder
	for _, g := range flagGroups(cmd) {
		fmt.Fprintf(&options, "%s:\n%s\n", g.title, g.flags.FlagUsagesWrapped(Columns))
	}
	section("OPTIONS", options.String())
	section("EXIT STATUS", "0  done\n1  failed, with one line that says why; nothing partial is left\n2  wrong usage")
	section("SEE ALSO", also.String())
	return b.String()
}

// roff escapes characters that a formatter would interpret.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
