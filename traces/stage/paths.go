package stage

import (
	"os"
	"strings"

	"github.com/spf13/pflag"

	"spoor/traces/installed"
)

// PathsVar adds a flag that takes paths and may be repeated. A value that is not an existing path is split at commas.
func PathsVar(flags *pflag.FlagSet, paths *[]string, name, usage string) {
	flags.Var((*pathsValue)(paths), name, usage)
}

type pathsValue []string

// Set appends the paths of value. An existing path may contain commas. Files that come with Spoor are found in any folder.
func (p *pathsValue) Set(value string) error {
	if found, _ := installed.Find(value); exists(found) {
		*p = append(*p, found)
		return nil
	}
	for _, path := range strings.Split(value, ",") {
		found, _ := installed.Find(path)
		*p = append(*p, found)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Input returns the path of an input file: path itself, or the file that comes with Spoor if only that one exists.
// It prints a note then.
func (e *Env) Input(path string) string {
	found, ours := installed.Find(path)
	if ours {
		e.Note("%s is not in this folder; reading %s", path, found)
	}
	return found
}

func (p *pathsValue) String() string { return strings.Join(*p, ",") }
func (p *pathsValue) Type() string   { return "paths" }
