package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/tracegen/instrument"
	"spoor/tracegen/spmd"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// packageOptions are the flags of a run of the user's own program.
type packageOptions struct {
	dir      string
	procs    int
	seed     uint64
	prefix   string
	refs     bool
	headers  bool
	unplaced bool
	whole    bool
	native   bool
	args     []string // of the program
}

// flags adds the flags of --package.
func (o *packageOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.dir, "package", "", "instrument, build and run the program in folder `DIR`, a package main that calls spmd.Main; its arguments follow --")
	f.IntVar(&o.procs, "procs", 1, "with --package: number of processors (ranks)")
	f.Uint64Var(&o.seed, "seed", 1, "with --package: what spmd.Seed returns")
	f.StringVarP(&o.prefix, "output", "o", "", "with --package: record to `PREFIX`.refs.arrow and PREFIX.events.arrow")
	f.BoolVar(&o.refs, "refs", true, "with --package: record references; without them the events file still has every instruction count")
	f.BoolVar(&o.headers, "headers", false, "with --package: record loads of slice headers and the like, too, which compiled loops keep in registers")
	f.BoolVar(&o.unplaced, "unplaced", false, "with --package: record references to memory, too, that the program neither named nor allocated while it ran")
	f.BoolVar(&o.whole, "whole-collectives", false, "with --package: "+wholeUsage)
	f.BoolVar(&o.native, "native", false, "with --package: run at full speed without recording, and say how long it took")
}

// arguments finds what is wrong with the arguments of a command line that names no
// kernel: with the flags of --package, or, where that is not given, with the name of
// a kernel that does not exist.
func (o *packageOptions) arguments(cmd *cobra.Command, args []string) error {
	f := cmd.Flags()
	if f.Changed("package") {
		if dash := cmd.ArgsLenAtDash(); dash > 0 || dash < 0 && len(args) > 0 {
			return fmt.Errorf("unexpected %q; arguments of the program follow --", args[0])
		}
		o.args = args
		return o.check(f)
	}
	if err := knownKernel(args); err != nil {
		return err
	}
	for _, name := range []string{"procs", "seed", "output", "refs", "headers", "unplaced", "whole-collectives", "native"} {
		if f.Changed(name) {
			return fmt.Errorf("--%s needs the name of a kernel or --package DIR", name)
		}
	}
	return nil
}

// check finds wrong combinations of flags.
func (o *packageOptions) check(f *pflag.FlagSet) error {
	switch {
	case o.dir == "":
		return errors.New("--package is empty; give the folder of a program, as ./dir")
	case !o.native && o.prefix == "":
		return errors.New("no output; give -o PREFIX to record, or --native to run without recording")
	case o.native && (o.prefix != "" || f.Changed("refs") || f.Changed("headers") || f.Changed("unplaced") || o.whole):
		return errors.New("--native records nothing, so -o, --refs, --headers, --unplaced and --whole-collectives cannot be given with it")
	case !o.refs && (o.headers || o.unplaced):
		return errors.New("--headers and --unplaced are about references, which --refs=false leaves out")
	}
	return spmd.CheckProcs(o.procs)
}

func (o *packageOptions) run(ctx context.Context, env *stage.Env) error {
	if o.native {
		return o.build(ctx, env, func(p *instrument.Program) error { return o.runNative(ctx, env, p) })
	}
	w, err := store.Create(o.prefix, trace.Header{Procs: o.procs}) // what cannot be written need not be built
	if err != nil {
		return err
	}
	defer w.Abort()
	return o.build(ctx, env, func(p *instrument.Program) error { return o.record(ctx, env, p, w) })
}

// build builds the program for as long as use needs it.
func (o *packageOptions) build(ctx context.Context, env *stage.Env, use func(*instrument.Program) error) error {
	program, err := instrument.Build(ctx, instrument.Options{Dir: env.Input(o.dir), Refs: o.refs, Headers: o.headers,
		Native: o.native, Messages: env.Err})
	if err != nil {
		return err
	}
	return errors.Join(use(program), program.Remove())
}

func (o *packageOptions) execute(ctx context.Context, env *stage.Env, p *instrument.Program, sink instrument.Sink) (*instrument.Outcome, error) {
	return p.Run(ctx, instrument.Run{Options: spmd.Options{Procs: o.procs, NoRefs: !o.refs, Allocated: true, Unplaced: o.unplaced,
		WholeCollectives: o.whole}, Seed: o.seed,
		Native: o.native, Args: o.args, In: env.In, Out: env.ForChild(), Err: env.Err, Sink: sink})
}

func (o *packageOptions) runNative(ctx context.Context, env *stage.Env, p *instrument.Program) error {
	result, err := o.execute(ctx, env, p, nil)
	if err != nil {
		return fmt.Errorf("running %s: %w", p.Name, err)
	}
	env.Note("%s procs=%d: %.3g s", o.header(p).Title(), o.procs, result.Seconds)
	return nil
}

// record completes the two files of the trace when the program has ended well.
func (o *packageOptions) record(ctx context.Context, env *stage.Env, p *instrument.Program, w *store.Writer) error {
	for _, note := range unrecorded(p, len(p.Findings)) {
		env.Note("%s", note)
	}
	sink := &progressSink{w, env.Progress("recording "+p.Name, -1, "refs")}
	result, err := o.execute(ctx, env, p, sink)
	sink.progress.Done()
	if err != nil {
		return fmt.Errorf("recording %s: %w", p.Name, err)
	}
	head := o.header(p)
	head.Regions = result.Recording.Regions
	if n := result.Recording.Dropped; n > 0 {
		note := fmt.Sprintf("%d references are left out: to memory that was there before spmd.Main and has no name (see --unplaced)", n)
		env.Note("%s", note)
		head.Notes = append(head.Notes, note)
	}
	if err := w.Close(head); err != nil {
		return err
	}
	summarize(env, head, result.Recording, "")
	return nil
}

// header is what the trace says of itself.
func (o *packageOptions) header(p *instrument.Program) trace.Header {
	h := trace.Header{
		Program: p.Name, Format: "spmd", Procs: o.procs, Seed: o.seed, Rule: spmd.Rule,
		WorkUnit: trace.WorkInstr, Tool: "tracegen " + stage.Version,
	}
	if len(o.args) > 0 {
		h.Args = []trace.Arg{{Key: "args", Value: strings.Join(o.args, " ")}}
	}
	h.Notes = append(h.Notes, unrecorded(p, 8)...)
	return h
}

// unrecorded says what the recording does not hold, naming at most so many
// constructs; it is empty where there is nothing to say.
func unrecorded(p *instrument.Program, most int) (notes []string) {
	if n := len(p.Findings); n > 0 {
		text := numbered(n, "construct is", "constructs are") + " not recorded: "
		for i, f := range p.Findings[:min(n, most)] {
			text += separator(i) + f.String()
		}
		if n > most {
			text += fmt.Sprintf("; and %d more", n-most)
		}
		notes = append(notes, text)
	}
	if len(p.Foreign) > 0 {
		notes = append(notes, "code of other modules is not recorded: "+strings.Join(p.Foreign, ", "))
	}
	return notes
}

func separator(i int) string {
	if i == 0 {
		return ""
	}
	return "; "
}

func numbered(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
