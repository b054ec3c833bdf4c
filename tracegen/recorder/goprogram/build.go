// Package goprogram builds a Go program whose goroutines, channels and locks the recorder follows. No line of the program changes:
// the build takes some files of the runtime and of package sync from an overlay. The files are those of the user's Go, with a few
// lines more. Go 1.24, 1.25 and 1.26 were tried.
package goprogram

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// added are the files that the overlay adds.
//
//go:embed overlay
var added embed.FS

// Options selects a program.
type Options struct {
	Package string    // of the module in the current folder, or of the standard library, or a file
	Test    bool      // build the program that runs the package's tests
	Err     io.Writer // of the compiler
}

// Program is a program that was built.
type Program struct {
	Path string // of the file, with the name that go build gives it
	Dir  string // where it runs: tests run in the folder of their package, others here
}

// environment is what is needed of go env.
type environment struct{ GOROOT, GOVERSION, GOOS, GOARCH, GOMODCACHE string }

// Build builds a program into a folder.
func Build(ctx context.Context, folder string, o Options) (*Program, error) {
	env, err := readEnvironment(ctx)
	if err != nil {
		return nil, err
	}
	b, err := prepare(env)
	if err != nil {
		return nil, err
	}
	b.err = o.Err
	var list struct{ Dir, Name, ImportPath string }
	if err := b.run(ctx, &list, "list", "-json=Dir,Name,ImportPath", o.Package); err != nil {
		return nil, fmt.Errorf("finding the Go package %s: %w", o.Package, err)
	}
	p := &Program{Path: filepath.Join(folder, name(o.Package, list.ImportPath))}
	args := []string{"build", "-overlay", b.overlay, "-o", p.Path, o.Package}
	switch {
	case o.Test:
		p.Path, p.Dir = p.Path+".test", list.Dir
		args = []string{"test", "-c", "-vet=off", "-overlay", b.overlay, "-o", p.Path, o.Package}
	case list.Name != "main":
		return nil, fmt.Errorf("%s is package %s and no program; record its tests: --go-test %[1]s", o.Package, list.Name)
	}
	if err := b.run(ctx, nil, args...); err != nil {
		return nil, fmt.Errorf("building %s by %s: %w", o.Package, env.GOVERSION, err)
	}
	if _, err := os.Stat(p.Path); err != nil {
		return nil, fmt.Errorf("%s has no tests to record", o.Package)
	}
	return p, nil
}

// name is what go build calls the program of a file, or of a package: without the version of its module.
func name(given, importPath string) string {
	if file, ok := strings.CutSuffix(filepath.Base(given), ".go"); ok {
		return file
	}
	base := filepath.Base(importPath)
	if strings.HasPrefix(base, "v") && strings.Trim(base[1:], "0123456789") == "" && len(base) > 1 && strings.Contains(importPath, "/") {
		base = filepath.Base(filepath.Dir(importPath))
	}
	return base
}

func readEnvironment(ctx context.Context) (env environment, err error) {
	if _, err := exec.LookPath("go"); err != nil {
		return env, errors.New("go is not installed, which builds the program; install it: https://go.dev/doc/install")
	}
	if err := (&goCommand{path: "go", err: io.Discard}).run(ctx, &env, "env", "-json", "GOROOT", "GOVERSION", "GOOS", "GOARCH", "GOMODCACHE"); err != nil {
		return env, fmt.Errorf("go env: %w", err)
	}
	if env.GOOS != "linux" || assembly[env.GOARCH] == nil {
		return env, fmt.Errorf("a Go program for %s/%s cannot be recorded; set GOOS=linux and GOARCH=amd64 or arm64", env.GOOS, env.GOARCH)
	}
	return env, nil
}

// goCommand is the user's go, with an overlay.
type goCommand struct {
	path    string
	env     []string
	overlay string
	err     io.Writer
}

// run runs go, and decodes what it prints.
func (c *goCommand) run(ctx context.Context, result any, args ...string) error {
	cmd := exec.CommandContext(ctx, c.path, args...)
	var out bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), c.env...), &out, c.err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s: %w", args[0], err)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(out.Bytes(), result)
}

// prepare writes the overlay into the user's cache folder, if it is not there. Go 1.25 and newer refuse an overlay of a Go that go
// has downloaded into the cache of modules. Such a Go is used by a symbolic link.
func prepare(env environment) (*goCommand, error) {
	files, err := overlayFiles(env)
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("finding the cache folder: %w", err)
	}
	text, err := json.Marshal(files) // in the order of their names
	if err != nil {
		return nil, err
	}
	linked := strings.HasPrefix(env.GOROOT, env.GOMODCACHE+string(filepath.Separator))
	digest := sha256.Sum256(fmt.Appendf(text, "%s %t", env.GOROOT, linked))
	folder := filepath.Join(cache, "spoor", "go", hex.EncodeToString(digest[:8]))
	c := &goCommand{path: "go", overlay: filepath.Join(folder, "overlay.json")}
	root := env.GOROOT
	if linked {
		root = filepath.Join(folder, "goroot")
		c.path, c.env = filepath.Join(root, "bin", "go"), []string{"GOROOT=" + root, "GOTOOLCHAIN=local"}
	}
	if _, err := os.Stat(c.overlay); err == nil {
		return c, nil
	}
	if err := writeFiles(env, folder, root, files); err != nil {
		return nil, fmt.Errorf("writing the changed files of Go: %w", err)
	}
	return c, nil
}

// writeFiles writes aside and renames, as another tracegen may write the same.
func writeFiles(env environment, folder, root string, files map[string]string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(folder), "new")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	replace := map[string]string{}
	for name, text := range files {
		flat := strings.ReplaceAll(name, "/", "_")
		replace[filepath.Join(root, "src", name)] = filepath.Join(folder, flat)
		if err := os.WriteFile(filepath.Join(temp, flat), []byte(text), 0o666); err != nil {
			return err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(temp, "overlay.json"), text, 0o666); err != nil {
		return err
	}
	if root != env.GOROOT {
		if err := os.Symlink(env.GOROOT, filepath.Join(temp, filepath.Base(root))); err != nil {
			return err
		}
	}
	if err := os.Rename(temp, folder); err != nil {
		if _, there := os.Stat(filepath.Join(folder, "overlay.json")); there != nil {
			return err
		}
	}
	return nil
}

// overlayFiles returns the files of the overlay by their names below GOROOT/src.
func overlayFiles(env environment) (map[string]string, error) {
	files := map[string]string{}
	for _, p := range append(patches[:len(patches):len(patches)], assembly[env.GOARCH]...) {
		text, ok := files[p.file]
		if !ok {
			b, err := os.ReadFile(filepath.Join(env.GOROOT, "src", p.file))
			if err != nil {
				return nil, fmt.Errorf("reading the sources of %s: %w", env.GOVERSION, err)
			}
			text = string(b)
		}
		text, err := p.apply(text)
		if err != nil {
			return nil, fmt.Errorf("the recorder does not know the runtime of %s: %w; Go 1.24 to 1.26 can be recorded: set GOTOOLCHAIN", env.GOVERSION, err)
		}
		files[p.file] = text
	}
	mark := "mark_" + env.GOARCH + ".s"
	for name, source := range map[string]string{"runtime/spoor.go": "runtime.go", "sync/spoor.go": "sync.go", "runtime/spoor_" + env.GOARCH + ".s": mark} {
		text, err := added.ReadFile("overlay/" + source + ".txt")
		if err != nil {
			return nil, err
		}
		files[name] = string(text)
	}
	return files, nil
}
