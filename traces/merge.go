package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func mergeCommand(env *stage.Env) *cobra.Command {
	var output string
	var separate bool
	cmd := &cobra.Command{
		Use:   "merge PREFIX... -o PREFIX",
		Short: "put traces side by side in one",
		Long: "Merge writes one trace with the processors of all, numbered in the order of the PREFIXes: programs that\n" +
			"run at the same time on one machine. What each program calls its world of ranks becomes a group of its\n" +
			"own, and so do its other groups; its locks, barriers and flags stay its own.\n\n" +
			"Addresses are taken for those of one address space, as for threads traced apart. Processes have spaces\n" +
			"of their own: with --separate the number of the PREFIX goes into the top byte of every address.",
		Example: "  $ traces import data/sample/fork_12543.log.zst -o parent\n  $ traces import data/sample/fork_12544.log.zst -o child\n" +
			"  $ traces merge parent child --separate -o both\n  $ traces info both",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return stage.Usage("no output: name the files to write with -o PREFIX")
			}
			if separate && len(args) > 1<<8 {
				return stage.Usage("--separate: %d traces; the top byte of addresses has numbers for 256", len(args))
			}
			return merge(cmd.Context(), env, args, output, separate)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "prefix of the files to write (required)")
	cmd.Flags().BoolVar(&separate, "separate", false, "give each trace an address space of its own")
	return cmd
}

// merged is one of the traces, and how its numbers change.
type merged struct {
	*watched
	path    string
	proc    trace.Proc // of its processor 0
	group   int32      // of its world
	object  int32      // of its lock, barrier or flag 0
	space   uint64     // added to addresses
	objects int32      // those that it has
	groups  int32      // those that it has, the world included
}

func merge(ctx context.Context, env *stage.Env, paths []string, output string, separate bool) error {
	var all []*merged
	for i, path := range paths {
		t, err := store.Open(path)
		if err != nil {
			return err
		}
		defer t.Close()
		if err := elsewhere(t, output); err != nil {
			return err
		}
		m := &merged{watched: watch(ctx, env, t, "merging"), path: path}
		defer m.progress.Done()
		if separate {
			m.space = uint64(i) << separateShift
		}
		if err := m.count(); err != nil {
			return err
		}
		all = append(all, m)
	}
	h, err := headerOf(all, separate)
	if err != nil {
		return err
	}
	out, err := store.Create(output, h)
	if err != nil {
		return err
	}
	defer out.Abort()
	for _, m := range all {
		if err := m.copy(out); err != nil {
			return fmt.Errorf("merging %s: %w", m.path, err)
		}
		m.progress.Done()
	}
	if err := out.Close(h); err != nil {
		return err
	}
	if !separate && len(all) > 1 && slices.ContainsFunc(all, (*merged).refers) {
		env.Note("addresses are taken for those of one address space; --separate gives each trace its own")
	}
	return nil
}

// refers reports whether m has references.
func (m *merged) refers() bool {
	for p := range m.Header().Procs {
		if m.Totals(trace.Proc(p)).Refs > 0 {
			return true
		}
	}
	return false
}

// separateShift is the first bit of the top byte of an address.
const separateShift = 56

// count finds how many groups and objects m has.
func (m *merged) count() error {
	for b, err := range m.Events() {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			e := &b.Rows[i]
			if e.Group == math.MaxInt32 || e.Peer == math.MaxInt32 {
				return fmt.Errorf("merging %s: group %d or object %d is over the limit", m.path, e.Group, e.Peer)
			}
			m.groups = max(m.groups, e.Group+2) // the world is -1
			if !namesProc(e.Kind) {
				m.objects = max(m.objects, e.Peer+1)
			}
		}
	}
	return nil
}

// headerOf numbers everything of all, and is the header of the whole.
func headerOf(all []*merged, separate bool) (trace.Header, error) {
	first := all[0].Header()
	h := trace.Header{WorkUnit: first.WorkUnit, HasPC: first.HasPC, HasTime: first.HasTime, Rule: first.Rule, Tool: tool}
	var programs, formats []string
	var groups, objects, procs int64
	for i, m := range all {
		one := m.Header()
		if one.WorkUnit != h.WorkUnit || one.HasPC != h.HasPC || one.HasTime != h.HasTime {
			return h, fmt.Errorf("merging %s: its work unit (%s) or optional columns (pc %t, time %t) differ from those of %s; import both alike",
				m.path, one.WorkUnit, one.HasPC, one.HasTime, all[0].path)
		}
		m.proc, m.group, m.object = trace.Proc(procs), int32(groups), int32(objects)
		if len(all) == 1 {
			m.group = trace.None
		}
		procs, groups, objects = procs+int64(one.Procs), groups+int64(m.groups), objects+int64(m.objects)
		if max(procs, groups, objects) > math.MaxInt32 {
			return h, fmt.Errorf("merging %s: more processors, groups or objects than can be numbered", m.path)
		}
		programs, formats = append(programs, one.Title()), append(formats, one.Format)
		h.Inputs = append(h.Inputs, m.SHA256())
		h.Notes = append(h.Notes, m.notes(i, one)...)
		h.Regions = append(h.Regions, m.regions(i, one.Regions)...)
	}
	h.Procs = int(procs)
	h.Program, h.Format = strings.Join(programs, " + "), strings.Join(slices.Compact(formats), ", ")
	if separate {
		h.Notes = append(h.Notes, "address spaces are kept apart: the top byte of an address is the number of its trace")
	}
	return h, nil
}

// notes are those of trace i, and which processors are its.
func (m *merged) notes(i int, h trace.Header) []string {
	all := []string{fmt.Sprintf("trace %d, processors %d to %d: %s", i, m.proc, int(m.proc)+h.Procs-1, h.Title())}
	for _, n := range h.Notes {
		all = append(all, fmt.Sprintf("trace %d: %s", i, n))
	}
	return all
}

// regions are those of trace i. Homes deal an array to all processors of a machine,
// so they are left to the machine.
func (m *merged) regions(i int, all []trace.Region) (out []trace.Region) {
	for _, r := range all {
		r.Name, r.Base, r.Home = fmt.Sprintf("%d.%s", i, r.Name), r.Base+m.space, trace.Home{}
		if r.Owner != trace.Everyone {
			r.Owner += m.proc
		}
		out = append(out, r)
	}
	return out
}

// copy appends all of m to out.
func (m *merged) copy(out *store.Writer) error {
	for b, err := range m.Refs() {
		if err != nil {
			return err
		}
		b.Proc += m.proc
		if m.space > 0 {
			if err := m.move(b); err != nil {
				return err
			}
		}
		if err := out.Refs(b); err != nil {
			return err
		}
	}
	for b, err := range m.Events() {
		if err != nil {
			return err
		}
		b.Proc += m.proc
		for i := range b.Rows {
			m.renumber(&b.Rows[i])
		}
		if err := out.Events(b); err != nil {
			return err
		}
	}
	return nil
}

// move shifts the addresses of b into m's own space.
func (m *merged) move(b *trace.Refs) error {
	for i, a := range b.Addr {
		if (a+uint64(b.Size[i])-1)>>separateShift != 0 {
			return fmt.Errorf("address %#x is over 56 bits, so that address spaces cannot be kept apart", a)
		}
		b.Addr[i] = a + m.space
	}
	for i, pc := range b.PC {
		b.PC[i] = pc&(1<<separateShift-1) + m.space
	}
	return nil
}

func (m *merged) renumber(e *trace.Event) {
	switch {
	case e.Peer == trace.None:
	case namesProc(e.Kind):
		e.Peer += int32(m.proc)
	default:
		e.Peer += m.object
	}
	e.Group += m.group + 1
	if e.Addr != 0 {
		e.Addr += int64(m.space)
	}
}
