package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every `$` line in an indented block of the project's, a stage's or the machines' page runs as it stands, like those
// of help texts; text that follows a line in its block is its exact standard output.
func TestExamplesOfThePagesRun(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "*", "README.md"))
	if err != nil || len(pages) < len(mayImport) {
		t.Fatalf("%q, %v", pages, err)
	}
	pages = append(pages, filepath.Join("..", "README.md"), filepath.Join("..", "data", "machine", "README.md"))
	bin := buildStages(t)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(filepath.Dir(page)), func(t *testing.T) {
			t.Parallel()
			runExamples(t, parseExamples(indented(string(text))))
		})
	}
}

// The tables and sentences of all pages that name a command in a comment are what it prints.
func TestNumbersOfThePagesArePrinted(t *testing.T) {
	out, err := exec.Command("sh", filepath.Join("..", "pipelines", "pages.sh")).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if n := strings.Count(string(out), "commands, all as the page has it"); n < 5 {
		t.Errorf("%d pages with commands:\n%s", n, out)
	}
}

// What a command does not print, a page may not have: a row that differs, lacks or is too much, a sentence, a command that fails. With
// --write tables are put right, and all else stays.
func TestPagesAreHeldToTheirCommands(t *testing.T) {
	const table = "<!-- table: printf '| a |\\n| 1 |\\n' -->\n"
	pages := func(args ...string) (string, error) {
		out, err := exec.Command("sh", append([]string{filepath.Join("..", "pipelines", "pages.sh")}, args...)...).CombinedOutput()
		return string(out), err
	}
	for page, says := range map[string]string{
		table + "| a |\n| 1 |\n":                       "",
		table + "```\n| a |\n| 1 |\n```\n":             "",
		"- b\n  " + table + "  | a |\n  | 1 |\n\nc\n":  "",
		table + "| a |\n| 2 |\n\nmore\n":               "| 1 |",
		table + "| a |\n":                              "lacks the line\n\t| 1 |",
		table + "| a |\n| 1 |\n| 1 |\n":                "no such line",
		"<!-- text: echo two  words -->\ntwo\nwords\n": "",
		"<!-- text: echo two words -->\ntwowords\n":    "nowhere is there\n\ttwo words",
		"<!-- text: false -->\n":                       "fails",
		"<!-- text: true -->\n":                        "prints nothing",
	} {
		file := filepath.Join(t.TempDir(), "page.md")
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := pages(file)
		if (err != nil) != (says != "") || !strings.Contains(out, says) {
			t.Errorf("%q: %v, %s", page, err, out)
		}
		if !strings.HasPrefix(page, table) || says == "" {
			continue
		}
		if out, err := pages("--write", file); err != nil {
			t.Errorf("writing %q: %v, %s", page, err, out)
		}
		text, err := os.ReadFile(file)
		if want := table + "| a |\n| 1 |\n"; err != nil || !strings.HasPrefix(string(text), want) || strings.HasSuffix(page, "more\n") != strings.HasSuffix(string(text), "\n\nmore\n") {
			t.Errorf("%q is written as %q, %v", page, text, err)
		}
	}
}

// indented has the blocks of a page as help texts have theirs.
func indented(page string) string {
	var b strings.Builder
	for line := range strings.Lines(page) {
		block, is := strings.CutPrefix(line, "    ")
		if !is {
			block = "\n"
			b.WriteString(block)
			continue
		}
		b.WriteString("  " + block)
	}
	return b.String()
}

// Tests that the table of equations names are there.
func TestEquationsNameTheirTests(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, pattern := range []string{"../*/*/*_test.go", "../*/*/*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			tests.Write(text)
		}
	}
	_, table, found := strings.Cut(string(page), "## Equations, as printed and corrected")
	table, _, _ = strings.Cut(table, "\n## ")
	names := regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(table, -1)
	if !found || len(names) < 40 {
		t.Errorf("%d tests are named", len(names))
	}
	for _, name := range names {
		if !strings.Contains(tests.String(), "func "+name[1]+"(t *testing.T)") {
			t.Errorf("there is no %s", name[1])
		}
	}
}
