package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/tracegen/instrument"
	"spoor/tracegen/kernel"
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
	f.StringVar(&o.dir, "package", "", "record the program in folder `DIR`, a package main that calls spmd.Main; see 'tracegen help package'")
	f.StringVarP(&o.prefix, "output", "o", "", "record to `PREFIX`.refs.arrow and PREFIX.events.arrow")
	f.BoolVar(&o.native, "native", false, "run at full speed without recording, and print the run time last")
	f.IntVar(&o.procs, "procs", 1, "number of processors (ranks)")
	f.Uint64Var(&o.seed, "seed", 1, "result of spmd.Seed in the program")
	f.BoolVar(&o.refs, "refs", true, refsUsage)
	f.BoolVar(&o.whole, "whole-collectives", false, wholeUsage)
	f.BoolVar(&o.headers, "headers", false, "also record loads that compiled loops keep in registers, such as slice headers")
	f.BoolVar(&o.unplaced, "unplaced", false, "also record references to memory without a name, as of stacks, the runtime, reflect or before spmd.Main")
}

// packageTopic returns the help page for programs of the user.
func packageTopic(flags *pflag.FlagSet) stage.Topic {
	page := pflag.NewFlagSet("package", pflag.ContinueOnError)
	for _, name := range []string{"package", "output", "native", "procs", "seed", "refs", "headers", "unplaced", "whole-collectives"} {
		page.AddFlag(flags.Lookup(name))
	}
	text := stage.ReadHelp(helpTexts, "package")
	return stage.Topic{Name: "package", Short: text.Short, Text: text.Long, Example: text.Example, Flags: page}
}

// arguments returns an error for a command line that names no kernel, and stores the program's arguments. The error is about
// the flags of --package, or else about the name of a kernel that does not exist.
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
	for _, name := range []string{"procs", "seed", "output", "refs", "headers", "unplaced", "whole-collectives", "native", "set", "repeat"} {
		if f.Changed(name) {
			return fmt.Errorf("--%s needs the name of a program or --package DIR", name)
		}
	}
	return nil
}

// check returns an error for flags that do not fit together.
func (o *packageOptions) check(f *pflag.FlagSet) error {
	for _, name := range onlyOfKernels {
		if f.Changed(name) {
			return fmt.Errorf("--%s is for the programs of the list, not for --package", name)
		}
	}
	switch {
	case o.dir == "":
		return errors.New("--package is empty; give the folder of a program, for example ./dir")
	case !o.native && o.prefix == "":
		return errors.New("no output; give -o PREFIX to record, or --native to run without recording")
	case o.native && (o.prefix != "" || f.Changed("refs") || f.Changed("headers") || f.Changed("unplaced") || o.whole):
		return errors.New("--native records nothing, so -o, --refs, --headers, --unplaced and --whole-collectives cannot be given with it")
	case !o.refs && (o.headers || o.unplaced):
		return errors.New("--headers and --unplaced select references, and --refs=false records none")
	}
	return spmd.CheckProcs(o.procs)
}

func (o *packageOptions) run(ctx context.Context, env *stage.Env) error {
	if o.native {
		return o.build(ctx, env, func(p *instrument.Program) error { return o.runNative(ctx, env, p) })
	}
	w, err := store.Create(o.prefix, trace.Header{Procs: o.procs}) // fails before the build if the files cannot be written
	if err != nil {
		return err
	}
	defer w.Abort()
	return o.build(ctx, env, func(p *instrument.Program) error { return o.record(ctx, env, p, w) })
}

// build builds the program, calls use, and removes the program.
func (o *packageOptions) build(ctx context.Context, env *stage.Env, use func(*instrument.Program) error) error {
	dir, err := env.InputFolder(o.dir)
	if err != nil {
		return fmt.Errorf("building the program: %w", err)
	}
	program, err := instrument.Build(ctx, instrument.Options{Dir: dir, Refs: o.refs, Headers: o.headers,
		Library: true, Native: o.native, Messages: env.Err})
	if err != nil {
		return err
	}
	return errors.Join(use(program), program.Remove())
}

func (o *packageOptions) execute(ctx context.Context, env *stage.Env, p *instrument.Program, sink spmd.Sink) (*instrument.Outcome, error) {
	return p.Run(ctx, instrument.Run{Options: spmd.Options{Procs: o.procs, NoRefs: !o.refs, Allocated: true, Unplaced: o.unplaced,
		WholeCollectives: o.whole}, Seed: o.seed, Memory: stage.AvailableMemory(),
		Native: o.native, Args: o.args, In: env.In, Out: env.ForChild(), Err: env.Err, Sink: sink})
}

func (o *packageOptions) runNative(ctx context.Context, env *stage.Env, p *instrument.Program) error {
	result, err := o.execute(ctx, env, p, nil)
	if err != nil {
		return fmt.Errorf("running %s: %w", p.Name, err)
	}
	_, err = fmt.Fprintf(env.Out, "%s procs=%d: %.3g s\n", o.header(p).Title(), o.procs, result.Seconds)
	return err
}

// record writes the two files of the trace. They are complete only if the program ends without an error.
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
	head.Unrecorded = missing(result.Recording)
	note := outside(p, result.Recording, head.Unrecorded.Instr)
	env.Note("%s", note)
	head.Notes = append(head.Notes, note)
	if n := result.Recording.Dropped; n > 0 {
		note := fmt.Sprintf("%d references (%.1f %% of all) are not recorded: their memory has no name, as on the stack or allocated by the runtime, by reflect or before spmd.Main (see --unplaced)",
			n, 100*head.Unrecorded.Refs)
		env.Note("%s", note)
		head.Notes = append(head.Notes, note)
	}
	if n := result.Collections; o.refs && n > 0 {
		note := numbered(int(n), "garbage collection", "garbage collections") + " ran: references to memory that was used again may count " +
			"for what was there before, and two recordings may differ; set GOGC=off and a larger GOMEMLIMIT"
		env.Note("%s", note)
		head.Notes = append(head.Notes, note)
	}
	if err := w.Close(head); err != nil {
		return err
	}
	summarize(env, head, result.Recording, "")
	return nil
}

// header returns the header of the trace.
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

// unrecorded returns notes on what the recording omits. A note lists at most the given number of constructs.
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
	return notes
}

// missing returns the shares of the instructions and references that a recording lacks.
func missing(r *spmd.Recording) trace.Unrecorded {
	instr, refs := r.Outside, r.Dropped
	for _, t := range r.Totals {
		instr, refs = instr+uint64(t.Instr), refs+t.Refs
	}
	share := func(part, all uint64) float64 { return math.Round(1e4*float64(part)/float64(max(1, all))) / 1e4 }
	return trace.Unrecorded{Instr: share(r.Outside, instr), Refs: share(r.Dropped, refs)}
}

// outside returns a note on the instructions of code that is not instrumented, which are a share of all.
func outside(p *instrument.Program, r *spmd.Recording, share float64) string {
	note := fmt.Sprintf("about %d instructions (%.1f %% of all) are not recorded: those of the runtime", r.Outside, 100*share)
	if len(p.Library) > 0 {
		note += ", and of " + strings.Join(p.Library, ", ")
	}
	if names := p.Unmeasured; len(names) > 0 {
		const most = 8
		note += "; nothing is added for calls of " + strings.Join(names[:min(len(names), most)], ", ")
		if len(names) > most {
			note += fmt.Sprintf(" and %d more", len(names)-most)
		}
		note += ", which were not measured"
	}
	if runtime.GOARCH != "amd64" {
		note += "; routines in assembly count as on x86-64, where their costs were measured"
	}
	return note
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

// onlyOfKernels are the flags that kernels have and --package has not.
var onlyOfKernels = []string{"set", "repeat"}

// knownKernel returns an error if the first argument is not a kernel.
func knownKernel(args []string) error {
	if len(args) == 0 {
		return nil
	}
	_, err := kernel.Find(kernel.All, args[0])
	return err
}
