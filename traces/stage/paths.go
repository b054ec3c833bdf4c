package stage

import (
	"os"
	"strings"

	"github.com/spf13/pflag"
)

// PathsVar adds a flag that takes paths and may be repeated. A value that is not an existing path is split at commas.
func PathsVar(flags *pflag.FlagSet, paths *[]string, name, usage string) {
	flags.Var((*pathsValue)(paths), name, usage)
}

type pathsValue []string

// Set appends the paths of value. An existing path may contain commas.
func (p *pathsValue) Set(value string) error {
	if _, err := os.Stat(value); err == nil {
		*p = append(*p, value)
		return nil
	}
	*p = append(*p, strings.Split(value, ",")...)
	return nil
}

func (p *pathsValue) String() string { return strings.Join(*p, ",") }
func (p *pathsValue) Type() string   { return "paths" }
