package scaling

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		title, program string
		all            map[string]string
	}{
		{"", "", map[string]string{}},
		{"fft points=64 line=64", "fft", map[string]string{"points": "64", "line": "64"}},
		{"prog args=-n 8192", "prog", map[string]string{"n": "8192"}},
		{"prog args=-n=8192", "prog", map[string]string{"n": "8192"}},
		{"prog args=--n 8192", "prog", map[string]string{"n": "8192"}},
		{"prog args=--n=8192", "prog", map[string]string{"n": "8192"}},
		{"prog args=-v -n 8192 -shift -5 file 7", "prog", map[string]string{"v": "true", "n": "8192", "shift": "-5", "arg1": "file", "arg2": "7"}},
		{"prog -n 8192", "prog", map[string]string{"n": "8192"}},
		{"prog args=8192", "prog", map[string]string{"arg1": "8192"}},
		{"prog args=n=8192", "prog", map[string]string{"n": "8192"}},
		{"prog args=- --", "prog", map[string]string{"arg1": "-", "arg2": "--"}},
	} {
		t.Run(c.title, func(t *testing.T) {
			if program, all := arguments(c.title); program != c.program || !maps.Equal(all, c.all) {
				t.Errorf("%q %v, want %q %v", program, all, c.program, c.all)
			}
		})
	}
}

// Own programs are fitted whatever the form of their arguments.
func TestStudyOfOwnPrograms(t *testing.T) {
	for _, form := range []string{"args=-n ", "args=-n=", "args=--n ", "args=--n="} {
		t.Run(form, func(t *testing.T) {
			var runs []*Run
			for _, n := range []string{"64", "128", "256", "512"} {
				runs = append(runs, open(t, "prog "+form+n, "2", map[string]string{"refs": n + ".0"}))
			}
			s, err := NewStudy(runs, "n")
			if err != nil {
				t.Fatal(err)
			}
			all, err := s.Extrapolate(Point{2, 8192})
			if err != nil || len(all) == 0 || all[0].Name != "refs" || all[0].Value < 8191 || all[0].Value > 8193 {
				t.Errorf("%v %v", all, err)
			}
		})
	}
}

// Files of two traces in one folder are refused.
func TestOpenRefusesFilesOfTwoTraces(t *testing.T) {
	dir := write(t, "prog n=1", "2", map[string]string{"alpha": "1.5"})
	for _, f := range []string{"a", "b"} {
		text := "[" + f + "]\nvalue = 1.0\nunit = \"1\"\nsource = \"t.refs.arrow sha256:" + strings.Repeat(f, 64) + "\"\n"
		if err := os.WriteFile(filepath.Join(dir, f+".params.toml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "b.params.toml: it is of trace bbbbbbbbbbbb, but other files of the folder are of aaaaaaaaaaaa") {
		t.Error(err)
	}
}
