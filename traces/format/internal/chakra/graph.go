package chakra

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spoor/traces/format/internal/emit"
	"spoor/traces/heap"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// chakraImport reads the ranks of a trace, one after the other.
type chakraImport struct {
	files    *input.Files
	messages *emit.MessageWriter
	groups   map[string]int32 // numbers of process groups, in the order of their first nodes

	records     uint64
	kinds       [chakraColl + 1]uint64
	data        uint64 // data dependencies
	ctrl        uint64
	colls       map[string]uint64
	collBytes   uint64
	wrappers    uint64   // COMM_COLL_NODEs on the CPU that are not collectives
	control     bool     // control dependencies count
	missing     int      // dependencies on nodes that do not exist
	missingDeps []string // the first missing ones
	scattered   uint64
}

// chakraRankGraph has the nodes of one rank.
type chakraRankGraph struct {
	input.Delimited
	nodes      []chakraNode
	byID       map[uint64]int
	dependents [][]int32 // nodes that depend on each node, in order
	waiting    []int     // needs that are not emitted yet
	row        []int64   // the last event of each node
}

// file reads one rank and emits its events.
func (c *chakraImport) file(i int, rank trace.Proc) error {
	in, err := c.files.Open(i)
	if err != nil {
		return err
	}
	defer in.Close()
	g := chakraRankGraph{byID: map[uint64]int{}}
	if err := g.read(in, c.files.Len()); err != nil {
		return err
	}
	c.records += uint64(len(g.nodes))
	c.link(&g)
	return c.emit(&g, c.messages.RankWriter(rank), int32(i))
}

// read collects the nodes of a file.
func (g *chakraRankGraph) read(in *input.Input, ranks int) error {
	head, err := in.Head()
	switch {
	case err != nil:
		return err
	case len(head) == 0:
		return &trace.SyntaxError{File: in.Name, Msg: in.Emptiness() + ": GlobalMetadata missing"}
	case head[0] == '{' || head[0] == '[':
		return &trace.SyntaxError{File: in.Name, Msg: "this is the JSON form of a Chakra trace; convert it to .et with chakra's tools"}
	}
	return g.Messages(in, 0, func(message []byte) error {
		if g.Number == 0 {
			return g.metadata(message)
		}
		n := chakraNode{offset: g.Offset}
		if problem := n.read(message); problem != "" {
			return g.Fail(problem, "the trace is damaged, or has another schema")
		}
		if problem := n.check(ranks); problem != "" {
			return g.Fail(fmt.Sprintf("node %d: %s", n.id, problem), "")
		}
		if _, twice := g.byID[n.id]; twice {
			return g.Fail(fmt.Sprintf("node id %d appears twice", n.id), "make the trace again")
		}
		g.byID[n.id] = len(g.nodes)
		g.nodes = append(g.nodes, n)
		return nil
	})
}

// metadata checks that the first message can be GlobalMetadata.
func (g *chakraRankGraph) metadata(message []byte) error {
	for len(message) > 0 {
		_, rest, problem := input.NextField(message)
		if problem != "" {
			return g.Fail("the first message is not GlobalMetadata: "+problem, "is this a Chakra trace?")
		}
		message = rest
	}
	return nil
}

// link replaces ids by indices. If a dependency does not exist, the tool that made the
// trace pruned it; it counts as satisfied.
func (c *chakraImport) link(g *chakraRankGraph) {
	g.dependents, g.waiting = make([][]int32, len(g.nodes)), make([]int, len(g.nodes))
	for i := range g.nodes {
		n := &g.nodes[i]
		c.kinds[n.kind]++
		c.data += uint64(len(n.data))
		c.ctrl += uint64(len(n.ctrl))
		ids := n.data
		if c.control {
			ids = append(ids, n.ctrl...)
		}
		for _, id := range ids {
			if at, ok := g.byID[id]; ok {
				n.needs = append(n.needs, int32(at))
			} else {
				c.countMissing(n.id, id)
			}
		}
		slices.Sort(n.needs)
		n.needs = slices.Compact(n.needs)
		for _, at := range n.needs {
			g.dependents[at] = append(g.dependents[at], int32(i))
		}
		g.waiting[i] = len(n.needs)
	}
}

// countMissing counts a dependency on a missing node, and keeps the first ones.
func (c *chakraImport) countMissing(node, id uint64) {
	if c.missing++; len(c.missingDeps) < input.MaxListed {
		c.missingDeps = append(c.missingDeps, fmt.Sprintf("node %d depends on node %d, which does not exist", node, id))
	}
}

// emit emits every node after its needs. If several nodes are ready, the first of the
// file comes first.
func (c *chakraImport) emit(g *chakraRankGraph, s *emit.RankWriter, file int32) error {
	g.row = make([]int64, len(g.nodes))
	var ready heap.Heap[int32, uint8, uint8, struct{}] // indices in the file
	for i, n := range g.waiting {
		if n == 0 {
			ready.Push(heap.Item[int32, uint8, uint8, struct{}]{Key: int32(i)})
		}
	}
	emitted := 0
	for len(ready) > 0 {
		i := ready.Pop().Key
		n := &g.nodes[i]
		needs := make([]int64, len(n.needs))
		for j, at := range n.needs {
			needs[j] = g.row[at]
		}
		row, err := c.node(s, n, needs, trace.Pos{File: file, At: n.offset})
		if err != nil {
			return err
		}
		g.row[i] = row
		emitted++
		for _, j := range g.dependents[i] {
			if g.waiting[j]--; g.waiting[j] == 0 {
				ready.Push(heap.Item[int32, uint8, uint8, struct{}]{Key: j})
			}
		}
	}
	if emitted < len(g.nodes) {
		return g.circular()
	}
	return s.Flush()
}

// circular reports a dependency cycle. It starts at a waiting node and follows the
// needs until a node repeats.
func (g *chakraRankGraph) circular() error {
	at := slices.IndexFunc(g.waiting, func(n int) bool { return n > 0 })
	var path []int
	for !slices.Contains(path, at) {
		path = append(path, at)
		for _, need := range g.nodes[at].needs {
			if g.waiting[need] > 0 {
				at = int(need)
				break
			}
		}
	}
	path = path[slices.Index(path, at):]
	slices.SortFunc(path, func(a, b int) int { return a - b })
	var ids []string
	for _, i := range path[:min(len(path), input.MaxListed)] {
		ids = append(ids, strconv.FormatUint(g.nodes[i].id, 10))
	}
	g.Delimited.Offset, g.Delimited.Number = g.nodes[path[0]].offset, int64(path[0]+1)
	return g.Fail("dependency cycle of nodes "+strings.Join(ids, ", "), "make the trace again")
}

// errNoGroup reports a trace with too many process groups.
var errNoGroup = errors.New("more than 2^20 process groups")

// group returns the number of a process group. An empty name is the world.
func (c *chakraImport) group(name string) (int32, error) {
	if name == "" {
		return trace.None, nil
	}
	if g, ok := c.groups[name]; ok {
		return g, nil
	}
	if len(c.groups) == 1<<20 {
		return 0, errNoGroup
	}
	c.groups[name] = int32(len(c.groups))
	return c.groups[name], nil
}
