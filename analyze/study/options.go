// Package study runs analyses of a trace and keeps their results in a folder. The commands analyze and predict
// use it.
package study

import (
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"spoor/analyze/internal/kind"
	"spoor/analyze/registry"
	"spoor/traces/stage"
)

// Tool is the program name and version recorded in results.
const Tool = "spoor analyze " + stage.Version

// Options are the values of the command line of analyze.
type Options struct {
	*Settings
	Procs            []string
	Shard            string // the part of each stream to analyze, such as 3/16; empty: all
	Interleaved      bool
	InterleavedAsked bool // --interleaved was given
	RunAsked         bool // --run was given
	Dir              string
	Format           *stage.Format
}

// Settings are all flags that results depend on.
type Settings struct {
	Run     []string
	line    []string
	refs    string // which references use lines; empty: the default of each analysis
	all     bool   // --run contains "all"
	Kinds   []*kind.Kind
	Own     map[string][]string // names of the flags that each analysis adds
	Renamed map[string]string   // old names of flags and their present ones
	Flags   *pflag.FlagSet      // including the flags of each analysis
}

// NewSettings returns the defaults of all flags.
func NewSettings() *Settings {
	s := &Settings{Kinds: registry.All(), Own: map[string][]string{}, Renamed: map[string]string{}, Flags: pflag.NewFlagSet("analyze", pflag.ContinueOnError)}
	s.Flags.StringSliceVar(&s.Run, "run", []string{"reuse", "locality"}, "analyses, as a `list` of names, or all")
	s.Flags.StringSliceVar(&s.line, "line", []string{"64B"}, "sizes of a memory line, as a `list` of powers of two; locality uses the first")
	s.Flags.StringVar(&s.refs, "refs", "", "`references` to measure: data, ifetch or all (default: data; for cache, all)")
	for _, k := range s.Kinds {
		s.Own[k.Name] = k.AddTo(s.Flags)
		maps.Copy(s.Renamed, k.Renamed)
	}
	return s
}

// FlagNames returns the names of all flags that affect an analysis.
func (s *Settings) FlagNames(k *kind.Kind) []string { return slices.Concat(s.Own[k.Name], k.Shares) }
