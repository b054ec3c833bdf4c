package engine

import (
	"fmt"
	"slices"

	"spoor/traces/unit"
)

// graph is the operations of a rank each of which needs others.
type graph struct {
	ops   []Op
	needs []int32 // that have not ended
	from  []unit.Picos
	since []unit.Picos // LogGOPSim's: when the last of what each needs began
	after []int32      // who needs operation i: from start[i] to start[i+1]
	start []int64
	left  int // operations that have not ended
	last  unit.Picos
}

// load reads all operations of a graph, and begins those that need nothing.
func (r *rank) load() error {
	g := &graph{}
	for {
		ops, err := r.program.Next()
		if err != nil {
			return err
		}
		if ops.Len() == 0 {
			break
		}
		for i := range ops.Len() {
			g.ops = append(g.ops, ops.At(i))
		}
	}
	if err := g.link(r.program.Graph); err != nil {
		return err
	}
	r.graph, r.more = g, &strands{schedules: r.e.LogGOPSim}
	r.main.phase = ended
	for i := range g.ops {
		if g.needs[i] == 0 {
			g.since[i] = atFirst
			r.spawn(i)
		}
	}
	return nil
}

// link finds who needs whom.
func (g *graph) link(of *Graph) error {
	n := len(g.ops)
	if len(of.Starts) != n+1 {
		return fmt.Errorf("there are %d operations, and needs of %d", n, len(of.Starts)-1)
	}
	g.needs, g.from, g.since, g.left = make([]int32, n), make([]unit.Picos, n), make([]unit.Picos, n), n
	g.start, g.after = make([]int64, n+1), make([]int32, len(of.Rows))
	for i := range n {
		g.needs[i] = int32(of.Starts[i+1] - of.Starts[i])
		for _, need := range of.Rows[of.Starts[i]:of.Starts[i+1]] {
			if need < 0 || int(need) >= n {
				return fmt.Errorf("operation %d needs operation %d, but there are %d", i, need, n)
			}
			g.start[need+1]++
		}
	}
	for i := range n {
		g.start[i+1] += g.start[i]
	}
	at := slices.Clone(g.start)
	for i := range n {
		for _, need := range of.Rows[of.Starts[i]:of.Starts[i+1]] {
			g.after[at[need]] = int32(i)
			at[need]++
		}
	}
	return nil
}

// spawn begins an operation of the graph.
func (r *rank) spawn(i int) {
	g := r.graph
	s := r.more.add(int64(i), &g.ops[i], g.from[i])
	if s.agenda != nil {
		*s.agenda = agenda{g.since[i], max(0, g.since[i]), g.from[i]}
	}
	r.ready(s)
	r.more.put(r, s)
}

// done begins the operations that needed nothing but the one of a strand, that has ended.
func (r *rank) done(s *strand, t unit.Picos) {
	g := r.graph
	began := unit.Picos(0)
	if s.agenda != nil {
		began = s.agenda.last
	}
	g.left--
	g.last = max(g.last, t)
	for _, i := range g.after[g.start[s.row]:g.start[s.row+1]] {
		g.from[i], g.since[i] = max(g.from[i], t), max(g.since[i], began)
		if g.needs[i]--; g.needs[i] == 0 {
			r.spawn(int(i))
		}
	}
	if g.left == 0 {
		r.use(g.last, 0, Overhead, 0, 0)
	}
}
