package comm

import (
	"fmt"
	"iter"
	"slices"

	"spoor/traces/trace"
)

// cursor walks the events of a processor.
type cursor struct {
	pull func() (*trace.Events, error, bool)
	stop func()
	rows []trace.Event
	at   int
	row  int64 // of the latest event
}

func newCursor(src trace.Source, p trace.Proc) *cursor {
	pull, stop := iter.Pull2(src.Events(p))
	return &cursor{pull: pull, stop: stop, at: -1, row: -1}
}

// next is the next event, valid until the one after; nil at the end.
func (c *cursor) next() (*trace.Event, error) {
	c.at++
	c.row++
	for c.at >= len(c.rows) {
		b, err, ok := c.pull()
		if err != nil || !ok {
			c.rows, c.at = nil, 0
			return nil, err
		}
		c.rows, c.at = b.Rows, 0
	}
	return &c.rows[c.at], nil
}

// graph is the events of a processor that need others.
type graph struct {
	tasks []task
	rows  []trace.Event
	needs []int32   // that are not done
	after [][]int32 // who needs it
	from  []path    // the longest to what was needed
}

// load reads all events of a, and begins those that need nothing.
func (r *replay) load(a *actor) error {
	g := &graph{}
	for e, err := a.events.next(); e != nil || err != nil; e, err = a.events.next() {
		if err != nil {
			return err
		}
		own := *e
		if own.Needs = slices.Clone(e.Needs); e.Needs == nil && len(g.rows) > 0 {
			own.Needs = []int64{int64(len(g.rows) - 1)}
		}
		g.rows = append(g.rows, own)
	}
	n := len(g.rows)
	g.tasks, g.needs, g.after, g.from = make([]task, n), make([]int32, n), make([][]int32, n), make([]path, n)
	for i := range g.rows {
		g.tasks[i] = task{actor: a, event: &g.rows[i], row: int64(i)}
		for _, need := range g.rows[i].Needs {
			if need < 0 || need >= int64(n) {
				return fmt.Errorf("processor %d: event %d needs event %d, but there are %d", a.proc, i, need, n)
			}
			g.after[need] = append(g.after[need], int32(i))
		}
		g.needs[i] = int32(len(g.rows[i].Needs))
		g.rows[i].Needs = nil
	}
	a.graph = g
	for i := range g.tasks {
		if g.needs[i] == 0 {
			r.schedule(&g.tasks[i], path{})
		}
	}
	return nil
}

// done begins those events that needed nothing but a row.
func (r *replay) done(g *graph, row int64, end path) {
	for _, i := range g.after[row] {
		g.from[i] = later(g.from[i], end)
		if g.needs[i]--; g.needs[i] == 0 {
			r.schedule(&g.tasks[i], g.from[i])
		}
	}
}

// waiting is the tasks that wait.
func (g *graph) waiting() (all []*task) {
	for i := range g.tasks {
		if g.tasks[i].waits {
			all = append(all, &g.tasks[i])
		}
	}
	return all
}
