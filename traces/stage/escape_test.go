package stage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"spoor/traces/store"
)

const hostile = "a\x1b]0;x\x07\x00\u202eb\u009b\x9bé→\x7f\r"

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"plain µs": "plain µs", hostile: `a\u001b]0;x\u0007\u0000\u202eb\u009b\x9bé→\u007f\u000d`, "\t\n": `\u0009\u000a`,
		"\u2066\u200f\u061c\u2028": `\u2066\u200f\u061c\u2028`,
	} {
		t.Run(in, func(t *testing.T) {
			if got := escape(in); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// hidden characters never reach standard output or error, wherever writes cut them.
func TestNamesAreEscaped(t *testing.T) {
	table := &store.Table{Name: "t", Columns: []store.Column{{Name: "na\x1bme", Data: []string{hostile[:12], "two\nlines"}}}}
	for size := 1; size <= 5; size++ {
		for _, f := range []Format{Human, JSON} {
			var o, e bytes.Buffer
			build := func(env *Env) *cobra.Command {
				return &cobra.Command{Use: "tool", RunE: func(*cobra.Command, []string) error {
					env.Note("of %s", hostile)
					for text := hostile; text != ""; text = text[min(size, len(text)):] {
						_, _ = io.WriteString(env.Out, text[:min(size, len(text))])
					}
					fmt.Fprintln(env.Out)
					if err := Print(env.Out, f, table); err != nil {
						return err
					}
					return fmt.Errorf("reading %s", hostile)
				}}
			}
			Main(build, &Env{In: strings.NewReader(""), Out: &o, Err: &e}, nil)
			for _, r := range o.String() + e.String() {
				if hidden(r) && r != '\n' {
					t.Errorf("%U in %q and %q", r, o.String(), e.String())
				}
			}
			first, rest, _ := strings.Cut(o.String(), "\n")
			if first != escape(hostile) {
				t.Errorf("in pieces of %d: %s, want %s", size, first, escape(hostile))
			}
			var rows []map[string]string
			if f == JSON {
				if err := json.Unmarshal([]byte(rest), &rows); err != nil || rows[0]["na\x1bme"] != hostile[:12] {
					t.Errorf("%v, %q: %s", err, rows, rest)
				}
			}
		}
	}
}

func TestCSVIsExactAndFormulasAreNoted(t *testing.T) {
	var o, e bytes.Buffer
	texts := []string{"=cmd|' /C calc'!A0", "-", "-1.5", "+x", "@y", "-z", hostile}
	build := func(env *Env) *cobra.Command {
		return &cobra.Command{Use: "tool", RunE: func(*cobra.Command, []string) error {
			return Print(env.Out, CSV, &store.Table{Columns: []store.Column{{Name: "name", Data: texts}}})
		}}
	}
	Main(build, &Env{In: strings.NewReader(""), Out: &o, Err: &e}, nil)
	if want := "name\n=cmd|' /C calc'!A0\n-\n-1.5\n+x\n@y\n-z\n\"" + hostile + "\"\n"; o.String() != want {
		t.Errorf("%q, want %q", o.String(), want)
	}
	if want := "spoor: note: 4 texts of the CSV begin with =, +, - or @, such as =cmd|' /C calc'!A0; spreadsheets run them unless imported as text\n"; e.String() != want {
		t.Errorf("%q, want %q", e.String(), want)
	}
}
