package main

import (
	"embed"
	"slices"

	"github.com/spf13/pflag"

	"spoor/analyze/cache"
	"spoor/traces/stage"
)

// Help topics besides those of analyses.
const nodesTopic, levelsTopic, samplesTopic = "per-node", "levels", "sampling"

// helpTexts has the help texts of commands, analyses and topics.
//
//go:embed help/*.txt
var helpTexts embed.FS

// page returns the help page of this name with a list, if it has one, and flags, if some are its own.
func page(name string, flags *pflag.FlagSet, list ...string) stage.Topic {
	text := stage.ReadHelp(helpTexts, name, list...)
	return stage.Topic{Name: name, Short: text.Short, Text: text.Long, Example: text.Example, Flags: flags}
}

// topics returns the help pages: one for each analysis, and some on parts that several commands share.
func (s *settings) topics(all *pflag.FlagSet) []stage.Topics {
	analyses := stage.Topics{Title: "Analyses"}
	for _, k := range s.kinds {
		names := slices.DeleteFunc(k.flagNames(), func(name string) bool { return k.needs[name] == nodesFlag })
		analyses.Pages = append(analyses.Pages, page(k.name, flagsNamed(all, names), k.columns))
	}
	return []stage.Topics{analyses, {Title: "Further topics", Pages: []stage.Topic{
		page(nodesTopic, flagsNamed(all, s.nodeFlags())),
		page(levelsTopic, nil, cache.Grammar),
		page(samplesTopic, flagsNamed(all, sampleNames)),
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
