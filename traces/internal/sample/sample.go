// Package sample chooses references of a trace at random: windows of consecutive ones, or all of some lines.
package sample

import (
	"context"
	"fmt"
	"math"
	"slices"

	"spoor/traces/internal/walk"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Options are the flags of sample.
type Options struct {
	Output string  // prefix of the files to write
	By     string  // what is chosen at random: window or line
	Rate   float64 // share of references or lines
	Window int64   // references of a window
	Seed   uint64
}

// Check returns a usage error for options out of range.
func (f Options) Check() error {
	switch {
	case f.Output == "":
		return stage.Usage("no output: name the files to write with -o PREFIX")
	case f.By != "window" && f.By != "line":
		return stage.Usage("--by: %q is not window or line", f.By)
	case !(f.Rate > 0 && f.Rate <= 1):
		return stage.Usage("--rate: %v is not above 0 and at most 1", f.Rate)
	case f.Window < 1 || f.Window > 1<<40:
		return stage.Usage("--window: %d is not from 1 to 2^40 references", f.Window)
	}
	return nil
}

// Run writes the sample of the trace at path.
func (f Options) Run(ctx context.Context, env *stage.Env, path string) error {
	t, err := store.Open(path)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := walk.CheckOutput(t, f.Output); err != nil {
		return err
	}
	src := walk.Watch(ctx, env, t, "sampling")
	defer src.Done()
	h := t.Header()
	h.Tool, h.Inputs = walk.Tool, []string{t.SHA256()}
	h.Notes = append(slices.Clone(h.Notes), f.note())
	out, err := store.Create(f.Output, h)
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
	src.Done()
	env.Note("%s: %d of %d references%s", path, kept, all, f.advice(kept, all))
	return nil
}

// advice suggests other flags if the sample is empty.
func (f Options) advice(kept, all uint64) string {
	switch {
	case kept > 0 || all == 0:
		return ""
	case f.By == "line":
		return "; choose a larger --rate"
	}
	return "; choose a smaller --window for such a short trace"
}

func (f Options) note() string {
	if f.By == "line" {
		return trace.SampleNote(fmt.Sprintf("the references to %v of all 64-byte lines, seed %d", f.Rate, f.Seed))
	}
	return trace.SampleNote(fmt.Sprintf("windows of %d references, %v of all, seed %d", f.Window, f.Rate, f.Seed))
}

// chooser decides which batches and references of a processor are in the sample.
type chooser interface {
	batch(b store.Batch) bool
	ref(row, addr uint64) bool
}

// copy writes the sample of p and returns the number of its references.
func (f Options) copy(src *walk.Trace, out *store.Writer, p trace.Proc) (uint64, error) {
	var c chooser = lines{seed: f.Seed, below: threshold(f.Rate)}
	if f.By == "window" {
		c = newWindows(f.Window, f.Rate, f.Seed, p)
	}
	to := store.NewSplicer(out, src.Header(), p)
	end, err := walk.Walk(src, p, walk.Visitor{
		Wants: c.batch,
		Ref: func(pos, row uint64, b *trace.Refs, i int) error {
			if !c.ref(row, b.Addr[i]) {
				return nil
			}
			return walk.SpliceRef(to, pos, b, i)
		},
		Event: func(pos uint64, _ int64, e *trace.Event) error { return to.Event(pos, *e) }})
	if err != nil {
		return 0, err
	}
	return to.Rows(), to.Finish(end)
}

// lineShift is log2 of the size of a line, 64 bytes.
const lineShift = 6

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
