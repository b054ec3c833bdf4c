package comm

import (
	"fmt"
	"slices"

	"spoor/traces/trace"
)

// graph holds the events of a processor whose events have Needs.
type graph struct {
	tasks []task
	steps []step
	needs []int32   // by event: number of needed events that are not done
	after [][]int32 // by event: the events that need it
	from  []path    // by event: the longest path to the needed events
}

// load reads all events of a, and schedules those that need nothing.
func (r *replay) load(src trace.Source, a *actor) error {
	g := &graph{}
	var needs [][]int64
	for b, err := range src.Events(a.proc) {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			own := slices.Clone(b.Rows[i].Needs)
			if b.Rows[i].Needs == nil && len(needs) > 0 {
				own = []int64{int64(len(needs) - 1)}
			}
			g.steps, needs = append(g.steps, r.unit.step(&b.Rows[i])), append(needs, own)
		}
	}
	n := len(needs)
	g.tasks, g.needs, g.after, g.from = make([]task, n), make([]int32, n), make([][]int32, n), make([]path, n)
	for i := range needs {
		g.tasks[i] = task{actor: a, step: &g.steps[i], row: int64(i)}
		for _, need := range needs[i] {
			if need < 0 || need >= int64(n) {
				return fmt.Errorf("processor %d: event %d needs event %d, but there are %d", a.proc, i, need, n)
			}
			g.after[need] = append(g.after[need], int32(i))
		}
		g.needs[i] = int32(len(needs[i]))
	}
	a.graph = g
	for i := range g.tasks {
		if g.needs[i] == 0 {
			r.schedule(&g.tasks[i], path{})
		}
	}
	return nil
}

// done schedules the events that needed only this row.
func (r *replay) done(g *graph, row int64, end path) {
	for _, i := range g.after[row] {
		g.from[i] = later(g.from[i], end)
		if g.needs[i]--; g.needs[i] == 0 {
			r.schedule(&g.tasks[i], g.from[i])
		}
	}
}

// waiting returns the tasks that wait.
func (g *graph) waiting() (all []*task) {
	for i := range g.tasks {
		if g.tasks[i].waits {
			all = append(all, &g.tasks[i])
		}
	}
	return all
}
