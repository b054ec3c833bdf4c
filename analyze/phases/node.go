package phases

import (
	"errors"
	"fmt"
	"slices"

	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// NodeProfile is what processors of one node do in an order in which misses take time, and turns on its bus, and processors wait for
// locks and flags: who comes first decides what they miss, and what they wait for.
type NodeProfile struct {
	Within // that order's
	of     TrafficProfile
}

// ErrNotCounted is that of traffic tables that have nothing of one node with all processors.
var ErrNotCounted = errors.New("nothing was counted of one node with all processors")

// LoadNode reads a traffic table. [ErrNotCounted] says how to get what it does not have.
func LoadNode(from store.TableSource, procs int) (*NodeProfile, error) {
	t := from.Head()
	if t.Name != "traffic" {
		return nil, fmt.Errorf("a %s table, not a traffic table", t.Name)
	}
	n := &NodeProfile{}
	if err := n.readFacts(t); err != nil {
		return nil, err
	}
	if have := splitList(t.Fact(perNodeFact)); n.Miss == 0 || !slices.Contains(have, fmt.Sprint(procs)) {
		return nil, fmt.Errorf("%w; run analyze with --per-node %d and --node-miss", ErrNotCounted, procs)
	}
	n.of.Delays, n.of.byDelay = []unit.Instructions{0}, []map[window3]*Traffic{{}}
	err := eachTraffic(from, func(x *trafficRow) error {
		if x.perNode == int64(procs) {
			n.of.take(0, x)
		}
		return nil
	})
	return n, err
}

// readFacts takes what a traffic table says of the nodes.
func (n *Within) readFacts(t *store.Table) error {
	if t.Fact(missFact) == "" {
		return nil
	}
	_, err := fmt.Sscanf(t.Fact(missFact)+", "+t.Fact(cacheFact), "%d, %d, %d, %d", &n.Miss, &n.Sets, &n.Ways, &n.Line)
	if none := n.Miss == 0 && n.Sets == 0; err != nil || !none && (n.Sets < 1 || n.Ways < 1 || n.Ways > MaxWays || n.Line < 1) {
		return fmt.Errorf("the traffic table says of misses %q in %q, not a time and sets, ways and bytes of a line; run analyze again", t.Fact(missFact), t.Fact(cacheFact))
	}
	return nil
}

// Window is what p did in a window of a phase, by its number.
func (n *NodeProfile) Window(p trace.Proc, phase int, number int64) Traffic {
	return n.of.Window(p, phase, number, 0)
}
