package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// sliceFlags are the flags of slice.
type sliceFlags struct {
	output, procs, instr, marker string
}

func sliceCommand(env *stage.Env) *cobra.Command {
	var f sliceFlags
	cmd := &cobra.Command{
		Use:   "slice PREFIX -o PREFIX",
		Short: "cut a part out of a trace",
		Long: "Slice writes the part of a trace that some processors did (--procs), or that was done between two\n" +
			"instructions of each processor (--instr) or two of its markers (--marker), or both.\n\n" +
			"Processors are numbered anew, from 0. Positions count from the start of the part. What the part does\n" +
			"not have both sides of is left out, and noted: messages to or from elsewhere and the waits for them,\n" +
			"collectives and barriers that not all processors are at, unlocks without their lock. Of receives that\n" +
			"take any sender or tag, as many stay as there are messages for them, the last ones. Waits for flags are\n" +
			"for as many signals in the part as must have come by then, whoever else gave the others; if that is none,\n" +
			"they are left out.",
		Example: "  $ traces import data/sample/tiny.log -o tiny\n" +
			"  $ traces slice tiny --instr 0:10 -o start\n" +
			"  $ traces head -n 2 --format csv start\n  proc,instr,op,addr,size\n  0,1,ifetch,0x401000,7\n  0,1,ifetch,0x401007,7",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.output == "" {
				return stage.Usage("no output: name the files to write with -o PREFIX")
			}
			if f.procs == "" && f.instr == "" && f.marker == "" {
				return stage.Usage("choose a part with --procs, --instr or --marker")
			}
			if f.instr != "" && f.marker != "" {
				return stage.Usage("--instr and --marker exclude each other")
			}
			return f.run(cmd.Context(), env, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "prefix of the files to write (required)")
	flags.StringVar(&f.procs, "procs", "", "processors to keep, as a `list` of numbers and ranges such as 0-3,6 (default all)")
	flags.StringVar(&f.instr, "instr", "", "keep what each processor does from its instruction A up to its instruction B, `A:B`; either may be left out")
	flags.StringVar(&f.marker, "marker", "", "keep what each processor does from its first marker A up to the next marker B, `A:B` or A for up to the end; by number or, if the trace's notes name it, by name")
	return cmd
}

func (f *sliceFlags) run(ctx context.Context, env *stage.Env, path string) error {
	t, err := store.Open(path)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := elsewhere(t, f.output); err != nil {
		return err
	}
	src := watch(ctx, env, t, "slicing")
	defer src.progress.Done()
	procs, err := trace.ParseProcs(f.procs, t.Header().Procs)
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
	if err := s.write(f.output); err != nil {
		return err
	}
	src.progress.Done()
	for _, n := range s.losses() {
		env.Note("%s: %s", path, n)
	}
	return nil
}

// write makes the new trace.
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
	h.Notes = append(h.Notes, s.losses()...)
	return out.Close(h)
}

// copy writes what is kept of one processor.
func (s *slicing) copy(out *store.Writer, h trace.Header, i int) error {
	w, p := s.windows[i], s.procs[i]
	to := store.NewSplicer(out, h, trace.Proc(i))
	limit, err := s.workOf(p)
	if err != nil {
		return err
	}
	keeper := s.newKeeper(i)
	end, err := walk(s.src, p, visitor{
		wants: func(b store.Batch) bool { return b.StartInstr <= w.to && b.StartInstr+b.Instr+limit >= w.from },
		ref: func(pos, _ uint64, b *trace.Refs, j int) error {
			if !w.hasRef(pos) {
				return nil
			}
			return spliceRef(to, pos-w.from, b, j)
		},
		event: func(pos uint64, row int64, e *trace.Event) error {
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

// workOf is the sum of the work that moves positions of p: the index of references
// does not count it.
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

// header is that of the part.
func (s *slicing) header() trace.Header {
	h := s.src.Header()
	h.Tool, h.Inputs = tool, []string{s.src.SHA256()}
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

// regions keeps what is shared and what belongs to the processors that are kept. Homes
// are parts of the whole machine, so they are left to the machine of the part.
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

// listOf is "0-3, 7".
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
