// Package numa says which processors make a node, and which node's memory holds a line.
package numa

import "spoor/traces/trace"

// Layout is the division of processors into nodes.
type Layout struct {
	processors, PerNode int
	Slots               []trace.Proc // processor here of each of the program's, or nil: the same
	first               []int        // processor of each node, and the number of processors; nil: all nodes have perNode
	Node                []int32      // of each processor, if first is set
}

// NewLayout divides processors into nodes of perNode, at least 1. The last nodes have the sizes of others, if there are
// any.
func NewLayout(processors, perNode int, others []int) Layout {
	l := Layout{processors: processors, PerNode: max(1, perNode)}
	if len(others) == 0 {
		return l
	}
	alike := processors
	for _, n := range others {
		alike -= n
	}
	sizes := []int{}
	for range max(0, alike) / l.PerNode {
		sizes = append(sizes, l.PerNode)
	}
	for n, size := range append(sizes, others...) {
		l.first = append(l.first, len(l.Node))
		for range size {
			l.Node = append(l.Node, int32(n))
		}
	}
	l.first = append(l.first, len(l.Node))
	return l
}

// Nodes returns the number of nodes.
func (l *Layout) Nodes() int {
	if l.first != nil {
		return len(l.first) - 1
	}
	return (l.processors + l.PerNode - 1) / l.PerNode
}

// Of returns the node of a processor.
func (l *Layout) Of(p trace.Proc) int {
	if l.Node != nil {
		return int(l.Node[p])
	}
	return int(p) / l.PerNode
}

// Home returns the node of a processor of the program.
func (l *Layout) Home(p trace.Proc) int {
	if l.Slots != nil {
		p = l.Slots[p]
	}
	return l.Of(p)
}

// FirstProc returns the first processor of a node.
func (l *Layout) FirstProc(node int) int {
	if l.first != nil {
		return l.first[node]
	}
	return node * l.PerNode
}
