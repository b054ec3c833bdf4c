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
		Short: "cut processors or a time window out of a trace",
		Long:  sliceLong,
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
	flags.StringVarP(&f.output, "output", "o", "", "`PREFIX` of the files to write (required)")
	flags.StringVar(&f.procs, "procs", "", "processors to keep: a `LIST` of numbers and ranges such as 0-3,6 (default: all)")
	flags.StringVar(&f.instr, "instr", "", "keep instructions `A:B` of each processor; A or B may be omitted")
	flags.StringVar(&f.marker, "marker", "", "keep `A:B`, from the first marker A to the next marker B; A alone: to the end")
	stage.Group(flags, "Selection", "procs", "instr", "marker")
	stage.Group(flags, "Output", "output")
	cmd.ValidArgsFunction = completeTraces
	return cmd
}

// sliceLong is the help of the command.
const sliceLong = "Slice writes a part of a trace: some of its processors (--procs), the part between two instructions (--instr) or\n" +
	"two markers (--marker) of each processor, or both. Markers are numbers, or names if the notes of the trace name them.\n\n" +
	"Processors are renumbered from 0. Positions count from the start of the part. Slice omits and notes events whose\n" +
	"other side is not in the part:\n\n" +
	"  - messages to or from other parts, and the waits for them;\n" +
	"  - collectives and barriers that some processors do not reach, and unlocks without their lock.\n\n" +
	"Receives from any sender or with any tag: the last ones stay, as many as there are messages for them.\n" +
	"Waits for flags: they wait for as many signals of the part as must have come by then in any order of execution.\n" +
	"If that number is 0, slice omits the wait."

func (f *sliceFlags) run(ctx context.Context, env *stage.Env, path string) error {
	t, err := store.Open(path)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := checkOutput(t, f.output); err != nil {
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
