package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func checkCommand(env *stage.Env) *cobra.Command {
	var save bool
	var output string
	cmd := &cobra.Command{
		Use:   "check PREFIX|FILE",
		Short: "hold a trace to every invariant, or save what can be saved",
		Long: "Check reads every byte of a trace and holds it to every invariant: digests, layout, legal values, the\n" +
			"order of events among references, and that the two files belong together.\n\n" +
			"With --recover it copies every complete batch of a cut, damaged or unfinished file, also one that a\n" +
			"killed writer left as .partial, into a new trace, and says what is lost. Events after the last\n" +
			"reference that could be saved are lost too.",
		Example: "  $ traces import data/sample/tiny.log -o tiny\n  $ traces check tiny\n" +
			"  $ head -c 3000 tiny.refs.arrow > cut.refs.arrow\n  $ traces check --recover cut.refs.arrow -o saved\n  $ traces info saved",
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&save, "recover", false, "write what can be saved to a new trace")
	cmd.Flags().StringVarP(&output, "output", "o", "", "prefix of the recovered files (default PREFIX.recovered)")
	print := stage.FormatFlag(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if output != "" && !save {
			return stage.Usage("-o goes with --recover")
		}
		var result *store.Table
		var err error
		if save {
			result, err = recoverTrace(args[0], output)
		} else {
			result, err = check(cmd.Context(), env, args[0])
		}
		if err != nil {
			return err
		}
		return stage.Print(env.Out, *print, result)
	}
	return cmd
}

// check reads all of a trace; reading verifies digests and layout.
func check(ctx context.Context, env *stage.Env, path string) (*store.Table, error) {
	t, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	src := watch(ctx, env, t, "checking")
	err = trace.Check(src) // also that the totals used below are right
	src.progress.Done()
	if err != nil {
		return nil, fmt.Errorf("checking %s: %w", path, err)
	}
	var refs, events uint64
	for p := range t.Header().Procs {
		n := t.Totals(trace.Proc(p))
		refs, events = refs+n.Refs, events+n.Events
	}
	return &store.Table{Name: "check", Columns: []store.Column{
		{Name: "checked", Data: []string{"processors", "references", "events"}},
		{Name: "count", Data: []uint64{uint64(t.Header().Procs), refs, events}},
		{Name: "sound", Data: []string{"numbered without gaps, files agree",
			"every digest, operation, size and address", "every digest and value, place among references, matching messages"}}}}, nil
}
