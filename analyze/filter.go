package main

import (
	"context"

	"github.com/spf13/cobra"

	"spoor/analyze/cache"
	"spoor/analyze/filter"
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
		Use:   "filter --cache LEVEL,... -o PREFIX PREFIX",
		Short: "make a trace of what misses the caches near each processor",
		Long: "Filter simulates caches of each processor and writes the references that miss all of them, as a trace of\n" +
			"what the next level of memory sees. It is a trace like others, with the same events and positions:\n" +
			"what is left out shows as instructions between references.\n\n" +
			"A reference goes on as one to a whole line, with its operation: a store that misses stays a store. Lines\n" +
			"that leave dirty become stores right before the miss that evicts them (--write-backs). Without these, a\n" +
			"cache of the new trace has the uses and misses that it has as the next, non-inclusive level in\n" +
			"'analyze --run cache', which does not take write-backs for uses.\n\n" +
			"Instruction fetches go through L1i if it is given, and on from there; with caches for data alone they\n" +
			"are left out, and noted, as data are with caches for fetches alone. Prefetches are left out, flushes\n" +
			"go on as they are. The caches of different processors are not kept coherent.\n\n" +
			cache.Grammar +
			"  Of these, filter takes neither TLBs nor opt, and lines of up to 32KiB; all levels are private.\n",
		Example: "  $ tracegen fft --set points=1024 --procs 2 -o fft\n" +
			"  $ analyze filter --cache L1d=4KiB/8/64B -o fft.beyond fft\n" +
			"  $ analyze --run cache --cache L2=16KiB/8/64B --interleaved=false -o fft.l2 fft.beyond\n" +
			"  $ traces head -n 2 --format csv fft.beyond",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), env, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "`prefix` of the files to write")
	flags.StringArrayVar(&f.caches, "cache", nil, "description of the `levels` that hold references back, all in one")
	flags.BoolVar(&f.options.WriteBacks, "write-backs", true, "lines that leave dirty become stores")
	flags.Uint64Var(&f.options.Seed, "cache-seed", 1, "`seed` of random replacement")
	_ = cmd.MarkFlagRequired("output") // the flags exist
	_ = cmd.MarkFlagRequired("cache")
	return cmd
}

func (f *filterFlags) run(ctx context.Context, env *stage.Env, path string) error {
	if len(f.caches) > 1 {
		return stage.Usage("--cache is given %d times, and a filter has one description of caches: write levels behind each other, as --cache L1d=...,L2=...", len(f.caches))
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
		return stage.Usage("-o %s: that is the trace to be read; choose another name", f.output)
	}
	if err := checkRefs(src, path); err != nil {
		return err
	}
	total := uint64(0)
	for p := range trace.Proc(src.Header().Procs) {
		total += src.Totals(p).Refs
	}
	bar := env.Progress("filtering", int64(total), "refs")
	defer bar.Done()
	f.options.Spec, f.options.Tool, f.options.Input, f.options.Progress = spec, tool, src.SHA256(), bar.Add
	n, err := filter.Write(ctx, src, f.output, f.options)
	if err != nil {
		return err
	}
	bar.Done()
	env.Note("%s: %d references and %d write-backs go on of %d references", path, n.Beyond-n.WriteBacks, n.WriteBacks, n.Refs)
	if warning := src.Header().SampleWarning(); warning != "" {
		env.Note("%s: %s", path, warning)
	}
	for _, note := range n.Notes() {
		env.Note("%s: %s", path, note)
	}
	return nil
}
