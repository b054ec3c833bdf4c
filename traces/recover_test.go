package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// killedImport runs an import in another process and kills it when it has written
// some of its output. Instruction i is at 64 i; every thousandth is a marker.
func killedImport(t *testing.T, prefix string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "import", "-", "--from", "lackey", "-o", prefix)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	pipe, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(pipe, 1<<16)
	for i := range 1000000 {
		fmt.Fprintf(w, "I  %08x,4\n", 64*i)
		if i%1000 == 999 {
			fmt.Fprintf(w, "**1** x\n")
		}
	}
	w.Flush()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		info, err := os.Stat(prefix + store.RefsSuffix + partialSuffix)
		if err == nil && info.Size() > 100<<10 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the import writes nothing")
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the import was not killed")
	}
}

func TestRecoverAfterKill(t *testing.T) {
	workspace(t)
	killedImport(t, "x")
	if got := fmt.Sprint(files(t)); got != "[x.events.arrow.partial x.refs.arrow.partial]" {
		t.Fatalf("a killed import leaves %s", got)
	}
	status, out, errs := traces(nil, "info", "x")
	if status != stage.Failed || out != "" || !strings.Contains(errs, "--recover") {
		t.Errorf("info of it: status %d, %q, %q", status, out, errs)
	}
	for _, name := range []string{"x", "x.refs.arrow", "x.refs.arrow.partial"}[:testsize.Cases(3, 1)] {
		t.Run(name, func(t *testing.T) {
			status, out, errs := traces(nil, "check", "--recover", name)
			if status != stage.Done || !strings.Contains(out, "x.recovered.refs.arrow") {
				t.Fatalf("recovering %s: status %d, %q, %q", name, status, out, errs)
			}
			saved := "x.recovered"
			if status, _, errs := traces(nil, "check", saved); status != stage.Done {
				t.Fatalf("what was recovered from %s is not sound: %s", name, errs)
			}
			checkSaved(t, saved, out)
			for _, f := range files(t) {
				if strings.HasPrefix(f, saved) {
					os.Remove(f)
				}
			}
		})
	}
	if status, out, errs := traces(nil, "check", "--recover", "x", "-o", "elsewhere"); status != stage.Done || !strings.Contains(out, "elsewhere.refs.arrow") {
		t.Errorf("-o elsewhere: status %d, %q, %q", status, out, errs)
	}
}

// An interrupt, also while standard input is silent, ends an import with status 1
// and leaves nothing.
func TestInterruptedImportLeavesNothing(t *testing.T) {
	workspace(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "I  00401000,4\n", strings.Repeat("I  00401000,4\n", 1000000)} {
		t.Run(text, func(t *testing.T) {
			cmd := exec.Command(exe, "import", "-", "--from", "lackey", "-o", "x")
			cmd.Env = append(os.Environ(), asCommand+"=1")
			var errs strings.Builder
			cmd.Stderr = &errs
			pipe, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := pipe.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(200 * time.Millisecond) // it reads, or waits for more
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			err = cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != stage.Failed || !strings.Contains(errs.String(), "interrupted") {
				t.Errorf("after %d bytes: %v, %q", len(text), err, errs.String())
			}
			if left := files(t); len(left) > 0 {
				t.Errorf("after %d bytes: left %v", len(text), left)
			}
		})
	}
}

// checkSaved holds a recovered trace to the start of what was imported.
func checkSaved(t *testing.T, prefix, said string) {
	t.Helper()
	x, err := store.Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var n uint64
	for b, err := range x.Refs() {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Addr {
			if b.Addr[i] != 64*n || b.Instr[i] != 1 || b.Op[i] != trace.Ifetch {
				t.Fatalf("row %d is %#x", n, b.Addr[i])
			}
			n++
		}
	}
	if n == 0 || n%(1<<18) != 0 {
		t.Errorf("%d rows were saved, which is not whole batches", n)
	}
	if !strings.Contains(said, fmt.Sprint(" ", n, " ")) {
		t.Errorf("the command does not say that %d rows were saved:\n%s", n, said)
	}
}

// Events that come after references that are lost go with them.
func TestRecoverKeepsTheFilesTogether(t *testing.T) {
	workspace(t)
	w, err := store.Create("x", trace.Header{Procs: 2, WorkUnit: trace.WorkInstr})
	if err != nil {
		t.Fatal(err)
	}
	const n = 300000
	for p := range trace.Proc(2) {
		refs, events := trace.Refs{Proc: p}, trace.Events{Proc: p}
		for i := range n {
			refs.Append(1, uint64(i), 1, trace.Load)
			if i%1000 == 0 {
				e := trace.NewEvent(trace.Marker)
				e.Refs, e.Instr = uint64(i), 1000
				if i == 0 {
					e.Instr = 0
				}
				events.Rows = append(events.Rows, e)
			}
		}
		if err := w.Refs(&refs); err != nil {
			t.Fatal(err)
		}
		if err := w.Events(&events); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(trace.Header{Procs: 2, WorkUnit: trace.WorkInstr}); err != nil {
		t.Fatal(err)
	}
	if status, _, errs := traces(nil, "check", "x"); status != stage.Done {
		t.Fatal(errs)
	}
	info, err := os.Stat("x.refs.arrow")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate("x.refs.arrow", info.Size()/2); err != nil {
		t.Fatal(err)
	}
	status, out, errs := traces(nil, "check", "--recover", "x", "-o", "y")
	if status != stage.Done || !strings.Contains(out, "events after references that are lost") {
		t.Fatalf("status %d, %q, %q", status, out, errs)
	}
	if status, _, errs := traces(nil, "check", "y"); status != stage.Done {
		t.Fatalf("what was recovered is not sound: %s", errs)
	}
	y, err := store.Open("y")
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	for p := range trace.Proc(2) {
		refs := y.Totals(p).Refs
		if want := min(refs/1000+1, n/1000); y.Totals(p).Events != want {
			t.Errorf("processor %d: %d events with %d references, want %d", p, y.Totals(p).Events, refs, want)
		}
	}
}

func TestRecoverNothing(t *testing.T) {
	workspace(t)
	if status, _, errs := traces(nil, "import", "data/sample/tiny.log", "-o", "x"); status != stage.Done {
		t.Fatal(errs)
	}
	os.Remove("x.events.arrow")
	file, err := os.ReadFile("x.refs.arrow")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 4, 100, len(file) / 3} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			write(t, "x.refs.arrow", string(file[:n]))
			status, out, errs := traces(nil, "check", "--recover", "x")
			if status != stage.Failed || out != "" || strings.Count(errs, "\n") != 1 || strings.Contains(errs, "--recover") {
				t.Errorf("%d bytes: status %d, %q, %q", n, status, out, errs)
			}
		})
	}
	if got := fmt.Sprint(files(t)); got != "[x.refs.arrow]" {
		t.Errorf("left %s", got)
	}
}
