package format

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"spoor/traces/trace"
)

// losses counts the parts of a trace that an exporter cannot express.
type losses struct {
	ops    map[trace.Op]uint64
	events uint64
	kinds  []trace.Kind
	gaps   bool // instruction counts exist that are not instruction fetches
}

func (l *losses) drop(op trace.Op) {
	if l.ops == nil {
		l.ops = map[trace.Op]uint64{}
	}
	l.ops[op]++
}

// countEvents counts the events of procs, because no reference format has them. A
// Compute event without work only carries an instruction count and is not counted.
func (l *losses) countEvents(src trace.Source, procs []trace.Proc) error {
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

func (l *losses) notes(format string) (all []string) {
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
	if l.gaps {
		all = append(all, format+" has no instruction counts: instructions that are not fetched are omitted")
	}
	return all
}

// chosen lists the processors to write.
func (o ExportOptions) chosen(src trace.Source) []trace.Proc {
	procs := o.Procs
	if len(procs) == 0 {
		for p := range src.Header().Procs {
			procs = append(procs, trace.Proc(p))
		}
	}
	return procs
}

// oneProc returns the processor that a format without threads writes.
func oneProc(src trace.Source, o ExportOptions, format string) (trace.Proc, error) {
	procs := o.chosen(src)
	if len(procs) != 1 {
		return 0, fmt.Errorf("%s has no column for the processor and the trace has %d; choose one with --proc, or export csv", format, len(procs))
	}
	return procs[0], nil
}

// lineOf appends the line of one reference, or nothing if the format does not have op.
type lineOf func(line []byte, addr uint64, size uint16, op trace.Op) []byte

// exportText writes the references of one processor, one line each.
func exportText(src trace.Source, o ExportOptions, w io.Writer, line lineOf, format string) ([]string, error) {
	proc, err := oneProc(src, o, format)
	if err != nil {
		return nil, err
	}
	var lost losses
	out := bufio.NewWriterSize(w, 1<<16)
	var buf []byte
	for b, err := range src.Refs(proc) {
		if err != nil {
			return nil, err
		}
		for i, addr := range b.Addr {
			buf = line(buf[:0], addr, b.Size[i], b.Op[i])
			if len(buf) == 0 {
				lost.drop(b.Op[i])
			}
			lost.gaps = lost.gaps || b.Instr[i] > 1 || (b.Instr[i] == 1) != (b.Op[i] == trace.Ifetch)
			if _, err := out.Write(buf); err != nil {
				return nil, err
			}
		}
	}
	if err := lost.countEvents(src, []trace.Proc{proc}); err != nil {
		return nil, err
	}
	return lost.notes(format), out.Flush()
}

// cursor iterates over the references of one processor with their positions.
type cursor struct {
	proc   trace.Proc
	pull   func() (*trace.Refs, error, bool)
	events func() (*trace.Events, error, bool)
	stop   func()
	header trace.Header

	refs   *trace.Refs
	at     int
	row    uint64 // references before refs[at]
	pos    uint64 // instructions up to and including refs[at]
	event  uint64 // instructions up to the latest event
	rows   []trace.Event
	nextEv int
}

// newCursor starts at the first reference of proc; refs is nil if there is none.
func newCursor(src trace.Source, proc trace.Proc) (*cursor, error) {
	pull, stopRefs := iter.Pull2(src.Refs(proc))
	events, stopEvents := iter.Pull2(src.Events(proc))
	c := &cursor{proc: proc, pull: pull, events: events, header: src.Header(), at: -1,
		stop: func() { stopRefs(); stopEvents() }}
	c.row--
	return c, c.advance()
}

// advance moves to the next reference. Its position includes the instructions of
// Compute events before it.
func (c *cursor) advance() error {
	c.at++
	c.row++
	for c.refs == nil || c.at == c.refs.Len() {
		b, err, ok := c.pull()
		if err != nil || !ok {
			c.refs = nil
			return err
		}
		c.refs, c.at = b, 0
	}
	c.pos += uint64(c.refs.Instr[c.at])
	return c.carried()
}

func (c *cursor) carried() error {
	for {
		for c.nextEv == len(c.rows) {
			b, err, ok := c.events()
			if err != nil || !ok {
				return err
			}
			c.rows, c.nextEv = b.Rows, 0
		}
		e := &c.rows[c.nextEv]
		if e.Refs > c.row {
			return nil
		}
		c.event += uint64(e.Instr)
		if e.Kind == trace.Compute && c.header.WorkUnit == trace.WorkInstr {
			c.pos += uint64(e.Work)
			c.event += uint64(e.Work)
		}
		c.pos = max(c.pos, c.event) // if Instr of a reference is at its maximum, the events give more
		c.nextEv++
	}
}
