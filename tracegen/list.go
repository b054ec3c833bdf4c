package main

import (
	"fmt"
	"strings"

	"spoor/tracegen/kernel"
	"spoor/traces/stage"
	"spoor/traces/store"
)

// listing returns the table of --list, with a row for each parameter of each kernel.
func listing() *store.Table {
	var names, params, ranges, docs, papers, kernels []string
	var defaults []int64
	for _, k := range kernel.All {
		for _, p := range k.Params {
			names, params = append(names, k.Name), append(params, p.Name)
			defaults, ranges = append(defaults, int64(p.Default)), append(ranges, p.Range())
			docs, papers = append(docs, p.Doc), append(papers, k.Paper)
			kernels = append(kernels, k.Doc)
		}
	}
	return &store.Table{Name: "kernels", Columns: []store.Column{
		{Name: "kernel", Data: names},
		{Name: "paper", Data: papers},
		{Name: "parameter", Data: params},
		{Name: "default", Data: defaults},
		{Name: "range", Data: ranges},
		{Name: "meaning", Data: docs},
		{Name: "program", Data: kernels},
	}}
}

// parameters returns the part of a kernel's help that lists its parameters.
func parameters(k kernel.Kernel) string {
	width := 0
	for _, p := range k.Params {
		width = max(width, len(setting(p)))
	}
	var b strings.Builder
	for _, p := range k.Params {
		line := fmt.Sprintf("  %-*s ", width, setting(p))
		for _, word := range strings.Fields(p.Doc + " (" + p.Range() + ")") {
			if len(line)+1+len(word) > stage.Columns {
				fmt.Fprintln(&b, line)
				line = strings.Repeat(" ", width+3)
			}
			line += " " + word
		}
		fmt.Fprintln(&b, line)
	}
	return b.String()
}

// setting returns the parameter with its default, as in --set.
func setting(p kernel.Param) string { return fmt.Sprintf("%s=%d", p.Name, p.Default) }
