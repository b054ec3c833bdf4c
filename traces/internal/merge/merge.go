// Package merge joins traces of programs that run side by side into one, with numbers and, if asked for, addresses of their own.
package merge

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"spoor/traces/internal/walk"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// mergeInput is one of the traces, with the new numbers of its processors, groups and objects.
type mergeInput struct {
	*walk.Trace
	path    string
	proc    trace.Proc // new number of its processor 0
	group   int32      // new number of its world
	object  int32      // new number of its lock, barrier or flag 0
	space   *space     // of its addresses, or nil to keep them
	objects int32      // number of its locks, barriers and flags
	groups  int32      // number of its groups, including the world
}

// Run writes the traces at paths as one. If separate is set, each gets its own address space.
func Run(ctx context.Context, env *stage.Env, paths []string, output string, separate bool) error {
	var all []*mergeInput
	for _, path := range paths {
		t, err := store.Open(path)
		if err != nil {
			return err
		}
		defer t.Close()
		if err := walk.CheckOutput(t, output); err != nil {
			return err
		}
		m := &mergeInput{Trace: walk.Watch(ctx, env, t, "merging"), path: path}
		defer m.Done()
		if err := m.count(); err != nil {
			return err
		}
		all = append(all, m)
	}
	var moved []string
	if separate && len(all) > 1 {
		var err error
		if moved, err = separateAll(all); err != nil {
			return err
		}
	}
	h, err := headerOf(all, separate)
	if err != nil {
		return err
	}
	h.Notes = append(h.Notes, moved...)
	out, err := store.Create(output, h)
	if err != nil {
		return err
	}
	defer out.Abort()
	for _, m := range all {
		if err := m.copy(out); err != nil {
			return fmt.Errorf("merging %s: %w", m.path, err)
		}
		m.Done()
	}
	if err := out.Close(h); err != nil {
		return err
	}
	for _, n := range moved {
		env.Note("%s", n)
	}
	if !separate && len(all) > 1 && slices.ContainsFunc(all, (*mergeInput).refers) {
		env.Note("the traces are assumed to share one address space; --separate gives each its own")
	}
	return nil
}

// refers reports whether m has references.
func (m *mergeInput) refers() bool {
	for p := range m.Header().Procs {
		if m.Totals(trace.Proc(p)).Refs > 0 {
			return true
		}
	}
	return false
}

// count counts the groups and objects of m.
func (m *mergeInput) count() error {
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
			if !walk.NamesProc(e.Kind) {
				m.objects = max(m.objects, e.Peer+1)
			}
		}
	}
	return nil
}

// headerOf assigns the new numbers of all inputs, and returns the header of the result.
func headerOf(all []*mergeInput, separate bool) (trace.Header, error) {
	first := all[0].Header()
	h := trace.Header{WorkUnit: first.WorkUnit, HasPC: first.HasPC, HasTime: first.HasTime, Rule: first.Rule, Tool: walk.Tool}
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
			return h, fmt.Errorf("merging %s: too many processors, groups or objects", m.path)
		}
		programs, formats = append(programs, one.Title()), append(formats, one.Format)
		h.Inputs, h.Unrecorded = append(h.Inputs, m.SHA256()), h.Unrecorded.Max(one.Unrecorded)
		h.Notes = append(h.Notes, m.notes(i, one)...)
		h.Regions = append(h.Regions, m.regions(i, one.Regions)...)
	}
	h.Procs = int(procs)
	h.Program, h.Format = strings.Join(programs, " + "), strings.Join(slices.Compact(formats), ", ")
	if separate {
		h.Notes = append(h.Notes, "each trace has its own address space: the top byte of an address is the number of its trace")
	}
	return h, nil
}

// notes returns the notes of trace i, after one with the numbers of its processors.
func (m *mergeInput) notes(i int, h trace.Header) []string {
	all := []string{fmt.Sprintf("trace %d, processors %d to %d: %s", i, m.proc, int(m.proc)+h.Procs-1, h.Title())}
	for _, n := range h.Notes {
		all = append(all, fmt.Sprintf("trace %d: %s", i, n))
	}
	return all
}

// regions returns the regions of trace i, without homes: a home distributes an array over all
// processors of a machine.
func (m *mergeInput) regions(i int, all []trace.Region) (out []trace.Region) {
	for _, r := range all {
		r.Name, r.Base, r.Home = fmt.Sprintf("%d.%s", i, r.Name), m.space.move(r.Base), trace.Home{}
		if r.Owner != trace.Everyone {
			r.Owner += m.proc
		}
		out = append(out, r)
	}
	return out
}

// copy appends all of m to out.
func (m *mergeInput) copy(out *store.Writer) error {
	for b, err := range m.Refs() {
		if err != nil {
			return err
		}
		b.Proc += m.proc
		m.move(b)
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

// move moves the addresses of b into the address space of m.
func (m *mergeInput) move(b *trace.Refs) {
	if m.space == nil {
		return
	}
	for i, a := range b.Addr {
		b.Addr[i] = m.space.move(a)
	}
	for i, pc := range b.PC {
		b.PC[i] = m.space.move(pc)
	}
}

func (m *mergeInput) renumber(e *trace.Event) {
	switch {
	case e.Peer == trace.None:
	case walk.NamesProc(e.Kind):
		e.Peer += int32(m.proc)
	default:
		e.Peer += m.object
	}
	e.Group += m.group + 1
	if e.Addr != 0 {
		e.Addr = int64(m.space.move(uint64(e.Addr)))
	}
}
