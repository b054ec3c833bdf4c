package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"spoor/tracegen/recorder"
	"spoor/traces/stage"
)

// runCommand returns the command that records any program.
func runCommand(env *stage.Env) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{Use: "run [flags] -o PREFIX -- PROGRAM [ARG ...]", Args: cobra.ArbitraryArgs}
	stage.Describe(cmd, helpTexts, "run")
	flags := cmd.Flags()
	flags.StringVarP(&o.prefix, "output", "o", "", "record to `PREFIX`.refs.arrow and PREFIX.events.arrow")
	flags.BoolVar(&o.refs, "refs", true, refsUsage)
	flags.BoolVar(&o.fetches, "fetches", false, "also record the instructions that are fetched, by block")
	flags.StringVar(&o.from, "from", "", "record from the first call of `FUNCTION` on (default main)")
	flags.StringVar(&o.to, "to", "", "record up to the first call of `FUNCTION` after that (default: to the end)")
	flags.BoolVar(&o.children, "children", false, "record each process that the program starts, to PREFIX.1, PREFIX.2, ...")
	flags.BoolVar(&o.archive, "archive", false, "write references in the archive profile: several times smaller, but slower")
	flags.StringVar(&o.locks, "lock-order", string(recorder.OfConditions), "mutexes that keep the recorded `ORDER` of locks: conditions|all|none")
	flags.BoolVar(&o.symbols, "symbols", true, "also write PREFIX.symbols.arrow: functions, lines, variables and blocks of the heap")
	flags.BoolVar(&o.stacks, "stacks", true, "record the references of a thread to its own stack")
	flags.Uint64Var(&o.sample.Skip, "skip", 0, "leave out references in the first `N` instructions of each thread")
	flags.Uint64Var(&o.sample.Window, "window", 0, "leave out references after `N` instructions of each thread")
	flags.Uint64Var(&o.sample.Every, "every", 0, "with --window: repeat the window every `N` instructions")
	flags.Uint64Var(&o.sample.Most, "max-references", 0, "record at most `N` references of each thread")
	o.golang.flags(flags)
	o.mpiFlags(flags)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.sample.NoStacks = !o.stacks
		if err := o.golang.check(flags, o.sample, o.children); err != nil {
			return err
		}
		if done, err := o.withoutQEMU(cmd, env, args); done {
			return err
		}
		if err := o.check(args); err != nil {
			return err
		}
		return o.run(cmd.Context(), env, args)
	}
	return cmd
}

// check refuses flags that cannot go together.
func (o *runOptions) check(args []string) error {
	switch {
	case len(args) == 0 && !o.golang.given():
		return stage.Usage("no program; give it after --: tracegen run -o PREFIX -- PROGRAM ARG ...")
	case o.prefix == "":
		return stage.Usage("no output; give -o PREFIX")
	case !o.refs && o.fetches:
		return stage.Usage("--fetches selects references, and --refs=false records none")
	case !o.stacks && !o.symbols:
		return stage.Usage("--stacks=false needs to know where stacks are; leave out --symbols=false")
	case !o.refs && o.sample != recorder.Sample{}:
		return stage.Usage("--skip, --window, --max-references and --stacks=false select references, and --refs=false records none")
	case !slices.Contains(recorder.LockOrders, recorder.LockOrder(o.locks)):
		return stage.Usage("--lock-order %s is not known; conditions, all and none are", o.locks)
	case !o.refs && o.archive:
		return stage.Usage("--archive is for references, and --refs=false records none")
	case o.children && (o.from != "" || o.to != ""):
		return stage.Usage("--children records whole processes; leave out --from and --to")
	case o.sample.Every > 0 && o.sample.Window == 0:
		return stage.Usage("--every repeats a window; give its length with --window")
	case o.sample.Every > 0 && o.sample.Every <= o.sample.Window:
		return stage.Usage("--every %d is not more than --window %d, so no reference is left out", o.sample.Every, o.sample.Window)
	}
	return nil
}

// run records the program. It keeps what was recorded of a program that fails, and ends with its status.
func (o *runOptions) run(ctx context.Context, env *stage.Env, args []string) error {
	in, out, errors := env.Standard()
	opt := recorder.Options{Args: args, Refs: o.refs, Fetches: o.fetches, From: o.from, To: o.to, Sample: o.sample, Locks: recorder.LockOrder(o.locks),
		Symbols: o.symbols, In: in, Out: out, Err: errors}
	remove, err := o.golang.build(ctx, &opt)
	defer remove()
	if err != nil {
		return err
	}
	progress := env.Progress("recording "+filepath.Base(opt.Args[0]), -1, "references")
	opt.Progress = progress.Add
	if o.children {
		opt.Children = func(p recorder.Process) (recorder.Trace, error) { return o.open(env, p) }
	}
	r, err := recorder.Prepare(ctx, opt)
	if err != nil {
		return err
	}
	ranked, err := r.WithMPI(ctx, o.prefix)
	if err != nil {
		return err
	}
	if ranked != nil {
		return o.runRank(ctx, env, r, ranked, progress)
	}
	return o.runOne(ctx, env, r, progress)
}

// runOne records a program without MPI.
func (o *runOptions) runOne(ctx context.Context, env *stage.Env, r *recorder.Recorder, progress *stage.Progress) error {
	t, err := o.open(env, r.Process())
	if err != nil {
		return err
	}
	defer t.Drop()
	rec, err := r.Record(ctx, t)
	progress.Done()
	if err != nil {
		return fmt.Errorf("recording %s: %w", filepath.Base(r.Process().Args[0]), err)
	}
	if err := t.Keep(rec); err != nil {
		return err
	}
	return stage.Exit(rec.Status)
}
