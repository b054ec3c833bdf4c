package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"spoor/traces/internal/walk"
	"spoor/traces/merge"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func mergeCommand(env *stage.Env) *cobra.Command {
	var output string
	var separate bool
	cmd := &cobra.Command{
		Use:  "merge PREFIX... -o PREFIX",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return stage.Usage("no output: name the files to write with -o PREFIX")
			}
			if separate && len(args) > 1<<8 {
				return stage.Usage("--separate: %d traces; the top byte of addresses has numbers for 256", len(args))
			}
			return mergeTraces(cmd.Context(), env, args, output, separate)
		},
	}
	stage.Describe(cmd, helpTexts, "merge")
	cmd.Flags().StringVarP(&output, "output", "o", "", "`PREFIX` of the files to write (required)")
	cmd.Flags().BoolVar(&separate, "separate", false, "give each trace its own address space")
	cmd.ValidArgsFunction = completeTraces
	return cmd
}

// mergeTraces writes the traces at paths as one.
func mergeTraces(ctx context.Context, env *stage.Env, paths []string, output string, separate bool) error {
	var inputs []merge.Input
	refers := false
	for _, path := range paths {
		t, err := store.Open(path)
		if err != nil {
			return err
		}
		defer t.Close()
		if err := walk.CheckOutput(t, output); err != nil {
			return err
		}
		w := walk.Watch(ctx, env, t, "merging")
		defer w.Done()
		in := merge.Input{Source: w, Name: path, SHA256: t.SHA256()}
		if separate {
			first := walk.Watch(ctx, env, t, "finding the addresses")
			defer first.Done()
			in.Addresses = first
		}
		inputs = append(inputs, in)
		for p := range trace.Proc(t.Header().Procs) {
			refers = refers || t.Totals(p).Refs > 0
		}
	}
	all, err := merge.Join(inputs, separate)
	if err != nil {
		return err
	}
	h := all.Header()
	h.Tool = walk.Tool
	if err := copyTrace(all, h, output); err != nil {
		return err
	}
	for _, n := range all.Moved {
		env.Note("%s", n)
	}
	if !separate && len(inputs) > 1 && refers {
		env.Note("the traces are assumed to share one address space; --separate gives each its own")
	}
	return nil
}

// copyTrace writes a trace.
func copyTrace(src trace.Source, h trace.Header, output string) error {
	out, err := store.Create(output, h)
	if err != nil {
		return err
	}
	defer out.Abort()
	for b, err := range src.Refs() {
		if err != nil {
			return fmt.Errorf("merging %w", err)
		}
		if err := out.Refs(b); err != nil {
			return err
		}
	}
	for b, err := range src.Events() {
		if err != nil {
			return fmt.Errorf("merging %w", err)
		}
		if err := out.Events(b); err != nil {
			return err
		}
	}
	return out.Close(h)
}
