package instrument

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// goTool runs the go command in the folder of the user's package.
type goTool struct {
	dir      string
	messages io.Writer // receives the messages of the go command
	tempDir  string    // folder for its temporary files, which may remain after an interrupt; "" is the default folder
	root     string    // sources of the standard library, if the overlay adds to them
	overlay  string    // list of files that go list reads instead of others, or ""
	module   []string  // flags that select the go.mod and files
}

// errNoSpoor is the error of a program that needs the sources of spoor.
func errNoSpoor(dir string) error {
	return fmt.Errorf("the module of %s does not require spoor, which a simulation needs; run in that folder: "+
		"go mod edit -require=spoor@v0.0.0 -replace=spoor=FOLDER && go mod tidy, where FOLDER holds the sources of spoor", dir)
}

// errPartOfSpoor is the error of a program whose module has only the sources of spoor that tracegen init writes.
func errPartOfSpoor(spoor, dir string) error {
	return fmt.Errorf("%s has only the sources that a recording needs, and a simulation needs all of spoor; run in %s: "+
		"go mod edit -replace=spoor=FOLDER && go mod tidy, where FOLDER holds the sources of spoor", spoor, dir)
}

// stopTimeout is how long an interrupted process may take to end.
const stopTimeout = 5 * time.Second

var errNoGo = errors.New("the go command is not in PATH; programs are built with it: install Go, or add its bin folder to PATH")

// readonly keeps the go command from writing go.mod. It also keeps it from searching a vendor folder for packages
// that the program does not import.
const readonly = "-mod=readonly"

// run runs a go command and returns its standard output. If the command fails, its messages are shown with the
// paths that the user knows.
func (g goTool) run(ctx context.Context, args ...string) ([]byte, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return nil, errNoGo
	}
	var out, messages bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = g.dir, &out, &messages
	cmd.Env = g.environ(cmd.Environ())
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopTimeout
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, g.failure(args[0], messages.String(), err)
	}
	return out.Bytes(), nil
}

// environ returns env with the additional variables for go commands.
func (g goTool) environ(env []string) []string {
	if g.tempDir == "" {
		return env
	}
	return append(env, "GOTMPDIR="+g.tempDir)
}

// messagePosition matches the path at the start of a compiler message.
var messagePosition = regexp.MustCompile(`(?m)^[^\s:]+\.(go|mod)(:\d+)?:`)

// failure shows the messages of the go command and returns an error with the remedy.
func (g goTool) failure(command, messages string, err error) error {
	fmt.Fprint(g.messages, messagePosition.ReplaceAllStringFunc(messages, func(at string) string {
		if filepath.IsAbs(at) {
			return at
		}
		return filepath.Join(g.dir, at)
	}))
	if strings.Contains(messages, "go.mod file not found") {
		return fmt.Errorf("%s is not in a Go module; run in that folder: go mod init NAME", g.dir)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && messages != "" {
		return fmt.Errorf("go %s in %s failed; see its messages above", command, g.dir)
	}
	return fmt.Errorf("go %s in %s: %w", command, g.dir, err)
}

// build compiles a package main to a program at path.
func (g goTool) build(ctx context.Context, overlay, path, main string) error {
	_, err := g.run(ctx, slices.Concat([]string{"build"}, g.module, []string{"-buildvcs=false", "-overlay", overlay, "-o", path, main})...)
	return err
}

// listedPackage is the output of go list for one package.
type listedPackage struct {
	ImportPath string
	Name       string
	Dir        string
	Standard   bool
	Module     *struct {
		Path, Dir string
		Main      bool
	}
	GoFiles, CgoFiles []string
	SFiles, HFiles    []string
	Imports           []string
	ImportMap         map[string]string
	original          string // folder of the files, if not Dir
}

// list returns the packages that match patterns, and all their dependencies. The packages compile. Dependencies
// come before the packages that import them.
func (g goTool) list(ctx context.Context, patterns ...string) ([]listedPackage, error) {
	out, err := g.run(ctx, slices.Concat([]string{"list"}, g.module, []string{"-overlay=" + g.overlay, "-export", "-deps",
		"-json=ImportPath,Name,Dir,Standard,Module,GoFiles,CgoFiles,SFiles,HFiles,Imports,ImportMap"}, patterns)...)
	if err != nil {
		return nil, err
	}
	var all []listedPackage
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listedPackage
		if err := d.Decode(&p); err != nil {
			return nil, fmt.Errorf("reading the output of go list: %w", err)
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("go list found no package in %s", g.dir)
	}
	return all, nil
}

// listSession returns the packages that a recording session needs. It lists them in an empty module, because the user's
// module may also have some of them.
func (g goTool) listSession(ctx context.Context) ([]listedPackage, error) {
	g.dir = filepath.Join(g.tempDir, "empty")
	if err := os.Mkdir(g.dir, 0o777); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(g.dir, "go.mod"), []byte("module empty\n"), 0o666); err != nil {
		return nil, err
	}
	g.module = []string{readonly}
	return g.list(ctx, sessionPath)
}
