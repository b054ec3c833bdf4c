// Package export has what exporters share: the references of all processors in order,
// lines sorted in limited memory, and notes on what a format cannot express.
package export

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// Losses counts the parts of a trace that an exporter cannot express.
type Losses struct {
	ops    map[trace.Op]uint64
	events uint64
	kinds  []trace.Kind
	Gaps   bool // instruction counts exist that are not instruction fetches
}

func (l *Losses) Drop(op trace.Op) {
	if l.ops == nil {
		l.ops = map[trace.Op]uint64{}
	}
	l.ops[op]++
}

// CountEvents counts the events of procs, because no reference format has them. A
// Compute event without work only carries an instruction count and is not counted.
func (l *Losses) CountEvents(src trace.Source, procs []trace.Proc) error {
	for b, err := range src.Events(procs...) {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			if e := &b.Rows[i]; e.Kind != trace.Compute || e.Work > 0 {
				l.events++
				if !slices.Contains(l.kinds, e.Kind) {
					l.kinds = append(l.kinds, e.Kind)
				}
			}
		}
	}
	return nil
}

func (l *Losses) Notes(format string) (all []string) {
	for _, op := range trace.Ops {
		if n := l.ops[op]; n > 0 {
			all = append(all, fmt.Sprintf("%s has no %s: %d omitted", format, op, n))
		}
	}
	if l.events > 0 {
		slices.Sort(l.kinds)
		var kinds []string
		for _, k := range l.kinds {
			kinds = append(kinds, k.String())
		}
		all = append(all, fmt.Sprintf("%s has no events: %d omitted (%s)", format, l.events, strings.Join(kinds, ", ")))
	}
	if l.Gaps {
		all = append(all, format+" has no instruction counts: instructions that are not fetched are omitted")
	}
	return all
}

// OneProc returns the processor that a format without threads writes.
func OneProc(src trace.Source, o format.ExportOptions, format string) (trace.Proc, error) {
	procs := o.Chosen(src.Header().Procs)
	if len(procs) != 1 {
		return 0, fmt.Errorf("%s has no column for the processor and the trace has %d; choose one with --proc, or export csv", format, len(procs))
	}
	return procs[0], nil
}

// lineOf appends the line of one reference, or nothing if the format does not have op.
type lineOf func(line []byte, addr uint64, size uint16, op trace.Op) []byte

// ExportText writes the references of one processor, one line each.
func ExportText(src trace.Source, o format.ExportOptions, w io.Writer, line lineOf, format string) ([]string, error) {
	proc, err := OneProc(src, o, format)
	if err != nil {
		return nil, err
	}
	var lost Losses
	out := bufio.NewWriterSize(w, 1<<16)
	var buf []byte
	for b, err := range src.Refs(proc) {
		if err != nil {
			return nil, err
		}
		for i, addr := range b.Addr {
			buf = line(buf[:0], addr, b.Size[i], b.Op[i])
			if len(buf) == 0 {
				lost.Drop(b.Op[i])
			}
			lost.Gaps = lost.Gaps || b.Instr[i] > 1 || (b.Instr[i] == 1) != (b.Op[i] == trace.Ifetch)
			if _, err := out.Write(buf); err != nil {
				return nil, err
			}
		}
	}
	if err := lost.CountEvents(src, []trace.Proc{proc}); err != nil {
		return nil, err
	}
	return lost.Notes(format), out.Flush()
}

// Cursor iterates over the references of one processor with their positions.
type Cursor struct {
	Proc   trace.Proc
	pull   func() (*trace.Refs, error, bool)
	events func() (*trace.Events, error, bool)
	Stop   func()
	header trace.Header

	Refs   *trace.Refs
	At     int
	Row    uint64 // references before refs[at]
	Pos    uint64 // instructions up to and including refs[at]
	event  uint64 // instructions up to the latest event
	rows   []trace.Event
	nextEv int
}

// NewCursor starts at the first reference of proc; refs is nil if there is none.
func NewCursor(src trace.Source, proc trace.Proc) (*Cursor, error) {
	pull, stopRefs := iter.Pull2(src.Refs(proc))
	events, stopEvents := iter.Pull2(src.Events(proc))
	c := &Cursor{Proc: proc, pull: pull, events: events, header: src.Header(), At: -1,
		Stop: func() { stopRefs(); stopEvents() }}
	c.Row--
	return c, c.Advance()
}

// Advance moves to the next reference. Its position includes the instructions of
// Compute events before it.
func (c *Cursor) Advance() error {
	c.At++
	c.Row++
	for c.Refs == nil || c.At == c.Refs.Len() {
		b, err, ok := c.pull()
		if err != nil || !ok {
			c.Refs = nil
			return err
		}
		c.Refs, c.At = b, 0
	}
	c.Pos += uint64(c.Refs.Instr[c.At])
	return c.carried()
}

func (c *Cursor) carried() error {
	for {
		for c.nextEv == len(c.rows) {
			b, err, ok := c.events()
			if err != nil || !ok {
				return err
			}
			c.rows, c.nextEv = b.Rows, 0
		}
		e := &c.rows[c.nextEv]
		if e.Refs > c.Row {
			return nil
		}
		c.event += uint64(e.Instr)
		if e.Kind == trace.Compute && c.header.WorkUnit == trace.WorkInstr {
			c.Pos += uint64(e.Work)
			c.event += uint64(e.Work)
		}
		c.Pos = max(c.Pos, c.event) // if Instr of a reference is at its maximum, the events give more
		c.nextEv++
	}
}
