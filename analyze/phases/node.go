package phases

import (
	"errors"
	"fmt"
	"slices"

	"spoor/traces/store"
	"spoor/traces/unit"
)

// ErrNotCounted is the error of traffic tables without counts of one node with all processors.
var ErrNotCounted = errors.New("the traffic table has no counts of one node with all processors")

// LoadNode reads the counts of one node with all processors from a traffic table. Their order includes the time
// of misses, turns on the bus, and waiting for locks and flags. It determines the misses and the waiting times.
// The only delay is 0. If the counts are missing, the error wraps [ErrNotCounted] and says how to get them.
func LoadNode(from store.TableSource, procs int) (*TrafficProfile, error) {
	t := from.Head()
	if t.Name != "traffic" {
		return nil, fmt.Errorf("a %s table, not a traffic table", t.Name)
	}
	n := &TrafficProfile{}
	if err := n.readFacts(t); err != nil {
		return nil, err
	}
	if have := splitList(t.Fact(perNodeFact)); n.Miss == 0 && n.Node == "" || !slices.Contains(have, fmt.Sprint(procs)) {
		return nil, fmt.Errorf("%w; run analyze with --per-node %d and --node-miss", ErrNotCounted, procs)
	}
	n.Delays, n.byDelay = []unit.Instructions{0}, []map[windowKey]*Traffic{{}}
	err := eachTraffic(from, func(x *trafficRow) error {
		if x.perNode == int64(procs) {
			n.addRow(0, x)
		}
		return nil
	})
	return n, err
}

// readFacts reads the description of the caches of nodes in a traffic table.
func (n *TrafficProfile) readFacts(t *store.Table) error {
	n.Node = t.Fact(nodeFact)
	if t.Fact(missFact) == "" {
		return nil
	}
	_, err := fmt.Sscanf(t.Fact(missFact)+", "+t.Fact(cacheFact), "%d, %d, %d, %d", &n.Miss, &n.Sets, &n.Ways, &n.Line)
	if none := n.Miss == 0 && n.Sets == 0; err != nil || !none && (n.Sets < 1 || n.Ways < 1 || n.Ways > MaxWays || n.Line < 1) {
		return fmt.Errorf("the traffic table has %q as time of misses and %q as caches, not a time and sets, ways and line size; run analyze again", t.Fact(missFact), t.Fact(cacheFact))
	}
	return nil
}
