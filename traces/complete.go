package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	registry "spoor/traces/format"
	"spoor/traces/internal/format"
	"spoor/traces/store"
)

// settingsFlag adds --set, which import and export share.
func settingsFlag(flags *pflag.FlagSet, set *map[string]string) {
	flags.StringToStringVar(set, "set", nil, "`NAME=VALUE` setting of the format ('traces help FORMAT' lists them)")
	flags.Lookup("set").DefValue = ""
}

// allFormats, importers and exporters return the names of formats.
func allFormats() []string {
	return namesOf(func(format.Format) bool { return true })
}

func importers() []string {
	return namesOf(func(f format.Format) bool { _, is := f.(format.Importer); return is })
}

func exporters() []string {
	return namesOf(func(f format.Format) bool { _, is := f.(format.Exporter); return is })
}

func namesOf(wanted func(format.Format) bool) (names []string) {
	for _, f := range registry.All {
		if wanted(f) {
			names = append(names, f.Info().Name)
		}
	}
	return names
}

// settingsOf returns "NAME=" for every setting of the format called name, or of all formats if there is none.
func settingsOf(name string) (list []string) {
	for _, f := range registry.All {
		if name != "" && f.Info().Name != name {
			continue
		}
		for _, s := range f.Info().Settings {
			if text := s.Name + "="; !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return list
}

// completer completes the arguments of a command in the shell.
type completer = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)

// completeNames completes the only argument of a command.
func completeNames(names func() []string) completer {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeTraces completes the prefixes of traces. If none begins with typed, the shell completes files.
func completeTraces(_ *cobra.Command, _ []string, typed string) (prefixes []string, _ cobra.ShellCompDirective) {
	for _, suffix := range []string{store.RefsSuffix, store.EventsSuffix} {
		files, _ := filepath.Glob(globEscape.Replace(typed) + "*" + suffix)
		for _, f := range files {
			if prefix := strings.TrimSuffix(f, suffix); !slices.Contains(prefixes, prefix) {
				prefixes = append(prefixes, prefix)
			}
		}
	}
	return prefixes, cobra.ShellCompDirectiveDefault
}

var globEscape = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
