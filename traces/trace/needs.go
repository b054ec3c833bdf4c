package trace

import (
	"fmt"
	"slices"
	"strings"
)

// need is a dependence: event of, which has the given kind, needs event row.
type need struct {
	row, of int64
	kind    Kind
}

// needs checks the Needs of e, as far as that is possible before all events are known.
func (w *procValidator) needs(e *Event) error {
	for _, n := range e.Needs {
		if n < 0 || n == w.events {
			return fmt.Errorf("needs event %d", n)
		}
		if n > w.need.row {
			w.need = need{n, w.events, e.Kind}
		}
		w.forward = w.forward || n > w.events
	}
	w.c.report.Needs += uint64(len(e.Needs))
	return nil
}

// checkNeeds checks the needs of later events, after all events of the processor. Needs
// that only point back cannot form a cycle.
func (w *procValidator) checkNeeds() error {
	if w.need.row > 0 && w.need.row >= w.events {
		return &RowError{Proc: w.p, Row: w.need.of, Kind: w.need.kind,
			Msg: fmt.Sprintf("needs event %d, but there are %d", w.need.row, w.events)}
	}
	if !w.forward {
		return nil
	}
	return CheckNeeds(w.c.src, w.p)
}

// CheckNeeds checks that the needs of the events of p exist and form no cycle.
func CheckNeeds(src Source, p Proc) error {
	var g graph
	for b, err := range src.Events(p) {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			g.add(&b.Rows[i])
		}
	}
	for i := range g.needs {
		for k := int64(0); ; k++ {
			n, more := g.need(int64(i), k)
			if !more {
				break
			}
			if n < 0 || n >= int64(len(g.needs)) {
				return &RowError{Proc: p, Row: int64(i), Kind: g.kinds[i], Msg: fmt.Sprintf("needs event %d, but there are %d", n, len(g.needs))}
			}
		}
	}
	if c := g.cycle(); c != nil {
		return &RowError{Proc: p, Row: c[0], Kind: g.kinds[c[0]], Msg: "needs itself: " + arrows(c)}
	}
	return nil
}

// Forward reports whether e, in that row, needs itself or a later event. Only such needs
// can form a cycle.
func (e *Event) Forward(row int64) bool {
	for _, n := range e.Needs {
		if n >= row {
			return true
		}
	}
	return false
}

// graph is the dependence graph of the events of one processor.
type graph struct {
	kinds []Kind
	needs []int64 // by event: where its needs begin in all, or implied
	all   []int64 // for each event with explicit needs: their number, then the needs
}

// implied marks events without explicit needs. Such an event needs the one before it.
const implied = -1

func (g *graph) add(e *Event) {
	if e.Needs == nil {
		g.needs = append(g.needs, implied)
	} else {
		g.needs = append(g.needs, int64(len(g.all)))
		g.all = append(g.all, int64(len(e.Needs)))
		g.all = append(g.all, e.Needs...)
	}
	g.kinds = append(g.kinds, e.Kind)
}

// need returns the i-th need of an event; false means that it has fewer.
func (g *graph) need(event int64, i int64) (int64, bool) {
	at := g.needs[event]
	if at == implied {
		return event - 1, i == 0 && event > 0
	}
	if i >= g.all[at] {
		return 0, false
	}
	return g.all[at+1+i], true
}

// cycle returns a series of events in which each event needs the next and the last
// needs the first, or nil if there is none. It searches depth first.
func (g *graph) cycle() []int64 {
	type step struct{ event, next int64 }
	const fresh, open, done = 0, 1, 2
	state := make([]uint8, len(g.needs))
	var path []step
	for start := range state {
		if state[start] != fresh {
			continue
		}
		path = append(path[:0], step{int64(start), 0})
		state[start] = open
		for len(path) > 0 {
			last := &path[len(path)-1]
			n, more := g.need(last.event, last.next)
			last.next++
			switch {
			case !more:
				state[last.event] = done
				path = path[:len(path)-1]
			case state[n] == fresh:
				state[n] = open
				path = append(path, step{n, 0})
			case state[n] == open:
				var events []int64
				for i := len(path) - 1; ; i-- {
					if events = append(events, path[i].event); path[i].event == n {
						slices.Reverse(events)
						return events
					}
				}
			}
		}
	}
	return nil
}

// arrows returns the text of a cycle: "3 needs 5, 5 needs 4, 4 needs 3".
func arrows(cycle []int64) string {
	const most = 6
	var parts []string
	for i, e := range cycle {
		if i == most && len(cycle) > most+1 {
			parts = append(parts, fmt.Sprintf("and so on through %d more", len(cycle)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("%d needs %d", e, cycle[(i+1)%len(cycle)]))
	}
	return strings.Join(parts, ", ")
}
