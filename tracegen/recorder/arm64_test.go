package recorder

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"spoor/traces/trace"
)

// TestArm64 records a program for arm64, whichever processor this is.
func TestArm64(t *testing.T) {
	program := compiled(t, "aarch64-linux-gnu-gcc", "-O1", "-pthread", filepath.Join("testdata", "region.c"))
	t.Setenv("QEMU_LD_PREFIX", "/usr/aarch64-linux-gnu")
	k, rec, _ := record(t, Options{Args: []string{program}, From: "middle", To: "last"})
	sound(t, k, rec)
	for p := trace.Proc(1); p <= 3; p++ {
		if n := stores(k.refs[p]); n != 1000 || len(k.events[p]) != 5 {
			t.Errorf("processor %d has %d stores and %d events", p, n, len(k.events[p]))
		}
	}
	t.Setenv("QEMU_LD_PREFIX", "/nowhere")
	r, err := Prepare(context.Background(), Options{Args: []string{program}, Out: os.Stderr, Progress: func(int) {}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Record(context.Background(), k); runtime.GOARCH == "amd64" && (err == nil || !strings.Contains(err.Error(), "QEMU_LD_PREFIX")) {
		t.Errorf("without libraries: %v", err)
	}
}
