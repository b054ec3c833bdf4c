//go:build unix

package testmemory

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// allocated is in the memory of the command that the test starts.
const allocated = 100 << 20

// A command has its own memory, not that of the test.
func TestRun(t *testing.T) {
	if os.Getenv("ALLOCATE") != "" {
		touch(allocated)
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("the unit of the system's figure is that of Linux")
	}
	touch(5 * allocated)
	cmd := exec.Command(os.Args[0], "-test.run", "^TestRun$")
	cmd.Env = append(os.Environ(), "ALLOCATE=1")
	if took, most := Run(t, cmd); took <= 0 || most < allocated || most > 2*allocated {
		t.Errorf("%v, %d bytes, want at least %d", took, most, allocated)
	}
}

// touch uses memory.
func touch(n int) {
	used := make([]byte, n)
	for i := 0; i < n; i += 4096 {
		used[i] = 1
	}
	runtime.KeepAlive(used)
}
