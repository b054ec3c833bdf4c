//go:build linux && amd64

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// limited runs a command under 'ulimit -v', in KB, and returns its status, output and errors.
func limited(kilobytes int, command string) (status int, out, errs string) {
	c := exec.Command("sh", "-c", fmt.Sprintf("ulimit -v %d; exec %s", kilobytes, command))
	var o, e strings.Builder
	c.Stdout, c.Stderr = &o, &e
	_ = c.Run() // the status says it
	return c.ProcessState.ExitCode(), o.String(), e.String()
}

// Too little memory is one line and status 1 in all commands, and nothing partial stays.
func TestTooLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("builds all commands")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	stages := []string{"traces", "tracegen", "analyze", "calibrate", "predict"}
	build := exec.Command("go", "build", "-ldflags=-E=spoor/traces/stage.entry", "-o", bin+"/")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	for _, s := range stages {
		build.Args = append(build.Args, "./"+s)
	}
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	t.Chdir(t.TempDir())
	var goal strings.Builder
	goal.WriteString("num_ranks 2\nrank 0 {\n")
	for i := range 300_000 {
		fmt.Fprintf(&goal, "s%d: send 8b to 1 tag %d\n", i, i)
	}
	goal.WriteString("}\nrank 1 {\n")
	for i := range 300_000 {
		fmt.Fprintf(&goal, "r%d: recv 8b from 0 tag %d\n", i, i)
	}
	goal.WriteString("}\n")
	if err := os.WriteFile("big.goal", []byte(goal.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, kilobytes := range []int{100_000, 200_000, 400_000, 700_000, 800_000, 840_000, 950_000, 1_100_000, 1_300_000, 1_380_000} {
		t.Run(fmt.Sprint(kilobytes), func(t *testing.T) {
			for _, s := range stages {
				status, out, errs := limited(kilobytes, filepath.Join(bin, s)+" --version")
				if status == 0 && out != "" && errs == "" && kilobytes >= 800_000 {
					continue
				}
				if status != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "spoor: ") || !strings.Contains(errs, "'ulimit -v") {
					t.Errorf("%s under %d KB: status %d, %q, %q", s, kilobytes, status, out, errs)
				}
			}
			status, _, errs := limited(kilobytes, filepath.Join(bin, "traces")+" import big.goal --set unit=1ns -o big")
			if status == 0 && kilobytes >= 840_000 { // may be enough
				os.Remove("big.refs.arrow")
				os.Remove("big.events.arrow")
			} else if status != 1 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "out of memory: ") {
				t.Errorf("import under %d KB: status %d, %q", kilobytes, status, errs)
			}
			if left, _ := filepath.Glob("big.*"); len(left) != 1 {
				t.Errorf("left under %d KB: %v", kilobytes, left)
			}
		})
	}
	killedChild(t, filepath.Join(bin, "traces"))
	// What a child does is what the command does: its output, notes, statuses and errors.
	command := filepath.Join(bin, "traces")
	for _, args := range []string{"formats", "import --nothing", "info nothing", "import big.goal --set unit=1ns -o big", "info big.refs.arrow -o"} {
		t.Run(args, func(t *testing.T) {
			status, out, errs := limited(4_000_000, command+" "+args)
			want := exec.Command("sh", "-c", command+" "+args)
			var o, e strings.Builder
			want.Stdout, want.Stderr = &o, &e
			_ = want.Run()
			if status != want.ProcessState.ExitCode() || out != o.String() || errs != e.String() {
				t.Errorf("status %d, %q, %q; without a limit %d, %q, %q", status, out, errs, want.ProcessState.ExitCode(), o.String(), e.String())
			}
		})
	}
}

// killedChild kills the child of a command under 'ulimit -v', which is no lack of memory.
func killedChild(t *testing.T, command string) {
	t.Helper()
	c := exec.Command("sh", "-c", "ulimit -v 4000000; exec "+command+" import --from din -o killed -")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var errs strings.Builder
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for started := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", c.Process.Pid))
		unfinished, _ := filepath.Glob("killed.*")
		if child, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && len(unfinished) > 0 {
			_ = syscall.Kill(child, syscall.SIGKILL)
			break
		}
		if time.Since(started) > time.Minute {
			_ = c.Process.Kill()
			t.Fatalf("no child that writes: %q, %v", text, unfinished)
		}
	}
	_ = c.Wait() // the status says it
	if left, _ := filepath.Glob("killed.*"); c.ProcessState.ExitCode() != 128+9 || errs.Len() > 0 || len(left) > 0 {
		t.Errorf("a killed child: status %d, %q, left %v", c.ProcessState.ExitCode(), errs.String(), left)
	}
}
