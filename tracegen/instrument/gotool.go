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
	messages io.Writer // what the go command says goes here
	temp     string    // folder for its temporary files, which it may leave when interrupted; "" is the usual one
	modules  string    // file to build with in place of go.mod, which the go command may write; or ""
}

// grace is how long a process that was interrupted may take to end.
const grace = 5 * time.Second

var errNoGo = errors.New("the go command is not in PATH; programs are built with it: install Go, or add its bin folder to PATH")

// readonly keeps the go command from writing go.mod, and from looking for packages
// that the program does not import in a vendor folder.
const readonly = "-mod=readonly"

// run runs one go command and returns its standard output. When it fails, its
// messages are shown as they are, with paths as the user sees them.
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
	cmd.WaitDelay = grace
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, g.failure(args[0], messages.String(), err)
	}
	return out.Bytes(), nil
}

// environ is the environment env with what go commands need besides.
func (g goTool) environ(env []string) []string {
	if g.temp == "" {
		return env
	}
	return append(env, "GOTMPDIR="+g.temp)
}

// place is the path at the start of a message of the compiler.
var place = regexp.MustCompile(`(?m)^[^\s:]+\.(go|mod)(:\d+)?:`)

// failure shows what the go command said, and adds what the user can do.
func (g goTool) failure(command, messages string, err error) error {
	fmt.Fprint(g.messages, place.ReplaceAllStringFunc(messages, func(at string) string {
		if filepath.IsAbs(at) {
			return at
		}
		return filepath.Join(g.dir, at)
	}))
	const require = "go mod edit -require=spoor@v0.0.0 -replace=spoor=FOLDER, where FOLDER holds the sources of spoor"
	if strings.Contains(messages, spmdPath) && !strings.Contains(messages, spmdPath+".") {
		return fmt.Errorf("the module of %s does not know spoor; in that folder: %s", g.dir, require)
	}
	if strings.Contains(messages, "go.mod file not found") {
		return fmt.Errorf("%s is in no Go module; in that folder: go mod init NAME, and %s", g.dir, require)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && messages != "" {
		return fmt.Errorf("go %s in %s has failed, as its messages say", command, g.dir)
	}
	return fmt.Errorf("go %s in %s: %w", command, g.dir, err)
}

// build compiles a package main to a program at path.
func (g goTool) build(ctx context.Context, overlay, path, main string) error {
	mode := []string{readonly}
	if g.modules != "" {
		mode = []string{"-mod=mod", "-modfile=" + g.modules}
	}
	_, err := g.run(ctx, slices.Concat([]string{"build"}, mode, []string{"-buildvcs=false", "-overlay", overlay, "-o", path, main})...)
	return err
}

// listed is what go list says of a package.
type listed struct {
	ImportPath string
	Name       string
	Dir        string
	Standard   bool
	Module     *struct {
		Path, Dir string
		Main      bool
	}
	GoFiles, CgoFiles []string
}

// list returns the packages that patterns name and all that they depend on, which
// compile; dependencies come before who imports them.
func (g goTool) list(ctx context.Context, patterns ...string) ([]listed, error) {
	out, err := g.run(ctx, append([]string{"list", readonly, "-export", "-deps",
		"-json=ImportPath,Name,Dir,Standard,Module,GoFiles,CgoFiles"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
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
