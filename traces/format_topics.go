package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"spoor/traces/format"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// formatTopics returns the pages of `traces help FORMAT`. The page of a format lists the flags of import that only it uses.
func formatTopics(flags *pflag.FlagSet) (pages []stage.Topic) {
	for _, f := range format.All {
		t := stage.Topic{Name: f.Info().Name, Short: f.Info().Doc, Text: formatPage(oneFormat(f)), Example: f.Info().Example}
		for flag, formats := range formatFlags {
			if slices.Contains(formats, f.Info().Name) {
				if t.Flags == nil {
					t.Flags = pflag.NewFlagSet(f.Info().Name, pflag.ContinueOnError)
				}
				t.Flags.AddFlag(flags.Lookup(flag))
			}
		}
		if use := f.Info().Use; use != "" {
			t.Text += "\n\nUse: " + use
		}
		pages = append(pages, t)
	}
	return pages
}

// formatPage sets the table of a format as a page: general facts, the parts of its lines or records, settings, losses.
func formatPage(t *store.Table) string {
	what, _ := store.Data[string](t, "what")
	value, _ := store.Data[string](t, "value")
	general := []string{"also called", "read", "write", "recognised by", "several files", "lost when written"}
	var facts, parts, settings []string
	for i, w := range what {
		setting, isSetting := strings.CutPrefix(w, "--set ")
		switch {
		case w == "name" || w == "description": // in the title of the page
		case isSetting:
			settings = append(settings, entry(setting, value[i]))
		case slices.Contains(general, w):
			facts = append(facts, entry(w, value[i]))
		default:
			parts = append(parts, entry(w, value[i]))
		}
	}
	page := strings.Join(facts, "\n")
	if len(parts) > 0 {
		page += "\n\nContents:\n" + strings.Join(parts, "\n")
	}
	if len(settings) > 0 {
		page += "\n\nSettings (--set NAME=VALUE):\n" + strings.Join(settings, "\n")
	}
	return page
}

// entryWidth is the width of the first column of a page.
const entryWidth = 26

// entry returns a line with a name and its meaning, which goes on below itself if it is long.
func entry(name, meaning string) string {
	line := fmt.Sprintf("  %-*s", entryWidth, name)
	indent := strings.Repeat(" ", entryWidth+2)
	if len(name) >= entryWidth {
		line += "\n" + indent
	}
	at := len(indent)
	for i, word := range strings.Fields(meaning) {
		switch {
		case i > 0 && at+1+len(word) > stage.Columns:
			line += "\n" + indent
			at = len(indent)
		case i > 0:
			line += " "
			at++
		}
		line += word
		at += len(word)
	}
	return strings.TrimRight(line, " ")
}
