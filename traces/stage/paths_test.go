package stage

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"spoor/traces/lookup"
)

// A note names each file that comes with Spoor and is not in this folder, as for other inputs.
func TestPathsNoteInstalledFiles(t *testing.T) {
	home := t.TempDir()
	t.Setenv(lookup.HomeVariable, home)
	t.Chdir(t.TempDir())
	for _, name := range []string{"a,b.toml", "c.toml"} {
		if err := os.MkdirAll(filepath.Join(home, "data"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "data", name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	found := func(name string) string { return filepath.Join(home, "data", name) }
	note := func(name string) string {
		return "spoor: note: data/" + name + " is not in this folder; reading " + found(name) + "\n"
	}
	for _, c := range []struct{ args, many, one, note string }{
		{"--many data/a,b.toml", found("a,b.toml"), "", note("a,b.toml")},
		{"--many data/c.toml,x --many data/c.toml", found("c.toml") + "|x|" + found("c.toml"), "", note("c.toml") + note("c.toml")},
		{"--one data/c.toml", "", found("c.toml"), note("c.toml")},
		{"--one c.toml", "", "c.toml", ""},
		{"--one data/c.toml --quiet", "", found("c.toml"), ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			var many []string
			var one string
			var errs bytes.Buffer
			build := func(*Env) *cobra.Command {
				cmd := &cobra.Command{Use: "tool", Short: "t", RunE: func(*cobra.Command, []string) error { return nil }}
				PathsVar(cmd.Flags(), &many, "many", "`FILE`")
				PathVar(cmd.Flags(), &one, "one", "`FILE`")
				return cmd
			}
			status := Main(build, &Env{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &errs}, strings.Fields(c.args))
			if got := strings.Join(many, "|"); status != Done || got != c.many || one != c.one || errs.String() != c.note {
				t.Errorf("status %d, %q, %q, %q; want %q, %q, %q", status, got, one, errs.String(), c.many, c.one, c.note)
			}
		})
	}
}
