package main

import (
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"spoor/analyze/internal/kind"
	"spoor/analyze/registry"
	"spoor/traces/stage"
)

// tool is the program name and version recorded in results.
const tool = "spoor analyze " + stage.Version

// options are the values of the command line.
type options struct {
	*settings
	procs            []string
	interleaved      bool
	interleavedAsked bool // --interleaved was given
	runAsked         bool // --run was given
	dir              string
	format           *stage.Format
}

// settings are all flags that results depend on.
type settings struct {
	run, line []string
	refs      string // which references use lines; empty: the default of each analysis
	all       bool   // --run contains "all"
	kinds     []*kind.Kind
	own       map[string][]string // names of the flags that each analysis adds
	renamed   map[string]string   // old names of flags and their present ones
	flags     *pflag.FlagSet      // including the flags of each analysis
}

func newSettings() *settings {
	s := &settings{kinds: registry.All(), own: map[string][]string{}, renamed: map[string]string{}, flags: pflag.NewFlagSet("analyze", pflag.ContinueOnError)}
	s.flags.StringSliceVar(&s.run, "run", []string{"reuse", "locality"}, "analyses, as a `list` of names, or all")
	s.flags.StringSliceVar(&s.line, "line", []string{"64B"}, "sizes of a memory line, as a `list` of powers of two; locality uses the first")
	s.flags.StringVar(&s.refs, "refs", "", "`references` to measure: data, ifetch or all (default: data; for cache, all)")
	for _, k := range s.kinds {
		s.own[k.Name] = k.AddTo(s.flags)
		maps.Copy(s.renamed, k.Renamed)
	}
	return s
}

// flagNames returns the names of all flags that affect an analysis.
func (s *settings) flagNames(k *kind.Kind) []string { return slices.Concat(s.own[k.Name], k.Shares) }
