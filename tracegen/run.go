package main

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"time"

	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// helpTexts has the help texts of commands and pages.
//
//go:embed help/*.txt
var helpTexts embed.FS

// options are the flags of one run.
type options struct {
	kernel kernel.Kernel
	values kernel.Values
	procs  int
	set    []string
	seed   uint64
	prefix string
	refs   bool
	whole  bool
	native bool
	repeat int
	format stage.Format
}

func (o *options) run(ctx context.Context, env *stage.Env) error {
	if o.native {
		return o.runNative(ctx, env)
	}
	inst, err := o.instance(ctx)
	if err != nil {
		return err
	}
	return o.record(ctx, env, inst)
}

// runNative prints a row for each run: its time and the digest of its verified result.
func (o *options) runNative(ctx context.Context, env *stage.Env) error {
	runs := make([]int64, o.repeat)
	times, digests := make([]float64, o.repeat), make([]string, o.repeat)
	for i := range runs {
		inst, err := o.instance(ctx)
		if err != nil {
			return err
		}
		took, err := stage.Interruptible(ctx, func() (time.Duration, error) { return spmd.Timed(ctx, o.procs, inst.Program) })
		if err != nil {
			return fmt.Errorf("running %s: %w", o.kernel.Name, err)
		}
		times[i] = took.Seconds()
		if err := o.verify(ctx, inst); err != nil {
			return err
		}
		runs[i], digests[i] = int64(i+1), inst.Digest()
	}
	return stage.Print(env.Out, o.format, &store.Table{Name: "runs", Columns: []store.Column{
		{Name: "kernel", Data: slices.Repeat([]string{o.kernel.Name}, o.repeat)},
		{Name: "procs", Data: slices.Repeat([]int64{int64(o.procs)}, o.repeat)},
		{Name: "run", Data: runs},
		{Name: "time", Unit: "s", Data: times},
		{Name: "verified", Data: slices.Repeat([]string{"yes"}, o.repeat)}, // otherwise the command has failed
		{Name: "result", Data: digests},
	}})
}

// record writes the two files of the trace. They appear when the result has been verified.
func (o *options) record(ctx context.Context, env *stage.Env, inst kernel.Instance) error {
	w, err := store.Create(o.prefix, o.header())
	if err != nil {
		return err
	}
	defer w.Abort()
	sink := &progressSink{w, env.Progress("recording "+o.kernel.Name, o.expected(inst), "refs")}
	recording, err := spmd.Record(ctx, spmd.Options{Procs: o.procs, NoRefs: !o.refs, WholeCollectives: o.whole}, inst.Program, sink)
	sink.progress.Done()
	if err != nil {
		return fmt.Errorf("recording %s: %w", o.kernel.Name, err)
	}
	if err := o.verify(ctx, inst); err != nil {
		return err
	}
	head := o.header()
	head.Regions = recording.Regions
	if err := w.Close(head); err != nil {
		return err
	}
	summarize(env, head, recording, "; verified result "+inst.Digest())
	return nil
}

// form returns the kernels in the form that the run needs.
func (o *options) form() []kernel.Kernel {
	switch {
	case o.native:
		return kernel.All
	case o.refs:
		return kernel.Recorded
	default:
		return kernel.Counted
	}
}

func (o *options) instance(ctx context.Context) (kernel.Instance, error) {
	return stage.Interruptible(ctx, func() (kernel.Instance, error) {
		k, err := kernel.Find(o.form(), o.kernel.Name)
		if err != nil {
			return nil, err
		}
		return k.New(o.values, o.procs, o.seed)
	})
}

func (o *options) verify(ctx context.Context, inst kernel.Instance) error {
	_, err := stage.Interruptible(ctx, func() (struct{}, error) { return struct{}{}, inst.Verify() })
	if err != nil {
		return fmt.Errorf("verifying the result of %s: %w", o.kernel.Name, err)
	}
	return nil
}

// header returns the header of the trace.
func (o *options) header() trace.Header {
	return trace.Header{
		Program: o.kernel.Name, Format: "spmd", Args: o.kernel.Args(o.values),
		Procs: o.procs, Seed: o.seed, Rule: spmd.Rule, WorkUnit: trace.WorkInstr,
		Tool: "tracegen " + stage.Version,
	}
}

// expected returns the predicted number of references, or -1 if none are recorded.
func (o *options) expected(inst kernel.Instance) int64 {
	if !o.refs {
		return -1
	}
	var total int64
	for _, n := range inst.Counts().Refs {
		total += int64(n)
	}
	return total
}

// summarize prints a note with the size of the recording.
func summarize(env *stage.Env, head trace.Header, recording *spmd.Recording, result string) {
	var sum trace.Totals
	for _, t := range recording.Totals {
		sum.Instr += t.Instr
		sum.Refs += t.Refs
		sum.Events += t.Events
	}
	env.Note("%s procs=%d: %d instructions, %d references, %d events%s",
		head.Title(), head.Procs, sum.Instr, sum.Refs, sum.Events, result)
}

// progressSink counts the references that it writes to the files.
type progressSink struct {
	*store.Writer
	progress *stage.Progress
}

func (s *progressSink) Refs(b *trace.Refs) error {
	s.progress.Add(b.Len())
	return s.Writer.Refs(b)
}

const refsUsage = "record references; the events always have all instruction counts"

const wholeUsage = "record each collective as one event instead of its messages"
