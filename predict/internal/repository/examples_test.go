package repository

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"spoor/predict/internal/stagetest"
)

// readDirNames are the names of the folders in dir.
func readDirNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Every `$` line in the help of every command runs as it stands after `make install`, in an empty folder and after the lines
// before it. Text that follows a line is its exact standard output.
func TestExamplesOfTheHelpRun(t *testing.T) {
	bin := stagetest.Build(t, root)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	stages, err := os.ReadDir(bin)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stages {
		helpTree(t, []string{s.Name()})
	}
}

// The help of a command has at most 60 lines, and no line of a help text is wider than 120 columns.
func TestHelpFitsOnAPage(t *testing.T) {
	bin := stagetest.Build(t, root)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	stages, err := os.ReadDir(bin)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stages {
		fits(t, []string{s.Name()})
	}
}

func fits(t *testing.T, command []string) {
	text := help(t, command)
	if n := strings.Count(text, "\n"); n > 60 {
		t.Errorf("%s --help has %d lines; move details to a topic", strings.Join(command, " "), n)
	}
	narrow(t, strings.Join(command, " ")+" --help", text)
	for _, sub := range subcommands(text) {
		fits(t, append(command[:len(command):len(command)], sub))
	}
	for _, name := range topicNames(text) {
		narrow(t, command[0]+" help "+name, printed(t, command[0], "help", name))
	}
}

func narrow(t *testing.T, name, text string) {
	for i, line := range strings.Split(text, "\n") {
		if utf8.RuneCountInString(line) > 120 {
			t.Errorf("%s: line %d is wider than 120 columns: %s", name, i+1, line)
		}
	}
}

// helpTree runs the examples of a command and of all commands below it.
func helpTree(t *testing.T, command []string) {
	help := help(t, command)
	t.Run(strings.Join(command, "_"), func(t *testing.T) {
		t.Parallel()
		examples := parseExamples(help)
		if len(examples) == 0 {
			t.Error("the help shows no example")
		}
		runExamples(t, t.TempDir(), examples)
	})
	for _, sub := range subcommands(help) {
		helpTree(t, append(command[:len(command):len(command)], sub))
	}
	for _, name := range topicNames(help) {
		t.Run(command[0]+"_help_"+name, func(t *testing.T) {
			t.Parallel()
			runExamples(t, t.TempDir(), parseExamples(printed(t, command[0], "help", name)))
		})
	}
}

func help(t *testing.T, command []string) string {
	t.Helper()
	return printed(t, append(command[:len(command):len(command)], "--help")...)
}

// printed is the standard output of a command that must succeed and print nothing else.
func printed(t *testing.T, command ...string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, errs.String())
	}
	return string(out)
}

// topicNames are the names below each line that ends in "help NAME' explains one):". A list is of lines with a
// name and its meaning, two blanks apart, or of names alone.
func topicNames(help string) (names []string) {
	in := false
	for line := range strings.Lines(help) {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasSuffix(text, "help NAME' explains one):"):
			in = true
		case text == "":
			in = false
		case in && regexp.MustCompile(`^\S+ {2,}\S`).MatchString(text):
			names = append(names, strings.Fields(text)[0])
		case in:
			names = append(names, strings.Fields(text)...)
		}
	}
	return names
}

// subcommands are the names in the list that follows "Commands:" in a help text.
func subcommands(help string) []string {
	_, list, found := strings.Cut(help, "\nCommands:\n")
	if !found {
		return nil
	}
	var names []string
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		if len(fields) == 0 || !strings.HasPrefix(line, "  ") {
			break
		}
		if fields[0] != "help" && fields[0] != "completion" {
			names = append(names, fields[0])
		}
	}
	return names
}

// example is one `$` line and what follows it.
type example struct {
	line    string
	output  string // "" if the help does not show it
	stopped bool   // a blank line ended the output
}

// parseExamples finds the `$` lines of a help text. A line that ends in a backslash continues on the next.
func parseExamples(help string) []example {
	var list []example
	for line := range strings.Lines(help) {
		line = strings.TrimRight(line, "\n")
		text := strings.TrimPrefix(line, "  ")
		switch command, is := strings.CutPrefix(text, "$ "); {
		case is:
			list = append(list, example{line: command})
		case len(list) == 0:
		case strings.HasSuffix(list[len(list)-1].line, "\\"):
			last := &list[len(list)-1]
			last.line = strings.TrimSuffix(last.line, "\\") + strings.TrimSpace(text)
		case strings.TrimSpace(line) == "" || text == line:
			list[len(list)-1].stopped = true
		case !list[len(list)-1].stopped:
			list[len(list)-1].output += text + "\n"
		}
	}
	return list
}

// checkout returns a folder that holds the project's data, and the programs below tracegen, alone.
func checkout(t *testing.T) string {
	dir := t.TempDir()
	for _, name := range []string{"data", "tracegen"} {
		from, err := filepath.Abs(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(from, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// runExamples runs the lines in order in a folder.
func runExamples(t *testing.T, dir string, examples []example) {
	noisy := false // the host was, so that files are missing
	for _, e := range examples {
		if _, err := exec.LookPath("qemu-x86_64"); err != nil && strings.HasPrefix(e.line, "tracegen run ") {
			t.Skip("qemu-x86_64 is not installed")
		}
		cmd := exec.Command("sh", "-c", e.line)
		cmd.Dir = dir
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		var exit *exec.ExitError
		switch {
		case strings.HasPrefix(e.line, "calibrate ") && strings.Contains(errs.String(), "too noisy: "):
			noisy = true
			t.Logf("$ %s\n%s", e.line, errs.String()) // which is an answer, but of the host
		case noisy && errors.As(err, &exit):
			t.Logf("$ %s\n%s", e.line, errs.String())
		case errors.As(err, &exit):
			t.Fatalf("$ %s\nexit status %d\n%s", e.line, exit.ExitCode(), errs.String())
		case err != nil:
			t.Fatalf("$ %s\n%v", e.line, err)
		case e.output != "" && !shows(trimmed(string(out)), trimmed(e.output)):
			t.Errorf("$ %s\ngot:\n%s\nthe help says:\n%s", e.line, out, e.output)
		}
	}
}

// trimmed drops blanks at the ends of lines, which a help text cannot show.
func trimmed(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"+blank+" "), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t"+blank)
	}
	return strings.Join(lines, "\n")
}

// shows reports whether a page shows an output: as it is, or with a line "..." for any lines that it leaves out.
func shows(output, page string) bool {
	output, page = "\n"+output+"\n", "\n"+page+"\n"
	parts := strings.Split(page, "\n...\n")
	rest, ok := strings.CutPrefix(output, strings.TrimSuffix(parts[0], "\n"))
	if len(parts) == 1 {
		return output == page
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, "\n"+strings.Trim(part, "\n")+"\n")
		rest, ok = "\n"+after, ok && found
	}
	return ok && strings.HasSuffix(rest, "\n"+strings.TrimPrefix(parts[len(parts)-1], "\n")) || ok && strings.TrimSpace(parts[len(parts)-1]) == ""
}

func TestShows(t *testing.T) {
	const output = "a\nb\nc\nd\ne"
	for page, want := range map[string]bool{
		output: true, "a\nb": false, "a\n...": true, "...\ne": true, "a\n...\ne": true, "...\nc\n...": true, "...\nb\n...\nd\n...": true,
		"...\nd\n...\nb\n...": false, "b\n...": false, "...\nd": false, "a\n...\nd": false, "...\nbb\n...": false,
	} {
		t.Run(page, func(t *testing.T) {
			if got := shows(output, page); got != want {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestParseExamples(t *testing.T) {
	got := parseExamples("Usage: x\n\nX does.\n\nExamples:\n  $ one --a\n  $ two\n  a   1\n\n  not output\n  $ three\n  last\n\nFlags:\n      --a   b\n")
	want := []example{{line: "one --a"}, {line: "two", output: "a   1\n", stopped: true}, {line: "three", output: "last\n", stopped: true}}
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("example %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestSubcommands(t *testing.T) {
	got := subcommands("Usage: predict COMMAND\n\nCommands:\n  compare     models\n  help        Help\n  report      page\n\nFlags:\n  -h\n")
	if strings.Join(got, " ") != "compare report" {
		t.Errorf("got %q", got)
	}
}
