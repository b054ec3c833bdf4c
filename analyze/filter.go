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
		Short: "write a trace of the references that miss private caches",
		Long: `Filter simulates the private caches of each processor. It writes the references that miss all of them: the
trace that the next level of memory sees. The new trace has the same events and positions. References that hit
become instructions between references.

  - A reference that misses becomes a reference to the whole line, with the same operation.
  - A dirty line that is evicted becomes a store right before the miss that evicts it (--write-backs). Without
    these stores, a cache of the new trace has the same uses and misses as the next, non-inclusive level in
    'analyze --run cache', which does not count write-backs as uses.
  - Instruction fetches go through L1i, if there is one. Caches for data only omit them, with a note.
    Likewise, caches for fetches only omit data. So the levels of --cache choose the references, not a --refs.
  - Prefetches bring lines in; those that miss become prefetches of the whole line. A flush removes lines from
    the caches of its processor. It stays in the new trace, after stores of the dirty lines that it removes.
  - Caches are not kept coherent.

'analyze help levels' explains --cache. Filter allows neither TLBs nor opt, and lines of at most 32KiB. All
levels are private.`,
		Example: "  $ tracegen fft --set points=1024 --procs 2 -o fft\n" +
			"  $ analyze filter --cache L1d=4KiB/8/64B -o fft.misses fft\n" +
			"  $ analyze --run cache --cache L2=16KiB/8/64B --interleaved=false -o fft.l2 fft.misses\n" +
			"  $ traces head -n 2 --format csv fft.misses",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), env, args[0]) },
	}
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
	env.Note("%s: wrote %d references and %d write-backs; read %d references", path, n.Written-n.WriteBacks, n.WriteBacks, n.Refs)
	for _, warning := range src.Header().Warnings(true) {
		env.Note("%s: %s", path, warning)
	}
	for _, note := range n.Notes() {
		env.Note("%s: %s", path, note)
	}
	return nil
}
