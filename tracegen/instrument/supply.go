package instrument

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"spoor/tracegen/spmd"
	"spoor/tracegen/tape"
	"spoor/traces/heap"
	"spoor/traces/smallmap"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

//go:embed session/*.go
var ownSource embed.FS

// supplied are the packages of spoor that every recorded program needs, with their sources. An overlay adds them to
// the standard library, where packages of the standard library and modules that do not require spoor find them.
var supplied = []struct {
	path  string
	files fs.FS
}{
	{"spoor/traces/unit", unit.Files},
	{"spoor/traces/heap", heap.Files},
	{"spoor/traces/smallmap", smallmap.Files},
	{"spoor/traces/trace", trace.Files},
	{tapePath, tape.Files},
	{spmdPath, spmd.Files},
	{sessionPath, ownFolder("session")},
}

const tapePath = "spoor/tracegen/tape"

func ownFolder(name string) fs.FS {
	f, err := fs.Sub(ownSource, name)
	if err != nil {
		panic(err)
	}
	return f
}

// sources calls use with each file of the supplied packages and of those below them, by the path of the package.
func sources(use func(pkg, name string, text []byte) error) error {
	for _, p := range supplied {
		err := fs.WalkDir(p.files, ".", func(file string, f fs.DirEntry, err error) error {
			if err != nil || f.IsDir() || f.Name() == "source.go" || strings.HasSuffix(f.Name(), "_test.go") {
				return err
			}
			text, err := fs.ReadFile(p.files, file)
			if err != nil {
				return err
			}
			return use(path.Join(p.path, path.Dir(file)), f.Name(), text)
		})
		if err != nil {
			return fmt.Errorf("reading the sources of %s: %w", p.path, err)
		}
	}
	return nil
}

// WriteSources writes a module spoor with the packages that programs use to a new folder.
func WriteSources(dir string) error {
	write := func(name string, text []byte) error {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		return os.WriteFile(name, text, 0o666)
	}
	if err := write(filepath.Join(dir, "go.mod"), []byte("module spoor\n\ngo 1.26.0\n")); err != nil {
		return err
	}
	return sources(func(pkg, name string, text []byte) error {
		if isBelow(pkg, "spoor/tracegen/instrument") {
			return nil
		}
		return write(filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(pkg, "spoor/")), name), text)
	})
}

// supply returns the overlay that adds the supplied packages below root, the sources of the standard library.
func supply(root string) (overlay, error) {
	o := overlay{}
	err := sources(func(pkg, name string, text []byte) error {
		o[filepath.Join(root, filepath.FromSlash(pkg), name)] = text
		return nil
	})
	if err != nil {
		return nil, err
	}
	o.moveAssembly(filepath.Join(root, filepath.FromSlash(tapePath)), filepath.Join(root, assemblyPath))
	return o, nil
}

// assemblyPath is the package that gets the assembly files of the tape. The assembler runs in the folder of the
// package, so that folder must exist. This one exists, and holds only folders.
const assemblyPath = "archive"

// moveAssembly moves the assembly files of the tape to a package of their own. The tape calls its functions.
func (o overlay) moveAssembly(from, to string) {
	for file, text := range o {
		if filepath.Dir(file) == from && filepath.Ext(file) == ".s" {
			o[filepath.Join(to, filepath.Base(file))] = bytes.ReplaceAll(text, []byte("·goroutine"), []byte("·Goroutine"))
			delete(o, file)
		}
	}
	stub := filepath.Join(from, "goroutine_asm.go")
	text := o[stub]
	o[filepath.Join(to, "goroutine_asm.go")] = bytes.ReplaceAll(bytes.ReplaceAll(text,
		[]byte("package tape"), []byte("package archive")), []byte("goroutine()"), []byte("Goroutine()"))
	o[stub] = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("package tape"), []byte("package tape\n\nimport \"archive\"")),
		[]byte("func goroutine() uintptr"), []byte("func goroutine() uintptr { return archive.Goroutine() }"))
}
