package stage

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// grouped is a command with topics, groups of flags, and a flag with an old name.
func grouped(*Env) *cobra.Command {
	root := &cobra.Command{Use: "tool FILE", Short: "tries", Long: "Tool tries.", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, _ []string) error {
			n, _ := cmd.Flags().GetInt("size")
			cmd.Println(n)
			return nil
		}}
	f := root.Flags()
	f.Int("zeal", 1, "after size, though its name comes first in no order")
	f.Int("size", 4, "`BYTES` of it")
	f.String("depth", "", "shown by a topic alone")
	f.String("other", "", "without a title")
	f.String("kind", "", "of several")
	Group(f, "What to read", "size")
	Group(f, "How to print", "zeal")
	ShowOnlyIn(f, "beta", "depth")
	Renamed(f, map[string]string{"bytes": "size"})
	Complete(root, "kind", func() []string { return []string{"alpha", "beta"} })
	own := pflag.NewFlagSet("beta", pflag.ContinueOnError)
	own.AddFlag(f.Lookup("depth"))
	AddTopics(root,
		Topics{Title: "Letters", Pages: []Topic{{Name: "beta", Short: "the second", Text: "Beta follows alpha.", Flags: own}, {Name: "alpha", Short: "the first"}}},
		Topics{Title: "Digits", Brief: true, Pages: []Topic{{Name: "one", Short: "1"}, {Name: "two", Short: "2"}}})
	root.AddCommand(&cobra.Command{Use: "sub", Short: "a command below", Run: func(*cobra.Command, []string) {}})
	return root
}

func runGrouped(args string) (int, string, string) {
	return Capture(grouped, strings.NewReader(""), strings.Fields(args)...)
}

func TestHelpIsInGroups(t *testing.T) {
	const want = `Usage: tool FILE [flags]

Tool tries.

Commands:
  sub         a command below

Letters ('tool help NAME' explains one):
  beta   the second
  alpha  the first

Digits ('tool help NAME' explains one):
  one two

What to read:
      --size BYTES   BYTES of it (default 4)

How to print:
      --zeal int   after size, though its name comes first in no order (default 1)

Flags:
      --kind string    of several
      --other string   without a title

General flags:
  -h, --help      help for tool
  -q, --quiet     print no notes and no progress
  -v, --version   version for tool
`
	for _, args := range []string{"--help", "help"} {
		if _, out, errs := runGrouped(args); out != want || errs != "" {
			t.Errorf("tool %s:\n%s%s\nwant:\n%s", args, out, errs, want)
		}
	}
}

func TestHelpOfTopics(t *testing.T) {
	for _, c := range []struct {
		args        string
		status      int
		out, stderr string // parts
	}{
		{"help beta", Done, "beta: the second\n\nBeta follows alpha.\n\nFlags:\n      --depth string   shown by a topic alone\n", ""},
		{"help sub", Done, "Usage: tool sub", ""},
		{"help bta", WrongUsage, "", `unknown command or topic "bta"; did you mean "beta"? (known: `},
		{"beta", Done, "4\n", ""}, // a file
		{"x --bytes 8", Done, "8\n", ""},
		{"__complete --kind alpha,b", Done, "alpha,beta\n", ""},
		{"reference", Done, "## tool help beta\n", ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			status, out, errs := runGrouped(c.args)
			if status != c.status || !strings.Contains(out, c.out) || !strings.Contains(errs, c.stderr) {
				t.Errorf("tool %s: %d, %q, %q; want %d, %q, %q", c.args, status, out, errs, c.status, c.out, c.stderr)
			}
		})
	}
}
