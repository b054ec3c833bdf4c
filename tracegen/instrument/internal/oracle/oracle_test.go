//go:build !oracle

package oracle

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOracle builds hook_test.go with the kernels compiled by -msan and with the
// runtime that they call, and runs it.
func TestOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library anew")
	}
	replacement, err := filepath.Abs(filepath.Join("testdata", "msan0.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "runtime", "msan0.go")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {original: replacement}})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(overlay, text, 0o644); err != nil {
		t.Fatal(err)
	}
	test := exec.Command("go", "test", "-count=1", "-vet=off", "-tags=oracle", "-timeout=5m", "-overlay="+overlay, "-gcflags=spoor/tracegen/kernel/internal/...=-msan", ".")
	test.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1") // a signal within the runtime's hook can lose a reference
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
