package main

import (
	"github.com/spf13/pflag"

	"spoor/traces/stage"
)

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
	kinds     []*kind
	flags     *pflag.FlagSet // including the flags of each analysis
}

func newSettings() *settings {
	s := &settings{kinds: allKinds(), flags: pflag.NewFlagSet("analyze", pflag.ContinueOnError)}
	s.flags.StringSliceVar(&s.run, "run", []string{"reuse", "locality"}, "analyses, as a `list` of names, or all")
	s.flags.StringSliceVar(&s.line, "line", []string{"64B"}, "sizes of a memory line, as a `list` of powers of two; locality uses the first")
	s.flags.StringVar(&s.refs, "refs", "", "`references` to measure: data, ifetch or all (default: data; for cache, all)")
	for _, k := range s.kinds {
		if k.flags == nil {
			continue
		}
		own := pflag.NewFlagSet(k.name, pflag.ContinueOnError)
		k.flags(own)
		own.VisitAll(func(f *pflag.Flag) { k.own = append(k.own, f.Name) })
		s.flags.AddFlagSet(own)
	}
	return s
}

// allKinds returns every analysis, in the order of the help.
func allKinds() []*kind {
	q, s := new(quantumFlags), new(sampleFlags)
	return []*kind{
		reuseKind(s),
		localityKind(s),
		reuseTimeKind(),
		phasesKind(),
		marshalKind(),
		commKind(),
		footprintKind(q),
		quantaKind(q),
		cacheKind(),
		sharingKind(),
		coherentKind(),
	}
}
