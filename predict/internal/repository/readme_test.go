package repository

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"spoor/predict/internal/stagetest"
)

// Every `$` line of a page, in an indented block or in a fence of console, runs as it stands, like those of help
// texts. Text that follows a line in its block is its exact standard output, with "..." for lines left out.
// Pages of studies have make targets instead, which other tests run.
func TestExamplesOfThePagesRun(t *testing.T) {
	bin := stagetest.Build(t, root)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	shown := 0
	for _, page := range pagesBelow(t, root) {
		if strings.HasPrefix(page, filepath.Join(root, "pipelines")) {
			continue
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		examples := parseExamples(indented(string(text)))
		if len(examples) == 0 {
			continue
		}
		shown++
		t.Run(strings.TrimPrefix(filepath.ToSlash(page), root+"/"), func(t *testing.T) {
			t.Parallel()
			runExamples(t, checkout(t), examples)
		})
	}
	if shown < 20 {
		t.Errorf("only %d pages have examples", shown)
	}
}

// A fence of console may stand in a list. Other fences are not run.
func TestFencesAreFound(t *testing.T) {
	got := parseExamples(indented("1. Do:\n\n   ```console\n   $ one\n   a\n\n   b\n   ```\n\n```sh\n$ not\n```\n\n    $ two\n"))
	if len(got) != 2 || got[0].line != "one" || trimmed(got[0].output) != "a\n\nb" || got[1].line != "two" {
		t.Errorf("got %+v", got)
	}
}

// pagesBelow lists the Markdown pages that belong to the project.
func pagesBelow(t *testing.T, dir string) (pages []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "node_modules" || e.Name() == "out" || strings.HasPrefix(e.Name(), ".") && path != dir):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".md"):
			pages = append(pages, path)
		}
		return nil
	})
	if err != nil || len(pages) < len(mayImport) {
		t.Fatalf("%q, %v", pages, err)
	}
	return pages
}

// blank stands for a blank line within an output.
const blank = "\u200b"

// indented returns the indented blocks and the fences of console of a page, laid out as in help texts.
func indented(page string) string {
	var b strings.Builder
	fence, margin := "", "" // the line that opened it, and its indentation in a list
	for line := range strings.Lines(page) {
		text := strings.TrimSpace(line)
		block, is := strings.CutPrefix(line, "    ")
		switch {
		case fence != "" && text == "```":
			fence = ""
			b.WriteString("\n")
		case fence == "" && strings.HasPrefix(text, "```"):
			fence, margin = text, line[:strings.Index(line, "```")]
			b.WriteString("\n")
		case fence == "```console" && text == "":
			b.WriteString("  " + blank + "\n")
		case fence == "```console":
			b.WriteString("  " + strings.TrimPrefix(line, margin))
		case fence == "" && is:
			b.WriteString("  " + block)
		default:
			b.WriteString("\n")
		}
	}
	return b.String()
}

// Tests that the table of equations names are there.
func TestEquationsNameTheirTests(t *testing.T) {
	page, err := os.ReadFile(root + "/docs/equations.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, pattern := range []string{"/*/*/*_test.go", "/*/*/*/*_test.go", "/*/*/*/*/*_test.go"} {
		files, err := filepath.Glob(root + pattern)
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
	names := regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(page), -1)
	if len(names) < 40 {
		t.Errorf("%d tests are named", len(names))
	}
	for _, name := range names {
		if !strings.Contains(tests.String(), "func "+name[1]+"(t *testing.T)") {
			t.Errorf("there is no %s", name[1])
		}
	}
}
