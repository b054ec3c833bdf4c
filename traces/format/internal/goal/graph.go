package goal

import (
	"fmt"
	"slices"
	"strings"

	"spoor/traces/format/internal/emit"
	"spoor/traces/trace"
)

// goalGraph holds the operations of one rank and their dependencies.
type goalGraph struct {
	ops       []goalOp
	requires  []goalEdge // the end of another operation
	irequires []goalEdge // the start of another operation

	// Derived from the above when the rank is complete:
	ends    []int   // end of the needs of each operation in needs
	needs   []int64 // twice the operation, plus one for its start; later rows
	row     []int64 // row of each operation
	starts  []bool  // operations whose start is needed
	singles []int64 // needs of the markers
}

// goalOp is an operation. Only edges order operations.
type goalOp struct {
	at        int64 // line or offset
	size      int64 // in bytes, or in picoseconds of work
	peer, tag int32
	label     int32 // number in goalLabels, or -1
	kind      trace.Kind
}

// goalEdge says that op waits for needs.
type goalEdge struct {
	op, needs int32
	at        int64 // line or offset
}

// noNeeds are the needs of an operation that does not even wait for the previous row.
var noNeeds = []int64{}

// reset empties g but keeps its memory.
func (g *goalGraph) reset() {
	g.ops, g.requires, g.irequires = g.ops[:0], g.requires[:0], g.irequires[:0]
}

// collect gathers the needs of each operation, in the order of the input. forward
// reports whether an operation needs itself or a later one.
func (g *goalGraph) collect() (forward bool) {
	g.ends = resized(g.ends, len(g.ops)+1)
	clear(g.ends)
	for _, edges := range [2][]goalEdge{g.requires, g.irequires} {
		for i := range edges {
			e := &edges[i]
			g.ends[e.op+1]++
			forward = forward || e.needs >= e.op
		}
	}
	for i := range g.ops {
		g.ends[i+1] += g.ends[i] // now the start of the needs of i+1
	}
	g.needs = resized(g.needs, g.ends[len(g.ops)])
	for start, edges := range [2][]goalEdge{g.requires, g.irequires} {
		for i := range edges {
			e := &edges[i]
			g.needs[g.ends[e.op]] = 2*int64(e.needs) + int64(start)
			g.ends[e.op]++
		}
	}
	return forward
}

// of returns the range of the needs of operation i in needs.
func (g *goalGraph) of(i int) (from, to int) {
	if i > 0 {
		from = g.ends[i-1]
	}
	return from, g.ends[i]
}

// cycle returns operations that each need the next one, and the last the first; or
// nothing. It is a depth-first search with an explicit stack, because ranks may be
// long.
func (g *goalGraph) cycle() []int {
	const fresh, onPath, done = 0, 1, 2
	state := make([]uint8, len(g.ops))
	var path, at []int
	for root := range g.ops {
		if state[root] != fresh {
			continue
		}
		from, _ := g.of(root)
		path, at = append(path, root), append(at, from)
		state[root] = onPath
		for len(path) > 0 {
			top := len(path) - 1
			if _, to := g.of(path[top]); at[top] == to {
				state[path[top]] = done
				path, at = path[:top], at[:top]
				continue
			}
			next := int(g.needs[at[top]] >> 1)
			at[top]++
			switch state[next] {
			case onPath:
				return path[slices.Index(path, next):]
			case fresh:
				from, _ := g.of(next)
				path, at = append(path, next), append(at, from)
				state[next] = onPath
			}
		}
	}
	return nil
}

// shownInCycle is the number of operations of a cycle that an error names.
const shownInCycle = 5

// circular describes a cycle and its place in the input. name returns the input's name
// of an operation.
func (g *goalGraph) circular(ring []int, name func(op int) string) (at int64, msg string) {
	last, first := int32(ring[len(ring)-1]), int32(ring[0])
	for _, edges := range [2][]goalEdge{g.requires, g.irequires} {
		for _, e := range edges {
			if e.op == last && e.needs == first {
				at = e.at
			}
		}
	}
	if len(ring) == 1 {
		return at, name(ring[0]) + " requires itself"
	}
	var names []string
	for i, op := range ring {
		if i == shownInCycle {
			names = append(names, fmt.Sprintf("%d more", len(ring)-i))
			break
		}
		names = append(names, name(op))
	}
	return at, fmt.Sprintf("%s requires %s: they wait for each other", strings.Join(names, " requires "), name(ring[0]))
}

// place gives every operation its row. An operation whose start is needed has a marker
// in the row before it.
func (g *goalGraph) place() {
	g.starts = resized(g.starts, len(g.ops))
	clear(g.starts)
	for i := range g.irequires {
		g.starts[g.irequires[i].needs] = true
	}
	g.row = resized(g.row, len(g.ops))
	g.singles = g.singles[:0]
	rows := int64(0)
	for i, start := range g.starts {
		if start {
			g.singles = append(g.singles, rows)
			rows++
		}
		g.row[i] = rows
		rows++
	}
	for i, n := range g.needs {
		g.needs[i] = g.row[n>>1] - n&1
	}
}

// emit writes all operations to s in order and empties g. The edges must lead to
// operations and have no cycle.
func (g *goalGraph) emit(s *emit.RankWriter) error {
	g.place()
	singles := g.singles
	for i := range g.ops {
		op := &g.ops[i]
		at := trace.Pos{At: op.at}
		needs := noNeeds
		if from, to := g.of(i); from < to {
			needs = g.needs[from:to:to]
		}
		if g.starts[i] {
			e := trace.NewEvent(trace.Marker)
			e.Needs = needs
			if _, err := s.Emit(&e, at); err != nil {
				return err
			}
			needs, singles = singles[:1:1], singles[1:]
		}
		e, err := s.Next(op.kind)
		if err != nil {
			return err
		}
		e.Peer, e.Tag, e.Needs = op.peer, op.tag, needs
		if op.kind == trace.Compute {
			e.Work = op.size
		} else {
			e.Bytes = op.size
		}
		if err := s.Done(at); err != nil {
			return err
		}
	}
	g.reset()
	return s.End()
}

// resized returns s with n elements of any value.
func resized[T any](s []T, n int) []T {
	return slices.Grow(s[:0], n)[:n]
}
