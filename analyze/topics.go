package main

import (
	"embed"
	"slices"

	"github.com/spf13/pflag"

	"spoor/analyze/internal/kind"
	"spoor/traces/stage"
)

// helpTexts has the help texts of commands. Those of analyses are in their packages.
//
//go:embed help/*.txt
var helpTexts embed.FS

// page returns a help page with its flags.
func page(name, help string, flags *pflag.FlagSet) stage.Topic {
	text := stage.ParseHelp(help)
	return stage.Topic{Name: name, Short: text.Short, Text: text.Long, Example: text.Example, Flags: flags}
}

// topics returns the help pages: one for each analysis, and some on parts of analyses.
func (o *options) topics(all *pflag.FlagSet) []stage.Topics {
	analyses, further := stage.Topics{Title: "Analyses"}, stage.Topics{Title: "Further topics"}
	for _, k := range o.Kinds {
		names := o.FlagNames(k)
		for _, t := range k.Topics {
			further.Pages = append(further.Pages, page(t.Name, t.Help, flagsNamed(all, o.topicFlags(k, t))))
			names = slices.DeleteFunc(names, func(name string) bool { return t.Needing != "" && k.Needs[name] == t.Needing })
		}
		analyses.Pages = append(analyses.Pages, page(k.Name, k.Help, flagsNamed(all, names)))
	}
	return []stage.Topics{analyses, further}
}

// topicFlags returns the names of the flags of a topic.
func (o *options) topicFlags(k *kind.Kind, t kind.Topic) []string {
	names := slices.Clone(t.Flags)
	if t.Needing == "" {
		return names
	}
	for _, name := range o.FlagNames(k) {
		if name == t.Needing || k.Needs[name] == t.Needing {
			names = append(names, name)
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
