package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// sampleFlags are the flags of sample.
type sampleFlags struct {
	output, by string
	rate       float64
	window     int64
	seed       uint64
}

func sampleCommand(env *stage.Env) *cobra.Command {
	var f sampleFlags
	cmd := &cobra.Command{
		Use:   "sample PREFIX -o PREFIX",
		Short: "sample the references of a huge trace",
		Long: "Sample writes a trace with a share of the references of another one and with all its events. Positions stay the\n" +
			"same: the omitted references appear as instructions between references.\n\n" +
			"  --by window  One window of consecutive references at a random place in every window/rate references of a\n" +
			"               processor. The rest is not even read. Use it to see how a program changes over time.\n" +
			"  --by line    Every reference to a random share of all 64-byte lines. Stack distances, in lines, are rate times\n" +
			"               those of the whole trace: SHARDS sampling [waldspurger2015].\n\n" +
			"The same seed gives the same sample.",
		Example: "  $ traces import data/sample/matmul.log.zst -o matmul\n  $ traces sample matmul --by line --rate 0.1 -o tenth\n  $ traces info tenth",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return f.run(cmd.Context(), env, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "`PREFIX` of the files to write (required)")
	flags.StringVar(&f.by, "by", "window", "`WHAT` to choose at random: window or line")
	flags.Float64Var(&f.rate, "rate", 0.01, "`SHARE` of references or lines, above 0 and at most 1")
	flags.Int64Var(&f.window, "window", 1<<16, "length of a window, in `REFERENCES`")
	flags.Uint64Var(&f.seed, "seed", 1, "`SEED` of the random choice")
	stage.Group(flags, "Sampling", "by", "rate", "window", "seed")
	stage.Group(flags, "Output", "output")
	stage.Complete(cmd, "by", func() []string { return []string{"window", "line"} })
	cmd.ValidArgsFunction = completeTraces
	return cmd
}

func (f *sampleFlags) check() error {
	switch {
	case f.output == "":
		return stage.Usage("no output: name the files to write with -o PREFIX")
	case f.by != "window" && f.by != "line":
		return stage.Usage("--by: %q is not window or line", f.by)
	case !(f.rate > 0 && f.rate <= 1):
		return stage.Usage("--rate: %v is not above 0 and at most 1", f.rate)
	case f.window < 1 || f.window > 1<<40:
		return stage.Usage("--window: %d is not from 1 to 2^40 references", f.window)
	}
	return nil
}

func (f *sampleFlags) run(ctx context.Context, env *stage.Env, path string) error {
	t, err := store.Open(path)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := checkOutput(t, f.output); err != nil {
		return err
	}
	src := watch(ctx, env, t, "sampling")
	defer src.progress.Done()
	h := t.Header()
	h.Tool, h.Inputs = tool, []string{t.SHA256()}
	h.Notes = append(slices.Clone(h.Notes), f.note())
	out, err := store.Create(f.output, h)
	if err != nil {
		return err
	}
	defer out.Abort()
	var kept, all uint64
	for p := range h.Procs {
		n, err := f.copy(src, out, trace.Proc(p))
		if err != nil {
			return err
		}
		kept, all = kept+n, all+t.Totals(trace.Proc(p)).Refs
	}
	if err := out.Close(h); err != nil {
		return err
	}
	src.progress.Done()
	env.Note("%s: %d of %d references%s", path, kept, all, f.advice(kept, all))
	return nil
}

// advice suggests other flags if the sample is empty.
func (f *sampleFlags) advice(kept, all uint64) string {
	switch {
	case kept > 0 || all == 0:
		return ""
	case f.by == "line":
		return "; choose a larger --rate"
	}
	return "; choose a smaller --window for such a short trace"
}

func (f *sampleFlags) note() string {
	if f.by == "line" {
		return trace.SampleNote(fmt.Sprintf("the references to %v of all 64-byte lines, seed %d", f.rate, f.seed))
	}
	return trace.SampleNote(fmt.Sprintf("windows of %d references, %v of all, seed %d", f.window, f.rate, f.seed))
}

// chooser decides which batches and references of a processor are in the sample.
type chooser interface {
	batch(b store.Batch) bool
	ref(row, addr uint64) bool
}

// copy writes the sample of p and returns the number of its references.
func (f *sampleFlags) copy(src *watched, out *store.Writer, p trace.Proc) (uint64, error) {
	var c chooser = lines{seed: f.seed, below: threshold(f.rate)}
	if f.by == "window" {
		c = newWindows(f.window, f.rate, f.seed, p)
	}
	to := store.NewSplicer(out, src.Header(), p)
	end, err := walk(src, p, visitor{
		wants: c.batch,
		ref: func(pos, row uint64, b *trace.Refs, i int) error {
			if !c.ref(row, b.Addr[i]) {
				return nil
			}
			return spliceRef(to, pos, b, i)
		},
		event: func(pos uint64, _ int64, e *trace.Event) error { return to.Event(pos, *e) }})
	if err != nil {
		return 0, err
	}
	return to.Rows(), to.Finish(end)
}

// lines chooses a random share of the lines.
type lines struct{ seed, below uint64 }

// threshold returns a number such that a share of all hashes is below it.
func threshold(rate float64) uint64 {
	if rate >= 1 {
		return math.MaxUint64
	}
	return uint64(rate * (1 << 63) * 2)
}

func (l lines) batch(store.Batch) bool { return true }

func (l lines) ref(_, addr uint64) bool { return mix(addr>>lineShift^l.seed) <= l.below }

// mix returns a 64-bit hash that depends on every bit of x: the finalizer of SplitMix64
// [steele2014].
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// windows chooses one window at a random place in each stretch of references.
type windows struct {
	size, stretch uint64
	seed          uint64
}

func newWindows(size int64, rate float64, seed uint64, p trace.Proc) windows {
	stretch := math.Round(float64(size) / rate)
	return windows{uint64(size), uint64(min(stretch, 1<<60)), mix(seed ^ mix(uint64(p)))}
}

// start returns the first reference of the window in stretch k.
func (w windows) start(k uint64) uint64 {
	return k*w.stretch + mix(w.seed^k)%(w.stretch-w.size+1)
}

// batch reports whether a window overlaps b.
func (w windows) batch(b store.Batch) bool {
	for k := b.Row / w.stretch; k*w.stretch < b.Row+b.Rows; k++ {
		if at := w.start(k); at < b.Row+b.Rows && at+w.size > b.Row {
			return true
		}
	}
	return false
}

func (w windows) ref(row, _ uint64) bool {
	at := w.start(row / w.stretch)
	return row >= at && row < at+w.size
}
