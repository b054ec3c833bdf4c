package repository

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"spoor/calibrate/param"
	"spoor/predict/internal/reference"
	"spoor/predict/internal/stagetest"
)

// predict/internal/reference/tables.txt lists all that commands write: each table with each column, its type and unit, and each
// parameter. The commands of this test write everything that is listed, unless the list says why not.
func TestEveryTableAndParameterIsListed(t *testing.T) {
	t.Setenv("PATH", stagetest.Build(t, root)+string(os.PathListSeparator)+os.Getenv("PATH"))
	list, err := reference.Kinds()
	if err != nil {
		t.Fatal(err)
	}
	dir := checkout(t)
	write(t, filepath.Join(dir, "pinatrace.out"), "0x7f0001: R 0x1000\n0x7f0004: W 0x1008\n#eof\n")
	write(t, filepath.Join(dir, "flushes.csv"), "time,tid,op,addr,size\n1,0,P,0x1000,8\n2,0,R,0x1000,8\n3,0,F,0x1000,8\n4,1,W,0x1000,8\n")
	for line := range strings.Lines(tableCommands) {
		if err := shell(dir, line); err != nil {
			t.Fatal(err)
		}
	}
	measured := measure(t, dir)
	seen := seenColumns{}
	files := 0
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(path, ".arrow"):
			files++
			seen.table(t, list, path)
		case strings.HasSuffix(path, ".params.toml"):
			files++
			seen.params(t, list, path)
		}
		return nil
	})
	if err != nil || files < 80 {
		t.Errorf("%d files, %v", files, err)
	}
	seen.compare(t, list, measured)
	comparePrinted(t, list, dir, measured)
}

// measure runs hostCommands in dir and reports whether they wrote all their files, which a busy host prevents.
func measure(t *testing.T, dir string) bool {
	for line := range strings.Lines(hostCommands) {
		if err := shell(dir, line); err != nil {
			t.Log(err)
			return false
		}
	}
	for _, file := range []string{"memory.memory.arrow", "memory.params.toml", "host.ring.arrow", "host.ring.params.toml"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Logf("the host is busy: %v", err)
			return false
		}
	}
	if err := os.Rename(filepath.Join(dir, "host.ring.params.toml"), filepath.Join(dir, "host.ring.fit.params.toml")); err != nil {
		t.Fatal(err)
	}
	return true
}

// shell runs a line in dir.
func shell(dir, line string) error {
	cmd := exec.Command("sh", "-ec", line)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("$ %s%w\n%s", line, err, out)
	}
	return nil
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// seenColumns are the columns of the list that files have, and how many files of their kind do not have them.
type seenColumns map[*reference.Column]*presence

type presence struct{ with, without int }

// table compares an Arrow file with the list.
func (s seenColumns) table(t *testing.T, list *reference.List, path string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer r.Close()
	meta := r.Schema().Metadata()
	name, _ := meta.GetValue("spoor.kind")
	if profile, is := meta.GetValue("spoor.profile"); is {
		name += " " + profile
	}
	kind := list.Find(name, reference.Table)
	if kind == nil {
		t.Errorf("%s: table %s is not in predict/internal/reference/tables.txt", path, name)
		return
	}
	var names []string
	for _, field := range r.Schema().Fields() {
		unit, _ := field.Metadata.GetValue("spoor.unit")
		names = append(names, field.Name)
		s.column(t, path, kind, field.Name, typeName(field.Type), unit)
	}
	s.count(kind, names)
	if !inOrder(kind, names) {
		t.Errorf("%s: table %s has its columns in the order %q", path, name, names)
	}
}

// typeName is the name of a type on the page.
func typeName(typ arrow.DataType) string {
	switch typ := typ.(type) {
	case *arrow.ListType:
		return "list<" + typeName(typ.Elem()) + ">"
	case *arrow.StringType:
		return "string"
	}
	return typ.Name()
}

// params compares a parameter file with the list.
func (s seenColumns) params(t *testing.T, list *reference.List, path string) {
	name := strings.TrimSuffix(filepath.Base(path), ".params.toml")
	kind := list.Find(name[strings.LastIndex(name, ".")+1:], reference.Params)
	set, err := param.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if kind == nil {
		t.Errorf("%s: parameters of %s are not in predict/internal/reference/tables.txt", path, name)
		return
	}
	var names []string
	for _, p := range set.All() {
		names = append(names, p.Name)
		s.column(t, path, kind, p.Name, "", p.Unit)
	}
	s.count(kind, names)
}

// column compares one column or parameter with the list.
func (s seenColumns) column(t *testing.T, path string, kind *reference.Kind, name, typ, unit string) {
	c := kind.Column(name)
	switch {
	case c == nil:
		t.Errorf("%s: %s of %s is not in predict/internal/reference/tables.txt", path, name, kind.Name)
	case c.Type != typ || !c.HasUnit(unit):
		t.Errorf("%s: %s of %s is %q in %q, but predict/internal/reference/tables.txt says %q in %q", path, name, kind.Name, typ, unit, c.Type, c.Units)
	}
}

// count adds a file of a kind with these columns.
func (s seenColumns) count(kind *reference.Kind, names []string) {
	for i := range kind.Columns {
		c := &kind.Columns[i]
		if s[c] == nil {
			s[c] = &presence{}
		}
		if slices.ContainsFunc(names, func(name string) bool { return kind.Column(name) == c }) {
			s[c].with++
		} else {
			s[c].without++
		}
	}
}

// inOrder reports whether columns are in the order of the list.
func inOrder(kind *reference.Kind, names []string) bool {
	last := 0
	for _, name := range names {
		at := slices.IndexFunc(kind.Columns, func(c reference.Column) bool { return kind.Column(name) != nil && c.Name == kind.Column(name).Name })
		if at < last {
			return false
		}
		last = at
	}
	return true
}

// compare finds what is listed, but was not written. The host's own measurements need not be complete.
func (s seenColumns) compare(t *testing.T, list *reference.List, measured bool) {
	for _, k := range list.Kinds {
		if k.Form == reference.Printed {
			continue
		}
		for i := range k.Columns {
			c := &k.Columns[i]
			p := s[c]
			switch {
			case k.Untested != "" || !measured && strings.HasPrefix(k.By[0], "calibrate "):
			case p == nil:
				t.Errorf("%s: no command of this test writes it; add one, or say why not after 'untested'", k.Name)
			case p.with == 0 && !strings.HasPrefix(k.By[0], "calibrate "):
				t.Errorf("%s: no file has %s", k.Name, c.Name)
			case p.without > 0 && c.When == "" && k.Form == reference.Table:
				t.Errorf("%s: %d files do not have %s, but predict/internal/reference/tables.txt does not say when it is absent", k.Name, p.without, c.Name)
			}
			if p == nil {
				break
			}
		}
	}
}

// printedByAnalyses returns a command for each table that an analysis prints without further flags. Some analyses need messages,
// which only the second trace has.
func printedByAnalyses(list *reference.List) string {
	var b strings.Builder
	for _, k := range list.Kinds {
		if run := strings.Join(k.By, ", "); k.Form == reference.Printed && strings.HasPrefix(run, "analyze --run ") {
			fmt.Fprintf(&b, "%s: %s -o printed fft 2>/dev/null || %s -o printed transfer\n", k.Name, run, run)
		}
	}
	return b.String()
}

// comparePrinted runs printingCommands and finds the head of each table in their output.
func comparePrinted(t *testing.T, list *reference.List, dir string, measured bool) {
	printed := map[string]bool{"transport": true} // measures this host again
	for line := range strings.Lines(printingCommands + printedByAnalyses(list)) {
		names, command, is := strings.Cut(line, ": ")
		if !is || !measured && strings.HasPrefix(command, "calibrate memory") {
			continue
		}
		cmd := exec.Command("sh", "-ec", command)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("$ %s%v", command, err)
		}
		for _, name := range strings.Split(names, ", ") {
			printed[name] = true
			kind := list.Find(name, reference.Printed)
			if kind == nil || !slices.ContainsFunc(strings.Split(string(out), "\n"), kind.IsHead) {
				t.Errorf("%sno line is the head of printed table %s:\n%.2000s", command, name, out)
			}
		}
	}
	for _, k := range list.Kinds {
		if k.Form == reference.Printed && !printed[k.Name] && measured {
			t.Errorf("printed table %s: no command of this test prints it", k.Name)
		}
	}
}
