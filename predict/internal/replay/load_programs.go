package replay

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"spoor/predict/internal/engine/program"
	"spoor/traces/trace"
)

// Programs with few events are read at once, in the order of the file: a reader for each of many processors would take longer, and more
// memory, than all of their operations.
const (
	fewEvents  = 1 << 12 // of a processor on average
	mostLoaded = 1 << 26 // of all processors; an operation takes 24 bytes
	fewest     = 1 << 9  // of a processor on average: a reader takes more memory, however many processors there are
)

// loads reports whether the events of all processors are read at once.
func loads(procs int, events uint64) bool {
	n := uint64(procs)
	return events <= max(n*fewest, min(mostLoaded, n*fewEvents))
}

// LeastMemory returns the bytes that a replay of the messages needs at least.
func (s *EventStats) LeastMemory() uint64 {
	if s.stages != nil {
		return s.stages.Memory()
	}
	return leastMemory(len(s.graphs), s.rows)
}

// leastMemory is LeastMemory of processors with some events in all.
func leastMemory(procs int, events uint64) uint64 {
	const state, reader, operation = 2100, 17 << 10, 26
	if loads(procs, events) {
		return uint64(procs)*state + events*operation
	}
	return uint64(procs) * (state + reader)
}

// collectOften makes the garbage collector run so often that the memory of all of many events is little more than that in use. The function
// that it returns undoes this.
func collectOften(events uint64) (undo func()) {
	percent := 0
	switch {
	case events > 1<<25:
		percent = 15
	case events > 1<<23:
		percent = 50
	default:
		return func() {}
	}
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}

// programs returns the programs of all processors, and what ends their readers.
func (m *messageRun) programs() (all []program.Program, stop func(), err error) {
	graphs := slices.Contains(m.stats.graphs, true)
	m.tagCalls = m.tagCalls || graphs
	if graphs || loads(m.head.Procs, m.stats.rows) {
		all, err = m.load()
		return all, func() {}, err
	}
	var readers []*eventReader
	for p := range trace.Proc(m.head.Procs) {
		in := m.newEventReader(p)
		readers = append(readers, in)
		all = append(all, program.Program{Next: in.next})
	}
	return all, func() {
		for _, in := range readers {
			in.stop()
		}
	}, nil
}

// loadedProgram has all operations of a processor.
type loadedProgram struct{ ops program.Ops }

// next returns all operations, and then none.
func (l *loadedProgram) next() (ops program.Ops, err error) {
	ops, l.ops = l.ops, program.Ops{}
	return ops, nil
}

// loader reads the programs of processors one after the other.
type loader struct {
	*messageRun
	all   []program.Program
	in    eventConverter
	ops   program.Ops   // of the present processor
	needs program.Graph // if it is a graph
}

// load reads all programs.
func (m *messageRun) load() ([]program.Program, error) {
	l := loader{messageRun: m, needs: program.Graph{Starts: []int64{0}}}
	for b, err := range m.src.Events() {
		if err != nil {
			return nil, err
		}
		for len(l.all) < int(b.Proc) {
			l.end()
		}
		if l.in.messageRun == nil {
			l.in = m.newEventConverter(b.Proc)
		}
		if err := l.add(b.Rows); err != nil {
			return nil, fmt.Errorf("rank %d: %w", b.Proc, err)
		}
	}
	for len(l.all) < m.head.Procs {
		l.end()
	}
	return l.all, nil
}

// add adds events of the present processor.
func (l *loader) add(rows []trace.Event) error {
	if !l.stats.graphs[l.in.proc] {
		return l.in.convert(rows, &l.ops)
	}
	row := l.in.row
	if row+int64(len(rows)) > math.MaxInt32 {
		return fmt.Errorf("a graph of %d events is too large", row+int64(len(rows)))
	}
	for i := range rows {
		if err := appendNeeds(&l.needs, rows[i].Needs, row+int64(i)); err != nil {
			return err
		}
	}
	return l.in.convert(rows, &l.ops)
}

// appendNeeds appends the events that an event needs.
func appendNeeds(g *program.Graph, needs []int64, row int64) error {
	if needs == nil && row > 0 {
		g.Rows = append(g.Rows, int32(row-1))
	}
	for _, need := range needs {
		if need < 0 || need > math.MaxInt32 {
			return fmt.Errorf("event %d depends on the invalid event %d", row, need)
		}
		g.Rows = append(g.Rows, int32(need))
	}
	g.Starts = append(g.Starts, int64(len(g.Rows)))
	return nil
}

// program returns the program of the present processor.
func (l *loader) program() program.Program {
	isGraph := l.stats.graphs[len(l.all)]
	one := &loadedProgram{program.Ops{All: slices.Clone(l.ops.All), Wide: slices.Clone(l.ops.Wide)}}
	p := program.Program{Next: one.next}
	if isGraph {
		p.Graph = &program.Graph{Starts: slices.Clone(l.needs.Starts), Rows: slices.Clone(l.needs.Rows)}
	}
	return p
}

// end ends the present processor.
func (l *loader) end() {
	l.all = append(l.all, l.program())
	l.ops.Reset()
	l.needs.Starts, l.needs.Rows, l.in = l.needs.Starts[:1], l.needs.Rows[:0], eventConverter{}
}
