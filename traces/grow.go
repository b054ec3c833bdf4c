package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"spoor/traces/grow"
	"spoor/traces/internal/walk"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func growCommand(env *stage.Env) *cobra.Command {
	var output string
	var ranks int
	cmd := &cobra.Command{
		Use:  "grow PREFIX... --ranks N -o PREFIX",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return stage.Usage("no output: name the files to write with -o PREFIX")
			}
			if ranks < 1 {
				return stage.Usage("--ranks %d: the trace to write needs at least one rank", ranks)
			}
			return growTrace(cmd.Context(), env, args, ranks, output)
		},
	}
	stage.Describe(cmd, helpTexts, "grow")
	cmd.Flags().IntVar(&ranks, "ranks", 0, "`NUMBER` of ranks of the trace to write (required)")
	cmd.Flags().StringVarP(&output, "output", "o", "", "`PREFIX` of the files to write (required)")
	cmd.ValidArgsFunction = completeTraces
	return cmd
}

// growTrace learns the pattern of the traces at paths, and writes that of the given number of ranks.
func growTrace(ctx context.Context, env *stage.Env, paths []string, ranks int, output string) error {
	in := growInput{most: grow.MaxEvents}
	for _, path := range paths {
		if err := in.read(ctx, env, path, output); err != nil {
			return err
		}
	}
	pattern, err := grow.Learn(in.recordings, ranks)
	if err != nil {
		return fmt.Errorf("growing %w", err)
	}
	h := in.header(ranks)
	h.Notes = append(h.Notes, pattern.Notes...)
	grower := pattern.Grow(ranks)
	if err := writeGrown(ctx, env, grower, &h, output); err != nil {
		return fmt.Errorf("growing %w", err)
	}
	for _, n := range h.Notes[in.kept:] {
		env.Note("%s", n)
	}
	return nil
}

// growInput is what the recordings have.
type growInput struct {
	recordings []grow.Recording
	inputs     []string // SHA-256
	largest    trace.Header
	most       int // events that may still be read
	refs       bool
	kept       int // number of notes of the header that are not new
}

// read reads the events of a recording.
func (in *growInput) read(ctx context.Context, env *stage.Env, path, output string) error {
	t, err := store.Open(path)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := walk.CheckOutput(t, output); err != nil {
		return err
	}
	w := walk.Watch(ctx, env, t, "reading")
	defer w.Done()
	h := t.Header()
	r := grow.Recording{Name: path, Head: h, Rows: make([][]trace.Event, h.Procs)}
	for b, err := range w.Events() {
		if err != nil {
			return err
		}
		if in.most -= b.Len(); in.most < 0 {
			return fmt.Errorf("%s: the recordings have more than %d events, which do not fit in memory; record fewer iterations", path, grow.MaxEvents)
		}
		r.Rows[b.Proc] = append(r.Rows[b.Proc], b.Rows...)
	}
	for p := range trace.Proc(h.Procs) {
		in.refs = in.refs || t.Totals(p).Refs > 0
	}
	if h.Procs >= in.largest.Procs {
		in.largest = h
	}
	in.recordings, in.inputs = append(in.recordings, r), append(in.inputs, t.SHA256())
	return nil
}

// header returns the header of the trace to write.
func (in *growInput) header(ranks int) trace.Header {
	of := in.largest
	h := trace.Header{Program: of.Program, Format: of.Format, Args: of.Args, Procs: ranks, Seed: of.Seed, Rule: of.Rule,
		WorkUnit: of.WorkUnit, Inputs: in.inputs, Tool: walk.Tool, Notes: slices.Clone(of.Notes)}
	h.Unrecorded.Instr = of.Unrecorded.Instr
	in.kept = len(h.Notes)
	counts := make([]int, 0, len(in.recordings))
	for _, r := range in.recordings {
		counts = append(counts, len(r.Rows))
	}
	slices.Sort(counts)
	h.Notes = append(h.Notes, fmt.Sprintf("grown from recordings of %s ranks", listed(counts)))
	if in.refs {
		h.Notes = append(h.Notes, "memory references are not grown: the trace has messages and computation only")
	}
	if of.HasTime {
		h.Notes = append(h.Notes, "recorded times are not grown")
	}
	return h
}

// listed returns numbers as "2, 4 and 8".
func listed(all []int) string {
	text := ""
	for i, n := range all {
		switch {
		case i == 0:
		case i == len(all)-1:
			text += " and "
		default:
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	return text
}

// writeGrown writes all ranks, and completes the notes of the header.
func writeGrown(ctx context.Context, env *stage.Env, g *grow.Grower, h *trace.Header, output string) error {
	w, err := store.Create(output, *h)
	if err != nil {
		return err
	}
	defer w.Abort()
	progress := env.Progress("writing", int64(h.Procs), "ranks")
	defer progress.Done()
	b := trace.Events{}
	for rows, err := range g.All() {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		b.Rows = rows
		if err := w.Events(&b); err != nil {
			return err
		}
		b.Proc++
		progress.Add(1)
	}
	if g.Rounded > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("%d numbers were rounded down: no recording shows how the program divides them", g.Rounded))
	}
	return w.Close(*h)
}
