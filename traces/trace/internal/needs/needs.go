// Package needs finds cycles among events that need each other.
package needs

import (
	"fmt"
	"slices"
	"strings"
)

// Graph is the dependence graph of the events of one processor. Its zero value has no event.
type Graph struct {
	needs []int64 // by event: where its needs begin in all, or implied
	all   []int64 // for each event with explicit needs: their number, then the needs
}

// implied marks events without explicit needs. Such an event needs the one before it.
const implied = -1

// Add adds the next event, with its explicit needs. If needs is nil, the event needs the one before it.
func (g *Graph) Add(needs []int64) {
	if needs == nil {
		g.needs = append(g.needs, implied)
	} else {
		g.needs = append(g.needs, int64(len(g.all)))
		g.all = append(g.all, int64(len(needs)))
		g.all = append(g.all, needs...)
	}
}

// Need returns the i-th need of an event; false means that it has fewer.
func (g *Graph) Need(event, i int64) (int64, bool) {
	at := g.needs[event]
	if at == implied {
		return event - 1, i == 0 && event > 0
	}
	if i >= g.all[at] {
		return 0, false
	}
	return g.all[at+1+i], true
}

// Cycle returns a series of events in which each event needs the next and the last
// needs the first, or nil if there is none. All needs must exist. It searches depth first.
func (g *Graph) Cycle() []int64 {
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
			n, more := g.Need(last.event, last.next)
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

// Text returns the text of a cycle: "3 needs 5, 5 needs 4, 4 needs 3".
func Text(cycle []int64) string {
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
