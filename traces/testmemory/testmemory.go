//go:build unix

// Package testmemory measures the time and memory of commands for benchmarks of all stages.
package testmemory

import (
	"bytes"
	"os"
	"os/exec"
	"runtime/debug"
	"syscall"
	"testing"
	"time"
)

// Run runs a command. It returns its time, and its largest memory in bytes. It ends the test if the command fails.
//
// On Linux, a command begins with the largest memory that the process that starts it has had. Run therefore first lowers that of the test
// to what is in use. A command with less memory than that, usually 30 MB, counts as having that.
func Run(t testing.TB, cmd *exec.Cmd) (took time.Duration, most int64) {
	t.Helper()
	lower()
	var problem bytes.Buffer
	cmd.Stderr = &problem
	start := time.Now()
	err := cmd.Run()
	took = time.Since(start)
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, &problem)
	}
	return took, 1024 * cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
}

// lower frees memory, and sets the largest memory of this process to that in use. Other systems than Linux have no such file, and need none.
func lower() {
	debug.FreeOSMemory()
	const resetPeak = "5" // see proc(5)
	_ = os.WriteFile("/proc/self/clear_refs", []byte(resetPeak), 0)
}
