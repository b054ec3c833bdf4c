package chakra

import (
	"fmt"
	"slices"
	"strings"

	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// chakraColls lists the collectives by comm_type [et_def.proto, CollectiveCommType]. A
// reduce-scatter becomes two events.
var chakraColls = []struct {
	name string
	kind trace.Kind
}{
	{"ALL_REDUCE", trace.AllReduce}, {"REDUCE", trace.Reduce}, {"ALL_GATHER", trace.AllGather}, {"GATHER", trace.Gather},
	{"SCATTER", trace.Scatter}, {"BROADCAST", trace.Bcast}, {"ALL_TO_ALL", trace.AllToAll}, {"REDUCE_SCATTER", trace.Reduce},
	{"REDUCE_SCATTER_BLOCK", trace.Reduce}, {"BARRIER", trace.Barrier},
}

const (
	chakraReduceScatter      = 7
	chakraReduceScatterBlock = 8
)

// node emits the events of a node, and returns the row of the last one.
func (c *chakraImport) node(s *emit.RankWriter, n *chakraNode, needs []int64, at trace.Pos) (int64, error) {
	e := trace.NewEvent(trace.Compute)
	e.Needs = needs
	switch {
	case n.kind == chakraSend:
		e.Kind, e.Peer, e.Tag, e.Bytes = trace.Send, int32(n.dst), int32(n.tag), int64(n.size)
	case n.kind == chakraRecv:
		e.Kind, e.Peer, e.Tag, e.Bytes = trace.Recv, int32(n.src), int32(n.tag), int64(n.size)
	case n.kind == chakraColl && (n.isColl || !n.cpu):
		return c.collective(s, n, e, at)
	default:
		if n.kind == chakraColl {
			c.wrappers++
		}
		e.Work = int64(n.micros) * 1e6
	}
	return s.Emit(&e, at)
}

// collective emits a collective node, in its process group.
func (c *chakraImport) collective(s *emit.RankWriter, n *chakraNode, e trace.Event, at trace.Pos) (int64, error) {
	if n.coll >= uint64(len(chakraColls)) {
		return 0, c.messages.Fail(at, fmt.Sprintf("node %d: unknown comm_type %d", n.id, int64(n.coll)))
	}
	group, err := c.group(n.group)
	if err != nil {
		return 0, c.messages.Fail(at, err.Error())
	}
	one := chakraColls[n.coll]
	if c.colls == nil {
		c.colls = map[string]uint64{}
	}
	c.colls[one.name]++
	c.collBytes += n.size
	e.Kind, e.Group, e.Bytes = one.kind, group, int64(n.size)
	row, err := s.Emit(&e, at)
	if err != nil || n.coll != chakraReduceScatter && n.coll != chakraReduceScatterBlock {
		return row, err
	}
	c.scattered++
	e.Kind, e.Needs, e.Bytes = trace.Scatter, []int64{row}, int64(n.size)/int64(c.files.Len())
	return s.Emit(&e, at)
}

func (c *chakraImport) counts() (all []format.Count) {
	for kind, n := range c.kinds {
		if n > 0 {
			all = append(all, format.Count{Name: chakraTypes[kind], N: n})
		}
	}
	all = append(all, format.Count{Name: "data_deps", N: c.data}, format.Count{Name: "ctrl_deps", N: c.ctrl}, format.Count{Name: "comm_size", N: c.collBytes})
	for _, one := range chakraColls {
		if n := c.colls[one.name]; n > 0 {
			all = append(all, format.Count{Name: one.name, N: n})
		}
	}
	return all
}

func (c *chakraImport) notes() (all []string) {
	if c.missing > 0 {
		more := ""
		if c.missing > len(c.missingDeps) {
			more = fmt.Sprintf("; and %d more", c.missing-len(c.missingDeps))
		}
		all = append(all, "dependencies on nodes that are not in the trace count as satisfied: "+strings.Join(c.missingDeps, "; ")+more)
	}
	if c.ctrl > 0 && !c.control {
		all = append(all, fmt.Sprintf("%d control dependencies (they name the caller of a node) are omitted; --set deps=all keeps them", c.ctrl))
	}
	if c.wrappers > 0 {
		all = append(all, input.Plural(int(c.wrappers), "node")+" of type COMM_COLL_NODE on the CPU without comm_type: imported as computation")
	}
	if c.scattered > 0 {
		all = append(all, input.Plural(int(c.scattered), "reduce-scatter")+" imported as a reduce and a scatter")
	}
	if n := c.kinds[chakraMemLoad] + c.kinds[chakraMemStore]; n > 0 {
		all = append(all, input.Plural(int(n), "node")+" that move memory, imported as computation of their duration")
	}
	if len(c.groups) > 0 {
		names := make([]string, len(c.groups))
		for name, g := range c.groups {
			names[g] = input.Quote([]byte(name))
		}
		all = append(all, "process groups by number: "+strings.Join(names[:min(len(names), input.MaxListed)], ", "))
	}
	return slices.Clip(all)
}
