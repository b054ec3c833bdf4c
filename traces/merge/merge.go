// Package merge joins traces of programs that run side by side into one, with numbers and, if asked for, addresses of
// their own.
package merge

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"spoor/traces/internal/walk"
	"spoor/traces/trace"
)

// Input is one of the traces.
type Input struct {
	trace.Source
	Addresses trace.Source // the same, read first to find which addresses it uses; nil: Source
	Name      string       // in errors
	SHA256    string
}

// input is one of the traces, with the new numbers of its processors, groups and objects.
type input struct {
	Input
	procs   trace.Proc
	proc    trace.Proc // new number of its processor 0
	group   int32      // new number of its world
	object  int32      // new number of its lock, barrier or flag 0
	queue   int32      // how much the numbers of its task queues grow
	space   *space     // of its addresses, or nil to keep them
	objects int32      // number of its locks, barriers and flags
	queues  int32      // number of its task queues
	groups  int32      // number of its groups, including the world
}

// Joined is several traces as one. Its processors are those of the inputs in order. The world of ranks of each input
// is a group. Each input has groups, locks, barriers and flags of its own.
type Joined struct {
	head  trace.Header
	all   []*input
	Moved []string // notes about addresses, if each input has an address space of its own
}

// Join joins traces. If separate is set, each gets an address space of its own. Errors name the input that cannot be
// joined.
func Join(inputs []Input, separate bool) (*Joined, error) {
	j := &Joined{}
	for _, in := range inputs {
		m := &input{Input: in, procs: trace.Proc(in.Header().Procs)}
		if err := m.count(); err != nil {
			return nil, err
		}
		j.all = append(j.all, m)
	}
	var err error
	if separate && len(j.all) > 1 {
		if j.Moved, err = separateAll(j.all); err != nil {
			return nil, err
		}
	}
	if j.head, err = headerOf(j.all, separate); err != nil {
		return nil, err
	}
	j.head.Notes = append(j.head.Notes, j.Moved...)
	return j, nil
}

// Header implements trace.Source.
func (j *Joined) Header() trace.Header { return j.head }

// Refs implements trace.Source.
func (j *Joined) Refs(procs ...trace.Proc) iter.Seq2[*trace.Refs, error] {
	return batches(j, procs, trace.Source.Refs, (*input).refs)
}

// Events implements trace.Source.
func (j *Joined) Events(procs ...trace.Proc) iter.Seq2[*trace.Events, error] {
	return batches(j, procs, trace.Source.Events, (*input).events)
}

// Address returns the new address of an address of an input.
func (j *Joined) Address(in int, a uint64) uint64 { return j.all[in].space.move(a) }

// Proc returns the new number of a processor of an input.
func (j *Joined) Proc(in int, p trace.Proc) trace.Proc { return j.all[in].proc + p }

// batches yields the batches of some processors, or of all, with their new numbers.
func batches[B any](j *Joined, procs []trace.Proc, of func(trace.Source, ...trace.Proc) iter.Seq2[*B, error], moved func(*input, *B) *B) iter.Seq2[*B, error] {
	return func(yield func(*B, error) bool) {
		for _, m := range j.all {
			own := m.own(procs)
			if len(procs) > 0 && len(own) == 0 {
				continue
			}
			for b, err := range of(m.Source, own...) {
				if err != nil {
					yield(nil, fmt.Errorf("%s: %w", m.Name, err))
					return
				}
				if !yield(moved(m, b), nil) {
					return
				}
			}
		}
	}
}

// own returns the processors of m among procs, by their old numbers.
func (m *input) own(procs []trace.Proc) (own []trace.Proc) {
	for _, p := range procs {
		if p >= m.proc && p < m.proc+m.procs {
			own = append(own, p-m.proc)
		}
	}
	return own
}

// count counts the groups and objects of m.
func (m *input) count() error {
	for b, err := range m.Events() {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			e := &b.Rows[i]
			if e.Group == math.MaxInt32 || e.Peer == math.MaxInt32 {
				return fmt.Errorf("merging %s: group %d or object %d is over the limit", m.Name, e.Group, e.Peer)
			}
			m.groups = max(m.groups, e.Group+2) // the world is -1
			switch {
			case walk.NamesProc(e.Kind):
			case e.Peer >= trace.TaskQueues:
				m.queues = max(m.queues, e.Peer-trace.TaskQueues+1)
			default:
				m.objects = max(m.objects, e.Peer+1)
			}
		}
	}
	return nil
}

// headerOf assigns the new numbers of all inputs, and returns the header of the result.
func headerOf(all []*input, separate bool) (trace.Header, error) {
	first := all[0].Header()
	h := trace.Header{WorkUnit: first.WorkUnit, HasPC: first.HasPC, HasTime: first.HasTime, Rule: first.Rule}
	var programs, formats []string
	var groups, objects, queues, procs int64
	for i, m := range all {
		one := m.Header()
		if one.WorkUnit != h.WorkUnit || one.HasPC != h.HasPC || one.HasTime != h.HasTime {
			return h, fmt.Errorf("merging %s: its work unit (%s) or optional columns (pc %t, time %t) differ from those of %s; import both alike",
				m.Name, one.WorkUnit, one.HasPC, one.HasTime, all[0].Name)
		}
		m.proc, m.group, m.object, m.queue = trace.Proc(procs), int32(groups), int32(objects), int32(queues)
		if len(all) == 1 {
			m.group = trace.None
		}
		procs, groups, objects = procs+int64(one.Procs), groups+int64(m.groups), objects+int64(m.objects)
		queues += int64(m.queues)
		if max(procs, groups, trace.TaskQueues+queues) > math.MaxInt32 || objects > trace.TaskQueues {
			return h, fmt.Errorf("merging %s: too many processors, groups or objects", m.Name)
		}
		programs, formats = append(programs, one.Title()), append(formats, one.Format)
		h.Inputs, h.Unrecorded = append(h.Inputs, m.SHA256), h.Unrecorded.Max(one.Unrecorded)
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
func (m *input) notes(i int, h trace.Header) []string {
	all := []string{fmt.Sprintf("trace %d, processors %d to %d: %s", i, m.proc, int(m.proc)+h.Procs-1, h.Title())}
	for _, n := range h.Notes {
		all = append(all, fmt.Sprintf("trace %d: %s", i, n))
	}
	return all
}

// regions returns the regions of trace i, without homes: a home distributes an array over all
// processors of a machine.
func (m *input) regions(i int, all []trace.Region) (out []trace.Region) {
	for _, r := range all {
		r.Name, r.Base, r.Home = fmt.Sprintf("%d.%s", i, r.Name), m.space.move(r.Base), trace.Home{}
		if r.Owner != trace.Everyone {
			r.Owner += m.proc
		}
		out = append(out, r)
	}
	return out
}

// refs returns a batch with its new numbers and addresses. The batch of the source does not change.
func (m *input) refs(b *trace.Refs) *trace.Refs {
	moved := *b
	moved.Proc += m.proc
	if m.space != nil {
		moved.Addr, moved.PC = m.space.moveAll(b.Addr), m.space.moveAll(b.PC)
	}
	return &moved
}

// events returns a batch with its new numbers and addresses. The batch of the source does not change.
func (m *input) events(b *trace.Events) *trace.Events {
	moved := trace.Events{Proc: b.Proc + m.proc, Rows: slices.Clone(b.Rows)}
	for i := range moved.Rows {
		m.renumber(&moved.Rows[i])
	}
	return &moved
}

func (m *input) renumber(e *trace.Event) {
	switch {
	case e.Peer == trace.None:
	case walk.NamesProc(e.Kind):
		e.Peer += int32(m.proc)
	case e.Peer >= trace.TaskQueues:
		e.Peer += m.queue
	default:
		e.Peer += m.object
	}
	e.Group += m.group + 1
	if e.Addr != 0 {
		e.Addr = int64(m.space.move(uint64(e.Addr)))
	}
}
