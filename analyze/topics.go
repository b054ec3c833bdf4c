package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"spoor/analyze/cache"
	"spoor/traces/stage"
)

// Help topics besides those of analyses.
const nodesTopic, levelsTopic, samplesTopic = "per-node", "levels", "sampling"

// page returns the text of the help page of an analysis.
func (k *kind) page() string {
	text := k.about + "\n\n" + strings.TrimRight(k.columns, "\n")
	if k.cost != "" {
		text += "\n\nCost: " + k.cost
	}
	return text
}

// topics returns the help pages: one for each analysis, and some on parts that several commands share.
func (s *settings) topics(all *pflag.FlagSet) []stage.Topics {
	analyses := stage.Topics{Title: "Analyses"}
	for _, k := range s.kinds {
		names := slices.DeleteFunc(k.flagNames(), func(name string) bool { return k.needs[name] == nodesFlag })
		analyses.Pages = append(analyses.Pages, stage.Topic{Name: k.name, Short: k.short, Text: k.page(), Example: k.example, Flags: flagsNamed(all, names)})
	}
	return []stage.Topics{analyses, {Title: "Further topics", Pages: []stage.Topic{
		{Name: nodesTopic, Short: "traffic between nodes with shared memory in software: flags and tables of 'phases --per-node'",
			Text: nodesText, Example: nodesExample, Flags: flagsNamed(all, s.nodeFlags())},
		{Name: levelsTopic, Short: "how to describe caches and TLBs for --cache", Text: cache.Grammar, Example: levelsExample},
		{Name: samplesTopic, Short: "how to analyze a sample of the lines, and what the intervals mean", Text: samplesText,
			Example: samplesExample, Flags: flagsNamed(all, sampleNames)},
	}}}
}

// nodeFlags returns the flags of phases that need --per-node, and that flag.
func (s *settings) nodeFlags() []string {
	names := []string{nodesFlag}
	for _, k := range s.kinds {
		for name, needed := range k.needs {
			if needed == nodesFlag {
				names = append(names, name)
			}
		}
	}
	return names
}

// flagsNamed returns the flags with the given names.
func flagsNamed(all *pflag.FlagSet, names []string) *pflag.FlagSet {
	some := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, name := range names {
		some.AddFlag(all.Lookup(name))
	}
	return some
}

const levelsExample = `  $ tracegen fft --set points=1024 --procs 2 -o fft
  $ analyze --run cache --cache L1d=32KiB/8/64B/plru,LL=1MiB/16/64B/with-opt,dtlb=64/4/4KiB -o fft.cache fft`

const samplesText = `Analyses 'reuse' and 'locality' can measure a sample of the memory lines. A hash of the address chooses the
lines (SHARDS). All uses of a chosen line are measured, so that distances can be scaled up.

A small sample is inaccurate. Therefore a trace with at most --sample-least lines is measured exactly.
With more lines, the sampling rate decreases to --sample. --sample-lines bounds memory for any trace.

Curves of a sample have 95 % intervals. The intervals cover the sampling error for this trace only, not the
variation between runs of the program. Samples of a few hundred lines are inaccurate near the footprint, and
at a single size of one program their intervals may cover less than 95 %.`

const samplesExample = `  $ tracegen fft --set points=1024 --procs 2 -o fft
  $ analyze --sample 0.1 -o fft.sampled fft`
