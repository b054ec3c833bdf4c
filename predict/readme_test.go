package main

import (
	"os"
	"os/exec"
	"path/filepath"
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
