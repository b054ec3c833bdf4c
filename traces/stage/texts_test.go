package stage

import (
	"testing"
	"testing/fstest"
)

func TestReadHelp(t *testing.T) {
	files := fstest.MapFS{
		"help/whole.txt": {Data: []byte("one line\n\nFirst.\n\nSecond:\n{list}\n\nExamples:\n  $ one\n  $ two\n")},
		"help/short.txt": {Data: []byte("one line\n")},
	}
	for _, row := range []struct {
		name string
		list []string
		want HelpText
	}{
		{"whole", []string{"  a\n  b\n"}, HelpText{"one line", "First.\n\nSecond:\n  a\n  b", "  $ one\n  $ two"}},
		{"short", nil, HelpText{"one line", "", ""}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := ReadHelp(files, row.name, row.list...); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
	for name, list := range map[string][]string{"whole": nil, "short": {"  a\n"}, "none": nil} {
		t.Run(name, func(t *testing.T) {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("no panic for %s", name)
					}
				}()
				ReadHelp(files, name, list...)
			}()
		})
	}
}
