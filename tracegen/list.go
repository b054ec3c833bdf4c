package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"spoor/tracegen/kernel"
	"spoor/tracegen/workload"
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
func parameters(k workload.Kernel) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, p := range k.Params {
		fmt.Fprintf(w, "  %s=%d\t%s\t(%s)\n", p.Name, p.Default, p.Doc, p.Range())
	}
	w.Flush()
	return b.String()
}
