package stage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/traces/store"
)

// tree is a command with a subcommand for each way to end.
func tree(env *Env) *cobra.Command {
	root := &cobra.Command{Use: "tool", Short: "tries", Long: "Tool tries things."}
	run := func(name string, f func(cmd *cobra.Command, args []string) error) *cobra.Command {
		cmd := &cobra.Command{Use: name + " [ARG]", Short: "ends " + name, Example: "  $ tool " + name, Args: cobra.MaximumNArgs(1), RunE: f}
		cmd.Flags().Int("size", 4, "bytes")
		cmd.Flags().String("output", "", "`FILE` to write")
		return cmd
	}
	root.AddCommand(
		run("well", func(*cobra.Command, []string) error { fmt.Fprintln(env.Out, "result"); return nil }),
		run("badly", func(*cobra.Command, []string) error { return errors.New("reading x:\n\x1b[31mred\r\x00") }),
		run("wrong", func(*cobra.Command, []string) error { return Usage("--size: %w", io.ErrShortWrite) }),
		run("wrapped", func(*cobra.Command, []string) error { return fmt.Errorf("deep: %w", Usage("wrong")) }),
		run("noted", func(*cobra.Command, []string) error { env.Note("%d %s", 7, "things"); return nil }),
		run("interrupted", func(cmd *cobra.Command, _ []string) error {
			if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
				return err
			}
			select {
			case <-cmd.Context().Done():
				return cmd.Context().Err()
			case <-time.After(10 * time.Second):
				return errors.New("the context was not cancelled")
			}
		}),
	)
	dash := run("dash", func(*cobra.Command, []string) error { return nil })
	TakesDash(dash)
	dash.Args = cobra.NoArgs
	root.AddCommand(dash)
	return root
}

func run(args ...string) (status int, out, errs string) {
	return Capture(tree, strings.NewReader(""), args...)
}

// What was not written is an error once, whoever wrote: the command, which does not look, or the tree.
func TestFullStandardOutput(t *testing.T) {
	for _, args := range []string{"well", "--help", "help", "well --help", "help well", "--version", "completion bash", "completion fish", ""} {
		t.Run(args, func(t *testing.T) {
			var errs bytes.Buffer
			status := Main(tree, &Env{In: strings.NewReader(""), Out: full{}, Err: &errs}, strings.Fields(args))
			if got := errs.String(); status != Failed || !strings.HasPrefix(got, "spoor: tool") || !strings.HasSuffix(got, ": short write\n") || strings.Count(got, "\n") != 1 {
				t.Errorf("status %d, %q", status, got)
			}
		})
	}
}

func TestChildrenHaveTheFile(t *testing.T) {
	env := &Env{In: strings.NewReader(""), Out: os.Stderr, Err: io.Discard}
	Main(tree, env, []string{"dash"})
	if env.Out == io.Writer(os.Stderr) || env.ForChild() != io.Writer(os.Stderr) || OS().ForChild() != io.Writer(os.Stdout) {
		t.Errorf("children have %v and %v", env.ForChild(), OS().ForChild())
	}
}

func TestMainStatus(t *testing.T) {
	for _, c := range []struct {
		args        string
		status      int
		out, stderr string // stderr exactly, or what it begins with before ...
	}{
		{"well", Done, "result\n", ""},
		{"badly", Failed, "", "spoor: tool badly: reading x: \\u001b[31mred \\u0000\n"},
		{"wrong", WrongUsage, "", "spoor: tool wrong: --size: short write\nspoor: see 'tool wrong --help'\n"},
		{"wrapped", WrongUsage, "", "spoor: tool wrapped: deep: wrong\nspoor: see 'tool wrapped --help'\n"},
		{"noted", Done, "", "spoor: note: 7 things\n"},
		{"noted --quiet", Done, "", ""},
		{"-q noted", Done, "", ""},
		{"interrupted", Failed, "", "spoor: tool interrupted: interrupted; nothing partial was left behind\n"},
		{"frob", WrongUsage, "", "spoor: tool: unknown command \"frob\" ('tool --help' lists all)\nspoor: see 'tool --help'\n"},
		{"bady x", WrongUsage, "", "spoor: tool: unknown command \"bady\"; did you mean \"badly\"? ('tool --help' lists all)\nspoor: see 'tool --help'\n"},
		{"dash extra", WrongUsage, "", "spoor: tool dash: unexpected argument \"extra\"; usage: tool dash [ARG] [flags]\nspoor: see 'tool dash --help'\n"},
		{"well a b", WrongUsage, "", "spoor: tool well: accepts at most 1 argument, received 2; usage: tool well [ARG] [flags]\nspoor: see 'tool well --help'\n"},
		{"well --frob", WrongUsage, "", "spoor: tool well: unknown flag: --frob\nspoor: see 'tool well --help'\n"},
		{"well --sise 4", WrongUsage, "", "spoor: tool well: unknown flag: --sise; did you mean --size?\nspoor: see 'tool well --help'\n"},
		{"well -s", WrongUsage, "", "spoor: tool well: unknown shorthand flag: 's' in -s\nspoor: see 'tool well --help'\n"},
		{"well --size x", WrongUsage, "", "spoor: tool well: invalid argument \"x\" for \"--size\" flag: not a whole number\nspoor: see 'tool well --help'\n"},
		{"well --size 99999999999999999999", WrongUsage, "", "spoor: tool well: invalid argument \"99999999999999999999\" for \"--size\" flag: too large or too small\nspoor: see 'tool well --help'\n"},
		{"well --output -", WrongUsage, "", "spoor: tool well: --output -: this command does not write its files to standard output; name them\nspoor: see 'tool well --help'\n"},
		{"dash --output -", Done, "", ""},
		{"well --output=", WrongUsage, "", "spoor: tool well: --output is empty; give a FILE, or omit the flag\nspoor: see 'tool well --help'\n"},
		{"--version", Done, "tool " + Version + "\n", ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			status, out, errs := run(strings.Fields(c.args)...)
			prefix, open := strings.CutSuffix(c.stderr, "...")
			if status != c.status || out != c.out || open && !strings.HasPrefix(errs, prefix) || !open && errs != c.stderr {
				t.Errorf("tool %s: %d, %q, %q; want %d, %q, %q", c.args, status, out, errs, c.status, c.out, c.stderr)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	_, out, errs := run("--help")
	if errs != "" || !strings.HasPrefix(out, "Usage: tool COMMAND\n\nTool tries things.\n") || !strings.Contains(out, "\nCommands:\n") || !strings.Contains(out, "--quiet") {
		t.Errorf("%s%s", out, errs)
	}
	_, out, errs = run("well", "--help")
	if errs != "" || !strings.HasPrefix(out, "Usage: tool well [ARG]") || !strings.Contains(out, "Examples:\n  $ tool well\n") ||
		!strings.Contains(out, "--size int") || !strings.Contains(out, "(default 4)") {
		t.Errorf("%s%s", out, errs)
	}
}

func table() *store.Table {
	return &store.Table{Name: "t", Columns: []store.Column{
		{Name: "name", Data: []string{"a", `q"u,o`, ""}},
		{Name: "n", Data: []int32{-1, 0, math.MaxInt32}},
		{Name: "big", Data: []int64{math.MinInt64, 0, math.MaxInt64}},
		{Name: "bigger", Unit: "B", Data: []uint64{0, 1, math.MaxUint64}},
		{Name: "x", Unit: "s", Data: []float64{1.0 / 3, math.Inf(-1), math.NaN()}},
	}}
}

func TestPrint(t *testing.T) {
	for f, want := range map[Format]string{
		CSV: "name,n,big,bigger,x\n" +
			"a,-1,-9223372036854775808,0,0.3333333333333333\n" +
			"\"q\"\"u,o\",0,0,1,-Inf\n" +
			",2147483647,9223372036854775807,18446744073709551615,\n",
		JSON: "[\n" +
			`  {"name": "a", "n": -1, "big": -9223372036854775808, "bigger": 0, "x": 0.3333333333333333},` + "\n" +
			`  {"name": "q\"u,o", "n": 0, "big": 0, "bigger": 1, "x": null},` + "\n" +
			`  {"name": "", "n": 2147483647, "big": 9223372036854775807, "bigger": 18446744073709551615, "x": null}` + "\n]\n",
		Human: "name   n           big                   bigger [B]            x [s]\n" +
			"a      -1          -9223372036854775808  0                     0.3333\n" +
			"q\"u,o  0           0                     1                     -Inf\n" +
			"       2147483647  9223372036854775807   18446744073709551615  -\n",
	} {
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			var b bytes.Buffer
			if err := Print(&b, f, table()); err != nil || b.String() != want {
				t.Errorf("%s: %v\n%s\nwant\n%s", f, err, b.String(), want)
			}
		})
	}
}

func TestPrintWithoutRows(t *testing.T) {
	empty := &store.Table{Name: "t", Columns: []store.Column{{Name: "a", Data: []string{}}, {Name: "b", Data: []float64{}}}}
	for f, want := range map[Format]string{CSV: "a,b\n", JSON: "[\n]\n", Human: "a  b\n"} {
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			var b bytes.Buffer
			if err := Print(&b, f, empty); err != nil || b.String() != want {
				t.Errorf("%s: %q, %v; want %q", f, b.String(), err, want)
			}
		})
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestPrintReportsWriteErrors(t *testing.T) {
	for _, f := range formats {
		if err := Print(full{}, f, table()); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

func TestFormatFlag(t *testing.T) {
	cmd := &cobra.Command{}
	f := FormatFlag(cmd.Flags())
	if *f != Human {
		t.Errorf("the default is %s", *f)
	}
	for _, s := range []string{"table", "csv", "json"} {
		t.Run(s, func(t *testing.T) {
			if err := cmd.Flags().Set("format", s); err != nil || f.String() != s {
				t.Errorf("%s, %v", f, err)
			}
		})
	}
	for _, s := range []string{"", "CSV", "xml"} {
		t.Run(s, func(t *testing.T) {
			if err := cmd.Flags().Set("format", s); err == nil {
				t.Errorf("%q is accepted", s)
			}
		})
	}
	if f.String() != "json" {
		t.Errorf("a wrong value changed the format to %s", f)
	}
}

// Where standard error is no terminal, progress shows nothing and counts nothing.
func TestProgressIsSilentWithoutTerminal(t *testing.T) {
	var errs bytes.Buffer
	env := &Env{Err: &errs}
	p := env.Progress("reading", 100, Bytes)
	got, err := io.ReadAll(p.reader(strings.NewReader("text")))
	p.Add(5)
	p.Done()
	if string(got) != "text" || err != nil || errs.Len() > 0 {
		t.Errorf("%q, %v, %q", got, err, errs.String())
	}
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p = (&Env{Err: file}).Progress("reading", -1, "refs")
	p.Add(1)
	p.Done()
	if info, err := file.Stat(); err != nil || info.Size() > 0 {
		t.Errorf("%v bytes in a file, %v", info.Size(), err)
	}
}

// A note takes the place of what is shown of the progress, and does not stand behind it.
func TestNotesHideProgress(t *testing.T) {
	var errs bytes.Buffer
	env := &Env{Err: &errs}
	bar := progressbar.NewOptions64(100, progressbar.OptionSetWriter(&errs), progressbar.OptionSetDescription("reading"))
	p := &Progress{bar, env}
	env.shown.Store(p)
	p.Add(5)
	env.Note("hello")
	if before, _, found := strings.Cut(errs.String(), "spoor: note: hello\n"); !found || !strings.HasSuffix(before, "\r") {
		t.Errorf("%q", errs.String())
	}
	p.Done()
	if env.shown.Load() != nil {
		t.Error("it is still shown")
	}
}

// Paths are taken as they are where there are such files, and lists of them are divided.
func TestPathsWithCommas(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a,b.toml", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	var got []string
	flags := pflag.NewFlagSet("x", pflag.ContinueOnError)
	PathsVar(flags, &got, "machine", "machine `FILE`")
	if err := flags.Parse([]string{"--machine", "a,b.toml", "--machine", "c.toml,d.toml", "--machine", "e.toml"}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a,b.toml", "c.toml", "d.toml", "e.toml"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
