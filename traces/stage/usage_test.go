package stage

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A command that takes a file suggests the command that was meant, unless there is such a file.
func TestMisspeltCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("fitler.refs", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("filtre", 0o777); err != nil {
		t.Fatal(err)
	}
	build := func(env *Env) *cobra.Command {
		root := &cobra.Command{Use: "analyze PREFIX", Args: cobra.ExactArgs(1), RunE: func(_ *cobra.Command, args []string) error {
			_, err := os.Stat("none/" + args[0])
			return err
		}}
		root.AddCommand(&cobra.Command{Use: "filter", Run: func(*cobra.Command, []string) {}})
		return root
	}
	for _, c := range []struct {
		args    string
		status  int
		suggest bool
	}{
		{"flter", Failed, true},
		{"flter x", WrongUsage, true},
		{"fitler x", WrongUsage, false}, // a trace of this name exists
		{"filtre", Failed, false},
		{"trace", Failed, false},
		{"", WrongUsage, false},
	} {
		t.Run(fmt.Sprintf("%v %v", c.args, c.status), func(t *testing.T) {
			var errs bytes.Buffer
			status := Main(build, &Env{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &errs}, strings.Fields(c.args))
			if status != c.status || strings.Contains(errs.String(), `; did you mean the command "filter"?`) != c.suggest {
				t.Errorf("analyze %s: status %d, want %d and a suggestion %v: %s", c.args, status, c.status, c.suggest, &errs)
			}
		})
	}
}

// Errors of cobra about the number of arguments say how many are needed.
func TestCounted(t *testing.T) {
	for _, c := range []struct {
		check cobra.PositionalArgs
		args  int
		want  string
	}{
		{cobra.MinimumNArgs(1), 0, "requires at least 1 argument, received 0"},
		{cobra.MaximumNArgs(1), 2, "accepts at most 1 argument, received 2"},
		{cobra.ExactArgs(1), 2, "accepts 1 argument, received 2"},
		{cobra.ExactArgs(2), 1, "accepts 2 arguments, received 1"},
		{cobra.RangeArgs(1, 2), 3, "accepts between 1 and 2 arguments, received 3"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := counted(c.check(&cobra.Command{}, make([]string, c.args))); got != c.want {
				t.Errorf("%d arguments: %q, want %q", c.args, got, c.want)
			}
		})
	}
}
