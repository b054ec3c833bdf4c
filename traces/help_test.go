package main

import (
	"fmt"
	"strings"
	"testing"

	"spoor/traces/format"
)

// TestHelpFitsAScreen checks that the help of every command and of every format has at most 60 lines of 120 columns, and an example
// or a way to use it.
func TestHelpFitsAScreen(t *testing.T) {
	pages := []string{"help"}
	for _, c := range []string{"import", "export", "info", "head", "check", "slice", "merge", "sample", "grow", "formats"} {
		pages = append(pages, "help "+c)
	}
	for _, f := range format.All {
		pages = append(pages, "help "+f.Info().Name)
	}
	for _, p := range pages {
		status, out, errs := traces(nil, strings.Fields(p)...)
		if status != 0 || errs != "" {
			t.Errorf("traces %s: status %d, %s\n%s", p, status, errs, out)
		}
		if !strings.Contains(out, "\nExamples:\n") && !strings.Contains(out, "\nUse: ") {
			t.Errorf("traces %s has no example; a format needs Example or Use in its Info:\n%s", p, out)
		}
		if n := strings.Count(out, "\n"); n > 60 {
			t.Errorf("traces %s: %d lines", p, n)
		}
		for line := range strings.Lines(out) {
			if len([]rune(line)) > 120+1 {
				t.Errorf("traces %s: %d columns: %s", p, len([]rune(line))-1, line)
			}
		}
	}
}

// TestHelpOfAFormat checks that the page of a format has all facts, the settings and the flags that only it uses.
func TestHelpOfAFormat(t *testing.T) {
	_, csv, _ := traces(nil, "help", "csv")
	_, goal, _ := traces(nil, "help", "goal")
	_, imports, _ := traces(nil, "help", "import")
	for text, page := range map[string]string{"lost when written ": csv, "--csv-time UNIT": csv, "--addr-base BASE": csv, "also called ": goal, "  unit=1ns ": goal, "  num_ranks N ": goal} {
		t.Run(text, func(t *testing.T) {
			if !strings.Contains(page, text) {
				t.Errorf("no %q in\n%s", text, page)
			}
		})
	}
	if strings.Contains(imports, "--csv-time") {
		t.Errorf("the flag of one format is in the help of import:\n%s", imports)
	}
}

func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.csv", "op,addr\nR,0x1000\n")
	if status, _, errs := traces(nil, "import", "a.csv", "-o", "lu"); status != 0 {
		t.Fatal(errs)
	}
	for _, c := range []struct{ args, wants, lacks string }{
		{"import x --from ", "otf2\n", "chrome\n"},
		{"export x --to ", "chrome\n", "otf2\n"},
		{"import x --from goal --set ", "unit=\n", "ticks=\n"},
		{"import x --modify ", "split\n", "keep\n"},
		{"formats ", "lackey\n", "a.csv\n"},
		{"sample x --by ", "window\n", "a.csv\n"},
		{"info ", "lu\n", "lu.refs.arrow\n"},
		{"info l", "lu\n", "lu.refs.arrow\n"},
		{"help ", "import\t", "a.csv\n"},
	} {
		t.Run(c.args, func(t *testing.T) {
			args := append([]string{"__complete"}, strings.Split(c.args, " ")...)
			status, out, _ := traces(nil, args...)
			if status != 0 || !strings.Contains(out, c.wants) || strings.Contains(out, c.lacks) {
				t.Errorf("traces %s: status %d: %s", c.args, status, fmt.Sprintf("%q", out))
			}
		})
	}
}
