package stage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/traces/lookup"
)

// Topic is a page of `COMMAND help NAME`: an analysis, a model, a format, a network.
type Topic struct {
	Name    string
	Short   string         // one line for lists
	Text    string         // the page, lines of at most Columns characters
	Example string         // lines as in cobra: "  $ analyze ..."; a test runs them
	Flags   *pflag.FlagSet // flags that the page lists, or nil
}

// Topics are pages of one kind.
type Topics struct {
	Title string // "Analyses"
	Brief bool   // the help of the command lists only their names
	Pages []Topic
}

// Annotations of commands: the title that a page stands under, that only its name is listed, its position,
// and that a root command has its help command.
const topicsKey, briefKey, orderKey, helpKey = "spoor-topics", "spoor-brief", "spoor-order", "spoor-help"

// AddTopics gives root pages that `root help NAME` prints. A page is no command: its name stays free for files.
func AddTopics(root *cobra.Command, kinds ...Topics) {
	help := helpCommand(root)
	for _, k := range kinds {
		for _, t := range k.Pages {
			page := topicCommand(k, t)
			page.Annotations[orderKey] = fmt.Sprintf("%04d", len(help.Commands()))
			help.AddCommand(page)
		}
	}
	root.SetHelpCommand(help)
	root.Annotations = map[string]string{helpKey: ""}
}

// topicCommand returns the command below help that prints a page.
func topicCommand(k Topics, t Topic) *cobra.Command {
	c := &cobra.Command{Use: t.Name, Short: t.Short, Long: t.Text, Example: t.Example, Args: cobra.NoArgs,
		Annotations: map[string]string{topicsKey: k.Title}}
	if k.Brief {
		c.Annotations[briefKey] = ""
	}
	if t.Flags != nil {
		t.Flags.VisitAll(func(f *pflag.Flag) { c.Flags().AddFlag(f) })
	}
	c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return c
}

// helpCommand returns `root help`, which explains a command, a topic, or root itself.
func helpCommand(root *cobra.Command) *cobra.Command {
	help := &cobra.Command{Use: "help [COMMAND|TOPIC]", Short: "explain a command or a topic", Hidden: true}
	help.Args = cobra.ArbitraryArgs
	help.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		if len(args) == 0 {
			for _, c := range available(root) {
				names = append(names, c.Name()+"\t"+c.Short)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	help.RunE = func(_ *cobra.Command, args []string) error {
		cmd, rest, err := root.Find(args)
		if err != nil || len(rest) > 0 {
			return Usage("%w", lookup.Unknown("command or topic", strings.Join(args, " "), helpNames(root, help)))
		}
		return cmd.Help()
	}
	return help
}

// helpNames lists the commands and topics that help explains.
func helpNames(root, help *cobra.Command) (names []string) {
	for _, c := range append(available(root), help.Commands()...) {
		names = append(names, c.Name())
	}
	return names
}

func isTopic(cmd *cobra.Command) bool { _, is := cmd.Annotations[topicsKey]; return is }
func isHelp(cmd *cobra.Command) bool  { return cmd.HasParent() && cmd.Name() == "help" && !isTopic(cmd) }

// topicsOf returns the pages of a root command, in the order they were added.
func topicsOf(cmd *cobra.Command) []*cobra.Command {
	for _, c := range cmd.Commands() {
		if !cmd.HasParent() && isHelp(c) {
			pages := slices.Clone(c.Commands()) // cobra sorts them by name
			slices.SortFunc(pages, func(a, b *cobra.Command) int { return cmp.Compare(a.Annotations[orderKey], b.Annotations[orderKey]) })
			return pages
		}
	}
	return nil
}

// writeTopics lists the topics of a root command below their titles, with their meaning or, if brief, by name.
func writeTopics(b *strings.Builder, cmd *cobra.Command) {
	pages := topicsOf(cmd)
	for len(pages) > 0 {
		title := pages[0].Annotations[topicsKey]
		n := slices.IndexFunc(pages, func(t *cobra.Command) bool { return t.Annotations[topicsKey] != title })
		if n < 0 {
			n = len(pages)
		}
		fmt.Fprintf(b, "\n%s ('%s help NAME' explains one):\n", title, cmd.Name())
		if _, brief := pages[0].Annotations[briefKey]; brief {
			writeNames(b, pages[:n])
		} else {
			writeMeanings(b, pages[:n])
		}
		pages = pages[n:]
	}
}

func writeMeanings(b *strings.Builder, pages []*cobra.Command) {
	width := 0
	for _, t := range pages {
		width = max(width, len(t.Name()))
	}
	for _, t := range pages {
		fmt.Fprintf(b, "  %-*s  %s\n", width, t.Name(), t.Short)
	}
}

func writeNames(b *strings.Builder, pages []*cobra.Command) {
	line := " "
	for _, t := range pages {
		if len(line)+1+len(t.Name()) > Columns {
			fmt.Fprintln(b, line)
			line = " "
		}
		line += " " + t.Name()
	}
	fmt.Fprintln(b, line)
}
