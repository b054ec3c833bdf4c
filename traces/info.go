package main

import (
	"errors"

	"github.com/spf13/cobra"

	"spoor/traces/internal/describe"
	"spoor/traces/internal/walk"
	"spoor/traces/stage"
	"spoor/traces/store"
)

func infoCommand(env *stage.Env) *cobra.Command {
	var byProc bool
	cmd := &cobra.Command{
		Use:  "info PREFIX|FILE",
		Args: cobra.ExactArgs(1),
	}
	stage.Describe(cmd, helpTexts, "info")
	cmd.Flags().BoolVar(&byProc, "by-proc", false, "print a row for each processor")
	print := stage.FormatFlag(cmd.Flags())
	stage.Group(cmd.Flags(), "Output", "by-proc", "format")
	cmd.ValidArgsFunction = completeTraces
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t, err := store.Open(args[0])
		if errors.Is(err, store.ErrIsTable) && !byProc {
			return describe.PrintTable(env, args[0], *print)
		}
		if err != nil {
			return err
		}
		defer t.Close()
		src := walk.Watch(cmd.Context(), env, t, "reading")
		i, err := describe.Gather(src, args[0])
		src.Done()
		if err != nil {
			return err
		}
		switch {
		case *print == stage.JSON:
			return i.JSON(env.Out)
		case byProc:
			return stage.Print(env.Out, *print, i.ProcTable())
		}
		return stage.Print(env.Out, *print, i.Table())
	}
	return cmd
}
