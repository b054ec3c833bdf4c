package repository

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"spoor/predict/internal/stagetest"
)

//go:embed testdata/flags.txt
var flagExamples string

// flagged is a command with an example of each of its flags.
type flagged struct {
	name     string
	args     []string
	examples []flagExample
}

// flagExample is a flag with a value that is not its default.
type flagExample struct {
	args []string
	same bool // by its purpose it changes no result
}

// inPackages returns the files of a name of all analyses and formats, one after the other.
func inPackages(t *testing.T, name string) string {
	t.Helper()
	var b strings.Builder
	for _, folder := range []string{"analyze/*", "analyze/internal/*", "traces/format/internal/*"} {
		files, err := filepath.Glob(filepath.Join(root, folder, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(text)
		}
	}
	return b.String()
}

// name returns the flag without its value.
func (e flagExample) name() string {
	name, _, _ := strings.Cut(e.args[0], "=")
	return name
}

// readFlagExamples reads the table: commands that make inputs, and commands with flags. The commands without examples
// are untested.
func readFlagExamples(t *testing.T) (setup [][]string, all []*flagged, untested []string) {
	for line := range strings.Lines(flagExamples + inPackages(t, "flags.txt")) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "$":
			setup = append(setup, words[1:])
		case words[0] == "also":
			name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "also "), ":")
			untested = append(untested, name)
		case words[0] == "command":
			n := slices.IndexFunc(words[2:], func(w string) bool { return !commandWord.MatchString(w) || !isCommand(words[1], w) })
			if n < 0 {
				n = len(words) - 2
			}
			all = append(all, &flagged{name: strings.Join(words[1:2+n], " "), args: words[1:]})
			for i, w := range all[len(all)-1].args {
				all[len(all)-1].args[i] = strings.Trim(w, "'")
			}
		default:
			same := words[0] == "same"
			if same {
				text, _, _ := strings.Cut(strings.TrimSpace(line), ": ")
				words = strings.Fields(text)[1:]
			}
			c := all[len(all)-1]
			c.examples = append(c.examples, flagExample{words, same})
		}
	}
	return setup, all, untested
}

var commandWord = regexp.MustCompile(`^[a-z]+$`)

// isCommand reports whether a word is a command of a stage in the reference.
func isCommand(stage, word string) bool {
	page, _ := os.ReadFile(root + "/docs/reference/commands/" + stage + ".md")
	return regexp.MustCompile(`(?m)^## ` + stage + `( [a-z]+)? ` + word + `$`).Match(page)
}

// flagsOf returns the flags of all commands by the pages of the reference. Flags in topics belong to a command.
func flagsOf(t *testing.T) map[string][]string {
	topics := map[string]string{"analyze": "analyze", "traces": "traces import", "tracegen": "tracegen"}
	flags := map[string][]string{}
	flag := regexp.MustCompile(`^ {2,6}(?:-[a-zA-Z], )?(--[a-z-]+)(?: |$)`)
	for _, stage := range []string{"tracegen", "traces", "analyze", "calibrate", "predict"} {
		page, err := os.ReadFile(root + "/docs/reference/commands/" + stage + ".md")
		if err != nil {
			t.Fatal(err)
		}
		at := ""
		for line := range strings.Lines(string(page)) {
			if name, is := strings.CutPrefix(line, "## "); is {
				at = strings.TrimSpace(name)
				if strings.Contains(at, " help ") {
					at = topics[stage]
				}
				flags[at] = append(flags[at], nil...)
			} else if m := flag.FindStringSubmatch(line); m != nil && !slices.Contains([]string{"--help", "--quiet", "--version"}, m[1]) && !strings.HasPrefix(line, "  --by ") {
				flags[at] = append(flags[at], m[1])
			}
		}
	}
	return flags
}

// TestEveryFlagHasAnEffectOrANote runs every command with an example of each flag.
func TestEveryFlagHasAnEffectOrANote(t *testing.T) {
	bin, dir := stagetest.Build(t, root), t.TempDir()
	setup, all, untested := readFlagExamples(t)
	whole, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"data", "tracegen"} {
		if err := os.Symlink(filepath.Join(whole, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "tables"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, args := range setup {
		stagetest.Run(t, dir, filepath.Join(bin, args[0]), args[1:]...)
	}
	checkFlagList(t, all, untested)
	var done sync.WaitGroup
	limit := make(chan bool, 4)
	for i, c := range all {
		done.Add(1)
		limit <- true
		go func() {
			defer done.Done()
			checkFlags(t, bin, dir, filepath.Join(dir, fmt.Sprint("at ", i)), c)
			<-limit
		}()
	}
	done.Wait()
}

// checkFlagList reports flags without an example, and examples of unknown flags.
func checkFlagList(t *testing.T, all []*flagged, untested []string) {
	t.Helper()
	for command, flags := range flagsOf(t) {
		kernel := strings.HasPrefix(command, "tracegen ") && command != "tracegen init" && command != "tracegen sor"
		if kernel || slices.Contains(untested, command) || len(flags) == 0 || command == "" {
			continue
		}
		for _, name := range flags {
			has := func(e flagExample) bool { return e.name() == name }
			if !slices.ContainsFunc(all, func(c *flagged) bool { return c.name == command && slices.ContainsFunc(c.examples, has) }) {
				t.Errorf("%s %s has no example in testdata/flags.txt, or in flags.txt of the package of its analysis", command, name)
			}
		}
	}
}

// checkFlags runs a command without and with each flag.
func checkFlags(t *testing.T, bin, dir, at string, c *flagged) {
	status, want, errs := runFlagged(t, bin, dir, at, c.args)
	if status != 0 && c.name != "tracegen" {
		t.Errorf("%v: status %d, %s", c.args, status, errs)
		return
	}
	for _, e := range c.examples {
		_, got, errs := runFlagged(t, bin, dir, at, append(slices.Clone(c.args), e.args...))
		named := strings.Contains(errs, e.name()) || len(e.args) > 1 && strings.Contains(errs, e.args[1])
		switch changed := got != want; {
		case e.same && changed:
			t.Errorf("%v %v changes the result", c.args, e.args)
		case !e.same && !changed && !named:
			t.Errorf("%v %v: no effect and no word: %s", c.args, e.args, errs)
		}
	}
}

// runFlagged runs a command in a folder with the inputs. The result is its output and its files below out.
func runFlagged(t *testing.T, bin, dir, at string, args []string) (status int, result, errs string) {
	if err := os.RemoveAll(at); err != nil {
		t.Error(err)
	}
	if err := os.MkdirAll(filepath.Join(at, "out"), 0o777); err != nil {
		t.Error(err)
	}
	inputs, err := os.ReadDir(dir)
	if err != nil {
		t.Error(err)
	}
	for _, f := range inputs {
		if !strings.HasPrefix(f.Name(), "at ") {
			if err := os.Symlink(filepath.Join(dir, f.Name()), filepath.Join(at, f.Name())); err != nil {
				t.Error(err)
			}
		}
	}
	cmd := exec.Command(filepath.Join(bin, args[0]), args[1:]...)
	cmd.Dir = at
	var out, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &stderr
	_ = cmd.Run() // the status says it
	sum := sha256.New()
	_ = filepath.WalkDir(at, func(path string, f fs.DirEntry, err error) error {
		if err == nil && f.Type().IsRegular() {
			data, _ := os.ReadFile(path)
			fmt.Fprintf(sum, "%s %x\n", path, sha256.Sum256(data))
		}
		return err
	})
	return cmd.ProcessState.ExitCode(), fmt.Sprintf("%s%x", out.String(), sum.Sum(nil)), stderr.String()
}
