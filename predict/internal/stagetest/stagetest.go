// Package stagetest builds the commands of all stages for tests that run them.
package stagetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Stages are the programs that are installed.
var Stages = []string{"traces", "tracegen", "analyze", "calibrate", "predict"}

// prefix is the PREFIX of an installation, with bin and share/spoor.
var prefix string

// Main runs the tests of a package. It gives them a folder for the binaries of the stages, which they share. A TestMain calls it.
func Main(m *testing.M) (status int) {
	var err error
	if prefix, err = os.MkdirTemp("", "stages"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(prefix)
	return m.Run()
}

// Build builds every stage that has a main package, once for all tests, and returns the folder of the binaries. root is the folder
// of the project. Under -short it skips the test.
func Build(t testing.TB, root string) (bin string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the commands of all stages")
	}
	if err := built(root); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(prefix, "bin")
}

var (
	once     sync.Once
	buildErr error
)

// built reports whether the stages could be built and the data could be installed.
func built(root string) error {
	once.Do(func() { buildErr = install(root) })
	return buildErr
}

func install(root string) error {
	args := []string{"build", "-o", filepath.Join(prefix, "bin") + string(filepath.Separator)}
	for _, stage := range Stages {
		args = append(args, "./"+stage)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the stages: %v\n%s", err, out)
	}
	cmd = exec.Command("make", "--no-print-directory", "-C", root, "share", "PREFIX="+prefix, "DESTDIR=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("installing data: %v\n%s", err, out)
	}
	return nil
}

// Run runs a command in a folder. It must succeed.
func Run(t *testing.T, dir, command string, args ...string) {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", filepath.Base(command), args, err, out)
	}
}
