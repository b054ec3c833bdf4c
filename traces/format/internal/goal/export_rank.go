package goal

import (
	"errors"
	"fmt"
	"math"

	"spoor/traces/trace"
)

// goalExport turns the events of each rank into operations and their requirements.
type goalExport struct {
	src               trace.Source
	head              trace.Header
	survey            *goalSurvey
	out               goalWriter
	unit              int64   // of calc, in ps
	perInstr, perFlop float64 // in ps; perFlop is negative if unknown

	// State of the current rank:
	proc    trace.Proc
	nodes   int64           // number of operations so far
	chain   []int64         // requirements of the next operation: see goalRef
	pending int64           // ps of computation that has not become an operation yet
	fresh   bool            // some of it was added after the latest calc
	open    map[int32]int64 // operation of each open request
	row     int64           // of the current event
	refs    []int64         // for each row, what its dependents require; only in graphs
	marker  *trace.Event    // the previous row, if it may be the start of this one
	err     error

	instrs, rounded, lost uint64
}

// goalRef returns twice the number of an operation, plus one for its start.
func goalRef(node int64, start bool) int64 {
	if start {
		return 2*node + 1
	}
	return 2 * node
}

// goalStep is an operation of a rank.
type goalStep struct {
	kind      trace.Kind // Send, Recv or Compute
	size      int64      // in bytes, or in units of calc
	peer, tag int32
	needs     []int64
}

// goalWriter writes operations in one of the two forms.
type goalWriter interface {
	begin(rank trace.Proc) error
	step(s *goalStep) error
	end() error
}

// numbering is a goalWriter that writes nothing.
type numbering struct{}

func (numbering) begin(trace.Proc) error { return nil }
func (numbering) step(*goalStep) error   { return nil }
func (numbering) end() error             { return nil }

// ranks writes all ranks to out.
func (x *goalExport) ranks(out goalWriter) error {
	x.instrs, x.rounded, x.lost = 0, 0, 0
	for p := range x.head.Procs {
		x.proc = trace.Proc(p)
		if x.survey.graph[p] { // a row may need a later one, so number them first
			x.out, x.refs = numbering{}, x.refs[:0]
			kept := [3]uint64{x.instrs, x.rounded, x.lost}
			if err := x.rank(); err != nil {
				return err
			}
			x.instrs, x.rounded, x.lost = kept[0], kept[1], kept[2]
		}
		x.out = out
		if err := x.rank(); err != nil {
			return err
		}
	}
	return nil
}

// rank writes one rank.
func (x *goalExport) rank() error {
	x.nodes, x.chain, x.pending, x.row, x.marker = 0, x.chain[:0], 0, 0, nil
	x.open = map[int32]int64{}
	if err := x.out.begin(x.proc); err != nil {
		return err
	}
	graph := x.survey.graph[x.proc]
	for b, err := range x.src.Events(x.proc) {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			if graph {
				x.graphRow(&b.Rows[i])
			} else {
				x.event(&b.Rows[i])
			}
			if x.err != nil {
				return fmt.Errorf("processor %d, event %d (%s): %w", x.proc, x.row, b.Rows[i].Kind, x.err)
			}
			x.row++
		}
	}
	if x.marker != nil {
		x.node(x.row-1, x.marker)
	}
	if !graph {
		x.computedTo(x.unit / 2)
	}
	if x.err != nil {
		return x.err
	}
	return x.out.end()
}

// emit writes an operation that requires the chain, and makes it the new chain.
func (x *goalExport) emit(s goalStep) (node int64) {
	s.needs = x.chain
	if err := x.out.step(&s); err != nil && x.err == nil {
		x.err = err
	}
	node = x.nodes
	x.nodes++
	x.chain = append(x.chain[:0], goalRef(node, false))
	return node
}

// computed writes the pending computation, if it is at least one unit. It keeps the
// remainder, so that the sum of a rank is exact.
func (x *goalExport) computed() { x.computedTo(0) }

// computedTo is computed, but rounds up if at most more ps are missing to a unit.
func (x *goalExport) computedTo(more int64) {
	units, rest := x.pending/x.unit, x.pending%x.unit
	if x.fresh && rest != 0 {
		x.rounded++
	}
	x.fresh = false
	if rest+more >= x.unit {
		units, rest = units+1, 0
	}
	if units > 0 {
		x.pending = rest
		x.emit(goalStep{kind: trace.Compute, size: units})
	}
}

// compute adds n items of each picoseconds.
func (x *goalExport) compute(n uint64, each float64) {
	if picos := math.Round(float64(n) * each); picos < 1<<63 {
		x.picos(int64(picos))
	} else {
		x.err = errLongCalc
	}
}

// errLongCalc reports a computation longer than the largest time of a trace.
var errLongCalc = errors.New("a computation takes over 106 days, more than a schedule can have")

func (x *goalExport) picos(n int64) {
	if n > math.MaxInt64-x.pending {
		x.err = errLongCalc
		return
	}
	x.pending += n
	x.fresh = true
}

// event writes an event after the chain.
func (x *goalExport) event(e *trace.Event) {
	if e.Instr > 0 {
		x.instrs += uint64(e.Instr)
		x.compute(uint64(e.Instr), x.perInstr)
	}
	switch e.Kind {
	case trace.Compute:
		x.work(e.Work)
	case trace.Send, trace.Recv, trace.Isend, trace.Irecv:
		x.message(e)
	case trace.Wait:
		x.wait(e)
	case trace.Test:
		if e.Count > 0 {
			x.wait(e)
		}
	case trace.Barrier, trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan, trace.Gather, trace.AllGather,
		trace.Scatter, trace.AllToAll:
		x.collective(e)
	}
}

// work adds an amount in the unit of the trace.
func (x *goalExport) work(n int64) {
	switch x.head.WorkUnit {
	case trace.WorkPicos:
		x.picos(n)
	case trace.WorkFlop:
		x.compute(uint64(n), x.perFlop)
	default:
		x.instrs += uint64(n)
		x.compute(uint64(n), x.perInstr)
	}
}

// message writes a send or a receive.
func (x *goalExport) message(e *trace.Event) {
	x.computed()
	s := goalStep{kind: trace.Send, size: e.Bytes, peer: e.Peer, tag: e.Tag}
	if e.Kind == trace.Recv || e.Kind == trace.Irecv {
		s.kind = trace.Recv
	}
	if s.tag != trace.None {
		s.tag += x.survey.base[goalChannel{e.Group, false}]
	}
	node := x.emit(s)
	if e.Kind == trace.Isend || e.Kind == trace.Irecv {
		x.detach(e.Request, node, node)
	}
}

// detach lets the next operation begin when first has started; request ends with last.
func (x *goalExport) detach(request int32, first, last int64) {
	x.chain = append(x.chain[:0], goalRef(first, true))
	if request != trace.None {
		x.open[request] = last
	}
}

// wait lets the next operation require the end of a request.
func (x *goalExport) wait(e *trace.Event) {
	node, ok := x.open[e.Request]
	if !ok {
		x.lost++
		return
	}
	delete(x.open, e.Request)
	x.computed()
	for i, ref := range x.chain {
		if ref == goalRef(node, true) {
			x.chain[i] = goalRef(node, false)
			return
		}
	}
	x.chain = append(x.chain, goalRef(node, false))
}

// graphRow writes an event that has its own needs. A marker that is the only need of
// the next row represents the start of that row.
func (x *goalExport) graphRow(e *trace.Event) {
	marker := x.marker
	x.marker = nil
	switch {
	case marker != nil && len(e.Needs) == 1 && e.Needs[0] == x.row-1 && marker.Instr == 0:
		x.setRef(x.row-1, goalRef(x.nodes, true))
		start := *e
		start.Needs = marker.Needs
		if start.Needs == nil {
			start.Needs = x.previous(x.row - 1)
		}
		x.node(x.row, &start)
		return
	case marker != nil:
		x.node(x.row-1, marker)
	}
	if e.Kind == trace.Marker {
		kept := *e
		if e.Needs != nil {
			kept.Needs = append([]int64{}, e.Needs...)
		}
		x.marker = &kept
		return
	}
	x.node(x.row, e)
}

// previous returns the needs of a row that has none of its own.
func (x *goalExport) previous(row int64) []int64 {
	if row == 0 {
		return noNeeds
	}
	return []int64{row - 1}
}

// node writes the event in row as operations; the last one stands for the row.
func (x *goalExport) node(row int64, e *trace.Event) {
	needs := e.Needs
	if needs == nil {
		needs = x.previous(row)
	}
	x.chain = x.chain[:0]
	for _, n := range needs {
		ref := int64(0) // while numbering, for a row that comes later
		if n >= 0 && n < int64(len(x.refs)) {
			ref = x.refs[n]
		} else if _, ok := x.out.(numbering); !ok {
			x.err = fmt.Errorf("needs event %d, which does not exist", n)
			return
		}
		x.chain = append(x.chain, ref)
	}
	before := x.nodes
	x.event(e)
	x.computed()
	if x.nodes == before || len(x.chain) != 1 {
		x.emit(goalStep{kind: trace.Compute})
	}
	x.setRef(row, x.chain[0])
}

// setRef records what the dependents of row require.
func (x *goalExport) setRef(row, ref int64) {
	if row == int64(len(x.refs)) {
		x.refs = append(x.refs, ref)
	}
}
