package main

import (
	"strings"

	"github.com/spf13/cobra"

	registry "spoor/traces/format"
	"spoor/traces/internal/format"
	"spoor/traces/stage"
	"spoor/traces/store"
)

func formatsCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "formats [NAME]",
		Args: cobra.MaximumNArgs(1),
	}
	stage.Describe(cmd, helpTexts, "formats")
	print := stage.FormatFlag(cmd.Flags())
	cmd.ValidArgsFunction = completeNames(allFormats)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return stage.Print(env.Out, *print, listOfFormats())
		}
		f, err := registry.ByName(args[0])
		if err != nil {
			return stage.Usage("%w", err)
		}
		return stage.Print(env.Out, *print, oneFormat(f))
	}
	return cmd
}

func listOfFormats() *store.Table {
	var name, read, write, magic, description []string
	for _, f := range registry.All {
		info := f.Info()
		reads, writes := abilities(f)
		name, read, write = append(name, info.Name), append(read, reads), append(write, writes)
		magic, description = append(magic, info.Magic), append(description, info.Doc)
	}
	return &store.Table{Name: "formats", Columns: []store.Column{
		{Name: "name", Data: name}, {Name: "read", Data: read}, {Name: "write", Data: write},
		{Name: "description", Data: description}, {Name: "recognised by", Data: magic}}}
}

// abilities returns "yes" or "no" for reading and for writing f.
func abilities(f format.Format) (reads, writes string) {
	yes := map[bool]string{true: "yes", false: "no"}
	_, im := f.(format.Importer)
	_, ex := f.(format.Exporter)
	return yes[im], yes[ex]
}

// oneFormat describes f, with one fact on each row.
func oneFormat(f format.Format) *store.Table {
	var what, value []string
	add := func(w, v string) { what, value = append(what, w), append(value, v) }
	reads, writes := abilities(f)
	info := f.Info()
	add("name", info.Name)
	if len(info.Aliases) > 0 {
		add("also called", strings.Join(info.Aliases, ", "))
	}
	add("description", info.Doc)
	add("read", reads)
	add("write", writes)
	if _, ok := f.(format.Importer); ok {
		add("recognised by", info.Magic)
	}
	for _, p := range info.Parts {
		add(p.Name, p.Doc)
	}
	if _, ok := f.(format.MultiFileImporter); ok {
		add("several files", "are one trace")
	}
	if _, ok := f.(format.Exporter); ok {
		add("lost when written", info.Loses)
	}
	for _, s := range info.Settings {
		add("--set "+s.Name+"="+s.Default, s.Doc)
	}
	return &store.Table{Name: "format", Columns: []store.Column{{Name: "what", Data: what}, {Name: "value", Data: value}}}
}
