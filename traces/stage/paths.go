package stage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/traces/lookup"
)

// PathsVar adds a flag that takes paths and may be repeated. A value that is not an existing path is split at commas.
// Files that come with Spoor are found in any folder. A note names them if they are not in this one.
func PathsVar(flags *pflag.FlagSet, paths *[]string, name, usage string) {
	flags.Var(&pathsValue{paths: paths}, name, usage)
}

// PathVar adds a flag that takes one path, with the rules of PathsVar.
func PathVar(flags *pflag.FlagSet, path *string, name, usage string) {
	flags.Var(&pathsValue{path: path}, name, usage)
}

// pathsValue is the value of a flag of paths. One of path and paths is nil.
type pathsValue struct {
	path  *string
	paths *[]string
	given []string // files that come with Spoor, as they were given, and as they were found
}

// errEmptyPath is the error of a flag without a text, as --from "$UNSET" is.
var errEmptyPath = errors.New("a name is empty; give a path or a name, or omit the flag")

// Set appends the paths of value, or replaces the only one. An existing path may contain commas.
func (p *pathsValue) Set(value string) error {
	switch {
	case value == "":
		return errEmptyPath
	case p.path != nil:
		*p.path = p.find(value)
		return nil
	}
	if found, _ := lookup.Find(value); exists(found) {
		*p.paths = append(*p.paths, p.find(value))
		return nil
	}
	for _, path := range strings.Split(value, ",") {
		if path == "" {
			return errEmptyPath
		}
		*p.paths = append(*p.paths, p.find(path))
	}
	return nil
}

// find returns the path of a file, and remembers it for a note if the file comes with Spoor.
func (p *pathsValue) find(path string) string {
	found, ours := lookup.Find(path)
	if ours {
		p.given = append(p.given, path, found)
	}
	return found
}

// noteFound prints a note for each file that came with Spoor, before run.
func noteFound(env *Env, run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	if run == nil {
		return nil
	}
	return func(cmd *cobra.Command, args []string) error {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if p, is := f.Value.(*pathsValue); is {
				for i := 0; i < len(p.given); i += 2 {
					env.noteFound(p.given[i], p.given[i+1])
				}
			}
		})
		return run(cmd, args)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Input returns the path of an input file: path itself, or the file that comes with Spoor if only that one exists.
// It prints a note then.
func (e *Env) Input(path string) string {
	found, ours := lookup.Find(path)
	if ours {
		e.noteFound(path, found)
	}
	return found
}

// InputFolder is Input for a folder, such as that of a package. A file is an error.
func (e *Env) InputFolder(path string) (string, error) {
	found := e.Input(path)
	if info, err := os.Stat(found); err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s is a file; give its folder: %s", path, filepath.Dir(path))
	}
	return found, nil
}

// noteFound notes that a file that comes with Spoor is read.
func (e *Env) noteFound(path, found string) {
	e.Note("%s is not in this folder; reading %s", path, found)
}

// String returns the paths.
func (p *pathsValue) String() string {
	switch {
	case p.path != nil:
		return *p.path
	case p.paths != nil:
		return strings.Join(*p.paths, ",")
	}
	return ""
}

// Type returns the placeholder of the flag's value in the help.
func (p *pathsValue) Type() string {
	if p.path != nil {
		return "path"
	}
	return "paths"
}
