package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The lists of the study name what is there: each program has a source, and each source a row. Programs are at least thirty, each is
// in one set, and half of them only measure. Each machine has a file, and has flags of analyze.
func TestListsOfUnseenProgramsAndMachines(t *testing.T) {
	programs, machines := unseenRows(t, "programs.tsv"), unseenRows(t, "machines.tsv")
	sets := map[string]int{}
	var sources []string
	for _, r := range programs {
		name := r.text("program")
		source := map[string]string{"c": "c/" + name + ".c", "fortran": "fortran/" + name + ".f90", "go": "go/" + name + "/main.go", "mpi": "mpi/" + name + ".c"}[r.text("language")]
		sources = append(sources, source)
		sets[r.text("set")]++
		if (r.text("messages") == "yes") != (r.text("language") == "mpi") || r.text("arguments") == "" || r.text("smoke") == "" {
			t.Errorf("the row of %s: messages, arguments or smoke", name)
		}
	}
	var files []string
	for _, pattern := range []string{"c/*.c", "fortran/*.f90", "go/*/*.go", "mpi/*.c"} {
		found, err := filepath.Glob("unseen/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			files = append(files, strings.TrimPrefix(filepath.ToSlash(f), "unseen/"))
		}
	}
	slices.Sort(sources)
	slices.Sort(files)
	if !slices.Equal(sources, files) {
		t.Errorf("rows of programs.tsv: %q\nsources: %q", sources, files)
	}
	if n := sets["learn"] + sets["measure"]; n != len(programs) || n < 30 || 10*sets["measure"] < 4*n || 10*sets["measure"] > 6*n {
		t.Errorf("%d programs in sets %v", len(programs), sets)
	}
	for _, r := range machines {
		_, own := os.Stat("unseen/machine/" + r.text("machine") + ".toml")
		_, shared := os.Stat("../data/machine/" + r.text("machine") + ".toml")
		known := slices.ContainsFunc(kindsOfUnseen, func(k kindOfUnseen) bool { return k.name == r.text("kind") }) || r.text("kind") == "messages"
		if (own == nil) == (shared == nil) || !known || r.number("processors") < 2 {
			t.Errorf("the row of machine %s", r.text("machine"))
		}
	}
}

func unseenRows(t *testing.T, file string) []row {
	rows, err := readRows([]string{"unseen/" + file})
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	return rows
}

// Tables of a study without a kind, a set or a model leave it out.
func TestTablesOfUnseenPrograms(t *testing.T) {
	file := filepath.Join(t.TempDir(), "summary.tsv")
	text := strings.ReplaceAll(`quantity kind model rows mean worst none inside width
learn smp mva 4 1.5 12.5 1 3 1.1
learn smp curve 4 20 30 0 1 9.5
random all mva 2 1 2 2 0 
program kind rows mean worst none inside width
hashjoin smp 2 2 3 0 1 1.2
hashjoin all 2 2 3 0 1 1.2
`, " ", "\t")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string][]string{
		"errors":    {"| SMPs in order | learn | 4 | - | 20 / 30 | 1.5 / 12 |", "| all | random | 2 | - | - | 1.0 / 2.0 |"},
		"intervals": {"| SMPs in order | learn | - | 25 %, x 9.5 | 100 %, x 1.1 | 25 % |", "| all | random | - | - | - | 100 % |"},
		"programs":  {"| `hashjoin` | 2.0 / 3.0 | - | - | - | - | - | 2.0 / 3.0 | 50 % |"},
	} {
		t.Run(part, func(t *testing.T) {
			var out strings.Builder
			if err := printTables([]string{"unseen." + part, file}, &out); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if !slices.Equal(lines[2:], want) {
				t.Errorf("got %q", lines)
			}
		})
	}
}
