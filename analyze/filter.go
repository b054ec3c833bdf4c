package main

import (
	"context"

	"github.com/spf13/cobra"

	"spoor/analyze/cache"
	"spoor/analyze/internal/filter"
	"spoor/analyze/study"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// filterFlags are the flags of filter.
type filterFlags struct {
	output  string
	caches  []string
	options filter.Options
}

func filterCommand(env *stage.Env) *cobra.Command {
	var f filterFlags
	cmd := &cobra.Command{
		Use:  "filter --cache LEVEL,... -o PREFIX PREFIX",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), env, args[0]) },
	}
	stage.Describe(cmd, helpTexts, "filter")
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "`prefix` of the new trace")
	flags.StringArrayVar(&f.caches, "cache", nil, "description of the cache `levels`, in one list (see 'analyze help levels')")
	flags.BoolVar(&f.options.WriteBacks, "write-backs", true, "write evicted dirty lines as stores")
	flags.Uint64Var(&f.options.Seed, "cache-seed", 1, "`seed` of random replacement")
	_ = cmd.MarkFlagRequired("output") // the flags exist
	_ = cmd.MarkFlagRequired("cache")
	return cmd
}

func (f *filterFlags) run(ctx context.Context, env *stage.Env, path string) error {
	if len(f.caches) > 1 {
		return stage.Usage("--cache is given %d times; give all levels in one list, such as --cache L1d=...,L2=...", len(f.caches))
	}
	spec, err := cache.Parse(f.caches[0])
	if err == nil {
		_, err = cache.NewFilter(spec, true, 0)
	}
	if err != nil {
		return stage.Usage("--cache: %w", err)
	}
	src, err := store.Open(path)
	if err != nil {
		return err
	}
	defer src.Close()
	if src.IsAt(f.output) {
		return stage.Usage("-o %s is the trace to be read; choose another name", f.output)
	}
	if err := study.CheckRefs(src, path); err != nil {
		return err
	}
	total := uint64(0)
	for p := range trace.Proc(src.Header().Procs) {
		total += src.Totals(p).Refs
	}
	bar := env.Progress("filtering", int64(total), "refs")
	defer bar.Done()
	f.options.Spec, f.options.Tool, f.options.Input, f.options.Progress = spec, study.Tool, src.SHA256(), bar.Add
	n, err := filter.Write(ctx, src, f.output, f.options)
	if err != nil {
		return err
	}
	bar.Done()
	env.Note("%s: wrote %d references and %d write-backs; read %d references", path, n.Written-n.WriteBacks, n.WriteBacks, n.Refs)
	for _, warning := range src.Header().Warnings(true) {
		env.Note("%s: %s", path, warning)
	}
	for _, note := range n.Notes() {
		env.Note("%s: %s", path, note)
	}
	return nil
}
