package main

import (
	"embed"
	"fmt"
	"strings"

	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/internal/transport"
	"spoor/calibrate/packing"
	"spoor/traces/stage"
)

// helpTexts has the help texts of commands and topics.
//
//go:embed help/*.txt
var helpTexts embed.FS

// topics returns the pages of `calibrate help NAME`.
func topics() []stage.Topics {
	page := func(name string, list ...string) stage.Topic {
		text := stage.ReadHelp(helpTexts, name, list...)
		return stage.Topic{Name: name, Short: text.Short, Text: text.Long, Example: text.Example}
	}
	var equations, transports strings.Builder
	for _, m := range packing.All {
		fmt.Fprintf(&equations, "    %-6s %s\n", m.Name, m.Equation())
	}
	for _, t := range transport.All {
		fmt.Fprintf(&transports, "    %-8s %s\n", t.Name, t.What)
	}
	return []stage.Topics{
		{Title: "Models", Pages: []stage.Topic{page("loggp"), page("plogp"), page("transfer", equations.String())}},
		{Title: "Files and terms", Pages: []stage.Topic{page("formats", timing.Formats()), page("columns", timing.Schema), page("intervals"), page("noise"),
			page("transports", transports.String())}},
	}
}
