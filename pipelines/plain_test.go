package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Names that a user gives to the study of any trace never run, and never lead out of the study's folder.
func TestNamesAreNotRun(t *testing.T) {
	external, err := filepath.Abs("external")
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	for _, name := range []string{"ok.goal", "x$(shell touch P).goal", "x`touch P`.goal", "x;touch P;.goal", "x'touch P'.goal"} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(work, name), []byte("num_ranks 1\nrank 0 {\nl1: calc 5\n}\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		})
	}
	run := func(t *testing.T, args ...string) (string, error) {
		cmd := exec.Command("make", append([]string{"-n", "--no-print-directory", "-C", external, "TRACE=" + filepath.Join(work, "ok.goal")}, args...)...)
		cmd.Dir = work
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS") })
		out, err := cmd.CombinedOutput()
		for _, file := range []string{filepath.Join(work, "P"), filepath.Join(external, "P"), filepath.Join(external, "..", "x")} {
			t.Run(filepath.Base(file), func(t *testing.T) {
				if _, err := os.Stat(file); err == nil {
					t.Errorf("%q is run: there is %s", args, file)
				}
			})
		}
		return string(out), err
	}
	// Make refuses the value in one line, and runs nothing.
	refused := func(variable, value string) {
		t.Run(variable+"="+value, func(t *testing.T) {
			if out, err := run(t, variable+"="+value); err == nil || !strings.Contains(out, "*** "+variable+" ") {
				t.Errorf("%v, %s", err, out)
			}
		})
	}
	for _, variable := range strings.Fields("TRACE NAME FORMAT FLAGS MACHINES SETS KIND COUNT OUT ENGINE JOBS SHARDS") {
		for _, value := range []string{"x$(shell touch P).goal", "x`touch P`", "x;touch${IFS}P", "x'", `x"y`, "x\n\ttouch P"} {
			refused(variable, value)
		}
	}
	for _, name := range []string{"../../x", "..", ".", "a/b", "a b", "-x"} {
		refused("NAME", name)
	}
	if out, err := run(t, "NAME=a-b_1.2", "FLAGS=--set unit=1ns,x --unmatched note", "clean"); err != nil {
		t.Errorf("%v, %s", err, out)
	}
}
