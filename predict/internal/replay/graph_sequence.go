package replay

import (
	"slices"

	"spoor/predict/internal/engine/program"
)

// A schedule of LogGOPSim has graphs in place of nonblocking operations and waits: all operations up to a wait need all those up to the
// wait before. The engine simulates a sequence several times as fast. With LogGOPSim's semantics both end at the same times (see package
// engine: TestLogGOPSimIsExact), unless messages wait for their receivers: with rendezvous, only the graph is right.

// sequenceOf returns a graph of such a form as a sequence, or false if it has another form.
func sequenceOf(ops *program.Ops, g *program.Graph) (out program.Ops, ok bool) {
	for from, before := 0, 0; from < ops.Len(); {
		to := stageEnd(g, from, before)
		if to < 0 || !appendStage(&out, ops, from, to) {
			return program.Ops{}, false
		}
		from, before = to, from
	}
	return out, true
}

// stageEnd returns the end of the operations from one on that need all operations from before to from, and no others. It is -1 if the
// first one does not.
func stageEnd(g *program.Graph, from, before int) int {
	i := from
	for ; i < len(g.Starts)-1; i++ {
		needs := g.Rows[g.Starts[i]:g.Starts[i+1]]
		if len(needs) != from-before {
			break
		}
		if !needsAll(needs, before) {
			break
		}
	}
	if i == from {
		return -1
	}
	return i
}

// needsAll reports whether needs are the operations from one on, in any order.
func needsAll(needs []int32, from int) bool {
	if slices.IsSorted(needs) {
		for k, n := range needs {
			if int(n) != from+k {
				return false
			}
		}
		return true
	}
	sorted := slices.Clone(needs)
	slices.Sort(sorted)
	return needsAll(sorted, from)
}

// appendStage appends operations that begin together, and a wait for each that is a message. Computation must be alone.
func appendStage(out *program.Ops, ops *program.Ops, from, to int) bool {
	for i := from; i < to; i++ {
		op := ops.At(i)
		switch {
		case op.Kind == program.Compute && to == from+1:
			out.Add(&op)
			return true
		case op.Kind == program.Recv || op.Kind == program.Irecv:
			op.Kind = program.Irecv
		case op.Kind == program.Send || op.Kind == program.Isend:
			op.Kind = program.Isend
		default:
			return false
		}
		if op.Work > 0 || op.Extra > 0 {
			return false
		}
		op.Request = int32(i - from)
		out.Add(&op)
	}
	for i := range to - from {
		out.Add(&program.Op{Kind: program.Wait, Peer: program.None, Tag: program.None, Group: program.None, Request: int32(i)})
	}
	return true
}
