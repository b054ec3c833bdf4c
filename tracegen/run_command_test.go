package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
)

// TestRunRefuses: what cannot be recorded is one error, and leaves no files.
func TestRunRefuses(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	ls, err := exec.LookPath("ls")
	if err != nil {
		t.Skip("ls is not installed")
	}
	program, err := os.ReadFile(ls)
	if err != nil {
		t.Fatal(err)
	}
	write("script", "#!/bin/sh\necho\n", 0o755)
	write("setuid", string(program), 0o755|os.ModeSetuid)
	write("cut", string(program[:1000]), 0o755)
	write("narrow", string(program[:4])+"\x01"+string(program[5:]), 0o755)
	write("data", "no program", 0o755)
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"run", stage.WrongUsage, "no program; give it after --"},
		{"run -- ls", stage.WrongUsage, "no output; give -o PREFIX"},
		{"run -o x --fetches --refs=false -- ls", stage.WrongUsage, "--fetches selects references"},
		{"run -o x --stacks=false --symbols=false -- ls", stage.WrongUsage, "leave out --symbols=false"},
		{"run -o x --lock-order some -- ls", stage.WrongUsage, "--lock-order some is not known; conditions, all and none are"},
		{"run -o x --archive --refs=false -- ls", stage.WrongUsage, "--archive is for references"},
		{"run -o x --children --to main -- ls", stage.WrongUsage, "--children records whole processes"},
		{"run -o x --skip 5 --refs=false -- ls", stage.WrongUsage, "--skip, --window, --max-references and --stacks=false select references"},
		{"run -o x --every 5 -- ls", stage.WrongUsage, "--every repeats a window; give its length with --window"},
		{"run -o x --every 5 --window 5 -- ls", stage.WrongUsage, "--every 5 is not more than --window 5"},
		{"run -o x --to nowhere -- ls", stage.Failed, "nowhere"},
		{"run -o x -- ./nowhere", stage.Failed, "finding the program ./nowhere: "},
		{"run -o x -- ./script", stage.Failed, "is a script; record its interpreter: tracegen run ... -- /bin/sh ./script"},
		{"run -o x -- ./setuid", stage.Failed, "setuid or setgid"},
		{"run -o x -- ./cut", stage.Failed, "is not a program in the ELF format"},
		{"run -o x -- ./narrow", stage.Failed, "program"},
		{"run -o x --from nowhere -- ls", stage.Failed, "nowhere"},
		{"run -o x --go= -- x", stage.WrongUsage, "--go is empty; give a PACKAGE"},
		{"run -o x --go . --go-test .", stage.WrongUsage, "--go and --go-test are two programs"},
		{"run -o x --procs 2 -- ls", stage.WrongUsage, "--procs is for Go programs"},
		{"run -o x --go . --procs 0", stage.WrongUsage, "--procs 0: give 1 to 65536"},
		{"run -o x --go . --skip 5", stage.WrongUsage, "--skip, --window, --every, --max-references and --stacks are for threads"},
		{"run -o x --go . --children", stage.WrongUsage, "--children does not follow processes that a Go program starts"},
		{"run --go .", stage.WrongUsage, "no output; give -o PREFIX"},
		{"run -o x --go .", stage.Failed, "finding the Go package .: "},
		{"run -o x -- ./data", stage.Failed, "is not a program in the ELF format"},
	} {
		status, out, errs := tracegen(strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(errs, c.want) || out != "" {
			t.Errorf("%s: status %d, %q: %s", c.args, status, out, errs)
		}
	}
	if files, _ := filepath.Glob("x*"); len(files) > 0 {
		t.Errorf("files are left: %v", files)
	}
}

// TestRunKeepsWhatAProgramDid: the status is the program's, and its trace is kept.
func TestRunKeepsWhatAProgramDid(t *testing.T) {
	for _, tool := range []string{"qemu-x86_64", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	t.Chdir(t.TempDir())
	source := `#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int cells[100000];
void unused(void) { cells[0]++; }
int main(int argc, char **argv) {
	for (int i = 0; i < 100000; i++) cells[i] = i;
	if (argc > 2) for (int i = 0; i < 20; i++) if (!fork()) _exit(0); else wait(0);
	printf("%d\n", cells[7]);
	fflush(stdout);
	if (argc > 1 && argv[1][0] == 'k') kill(getpid(), SIGKILL);
	return atoi(argv[1]);
}
`
	if err := os.WriteFile("p.c", []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-O1", "-o", "p", "p.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if status, _, errs := tracegen("run", "-o", "y", "--from", "unused", "--", "./p", "0"); status != stage.Failed || !strings.Contains(errs, "never called unused") {
		t.Errorf("a function that is not called: status %d: %s", status, errs)
	}
	if status, _, errs := tracegen("run", "-o", "y", "--", "sh", "-c", "exec ./p 3"); status != 3 || !strings.Contains(errs, "or executed another program") {
		t.Errorf("a program that executes another: status %d: %s", status, errs)
	}
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"5", 5, "references"}, {"k", 128 + 9, "the program was ended by signal 9 (killed)"}, {"0 fork", 0, "20 processes that the program started are not recorded"},
	} {
		status, out, errs := tracegen(append([]string{"run", "-o", "x", "--", "./p"}, strings.Fields(c.args)...)...)
		if status != c.status || out != "7\n" || !strings.Contains(errs, c.want) {
			t.Errorf("p %s: status %d, %q: %s", c.args, status, out, errs)
		}
		f, err := store.Open("x")
		if err != nil {
			t.Fatal(err)
		}
		if n := f.Header().Procs; n != 1 {
			t.Errorf("p %s: %d processors", c.args, n)
		}
		stores := 0
		for b, err := range f.Refs() {
			if err != nil {
				t.Fatal(err)
			}
			stores += b.Len()
		}
		if stores < 100000 {
			t.Errorf("p %s: %d references, but it stores 100000 words", c.args, stores)
		}
		f.Close()
	}
}
