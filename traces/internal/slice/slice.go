// Package slice cuts processors or a window of time out of a trace. It keeps an operation between processors only if the part has all
// of it.
package slice

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"spoor/traces/internal/walk"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Options choose the part: processors, and instructions or markers of each. An empty text chooses all.
type Options struct {
	Output               string // prefix of the files to write
	Procs, Instr, Marker string
}

// Run writes the part of the trace at path, and notes what it omits.
func (f Options) Run(ctx context.Context, env *stage.Env, path string) error {
	t, err := store.Open(path)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := walk.CheckOutput(t, f.Output); err != nil {
		return err
	}
	src := walk.Watch(ctx, env, t, "slicing")
	defer src.Done()
	procs, err := trace.ParseProcs(f.Procs, t.Header().Procs)
	if err != nil {
		return stage.Usage("--procs: %w", err)
	}
	s := newSlicing(src, procs)
	if err := f.windows(s); err != nil {
		return err
	}
	if err := s.survey(); err != nil {
		return err
	}
	if err := s.write(f.Output); err != nil {
		return err
	}
	src.Done()
	for _, n := range s.omissions() {
		env.Note("%s: %s", path, n)
	}
	return nil
}

// write writes the new trace.
func (s *slicing) write(prefix string) (err error) {
	h := s.header()
	out, err := store.Create(prefix, h)
	if err != nil {
		return err
	}
	defer out.Abort()
	for i := range s.procs {
		if err := s.copy(out, h, i); err != nil {
			return err
		}
	}
	h.Notes = append(h.Notes, s.omissions()...)
	return out.Close(h)
}

// copy writes the part of one processor.
func (s *slicing) copy(out *store.Writer, h trace.Header, i int) error {
	w, p := s.windows[i], s.procs[i]
	to := store.NewSplicer(out, h, trace.Proc(i))
	limit, err := s.workOf(p)
	if err != nil {
		return err
	}
	keeper := s.newKeeper(i)
	end, err := walk.Walk(s.src, p, walk.Visitor{
		Wants: func(b store.Batch) bool { return b.StartInstr <= w.to && b.StartInstr+b.Instr+limit >= w.from },
		Ref: func(pos, _ uint64, b *trace.Refs, j int) error {
			if !w.hasRef(pos) {
				return nil
			}
			return walk.SpliceRef(to, pos-w.from, b, j)
		},
		Event: func(pos uint64, row int64, e *trace.Event) error {
			at, kept, ok := keeper.event(pos, row, e)
			if !ok {
				return nil
			}
			return to.Event(at-w.from, kept)
		}})
	if err != nil {
		return err
	}
	if end < w.from {
		s.over, s.end = s.over+1, max(s.end, end)
	}
	end = min(end, w.to)
	return to.Finish(end - min(end, w.from))
}

// workOf returns the sum of the work that moves positions of p. The index of references does
// not include it.
func (s *slicing) workOf(p trace.Proc) (sum uint64, err error) {
	for b, err := range s.src.Events(p) {
		if err != nil {
			return 0, err
		}
		for i := range b.Rows {
			if s.work && b.Rows[i].Kind == trace.Compute {
				sum += uint64(b.Rows[i].Work)
			}
		}
	}
	return sum, nil
}

// header returns the header of the part.
func (s *slicing) header() trace.Header {
	h := s.src.Header()
	h.Tool, h.Inputs = walk.Tool, []string{s.src.SHA256()}
	h.Notes = slices.Clone(h.Notes)
	if s.what != "" {
		h.Notes = append(h.Notes, "a part: "+s.what)
	}
	if len(s.procs) < h.Procs {
		h.Notes = append(h.Notes, fmt.Sprintf("processors %s of %d, numbered anew", listOf(s.procs), h.Procs))
		h.Regions = s.regions(h.Regions)
	}
	h.Procs = len(s.procs)
	return h
}

// regions returns the shared regions and those of the kept processors, without homes: a home
// distributes an array over all processors of the whole machine.
func (s *slicing) regions(all []trace.Region) (kept []trace.Region) {
	for _, r := range all {
		r.Home = trace.Home{}
		if r.Owner != trace.Everyone {
			owner, ok := s.number[r.Owner]
			if !ok {
				continue
			}
			r.Owner = trace.Proc(owner)
		}
		kept = append(kept, r)
	}
	return kept
}

// listOf returns a list such as "0-3, 7".
func listOf(procs []trace.Proc) string {
	var parts []string
	for i := 0; i < len(procs); {
		j := i
		for j+1 < len(procs) && procs[j+1] == procs[j]+1 {
			j++
		}
		if j == i {
			parts = append(parts, fmt.Sprint(procs[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", procs[i], procs[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
