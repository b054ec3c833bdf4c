package main

import (
	"github.com/spf13/cobra"

	"spoor/traces/format"
	"spoor/traces/stage"
	"spoor/traces/store"
)

func formatsCommand(env *stage.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "formats",
		Short:   "list the foreign formats",
		Long:    "Formats lists what import reads and export writes, and how import recognises it.",
		Example: "  $ traces formats\n  $ traces formats --format csv",
		Args:    cobra.NoArgs,
	}
	print := stage.FormatFlag(cmd.Flags())
	cmd.RunE = func(*cobra.Command, []string) error {
		var name, read, write, magic, description []string
		yes := map[bool]string{true: "yes", false: "no"}
		for _, f := range format.All {
			_, reads := f.(format.Importer)
			_, writes := f.(format.Exporter)
			name, read, write = append(name, f.Name()), append(read, yes[reads]), append(write, yes[writes])
			magic, description = append(magic, f.Magic()), append(description, f.Description())
		}
		return stage.Print(env.Out, *print, &store.Table{Name: "formats", Columns: []store.Column{
			{Name: "name", Data: name}, {Name: "read", Data: read}, {Name: "write", Data: write},
			{Name: "description", Data: description}, {Name: "recognised by", Data: magic}}})
	}
	return cmd
}
