package memsys

import "spoor/traces/trace"

// layout is the division of processors into nodes.
type layout struct {
	processors, perNode int
	first               []int   // processor of each node, and the number of processors; nil: all nodes have perNode
	node                []int32 // of each processor, if first is set
}

// layout returns the layout of c.
func (c *Config) layout() layout {
	l := layout{processors: c.Processors, perNode: max(1, c.PerNode)}
	if len(c.OtherNodes) == 0 {
		return l
	}
	alike := c.Processors
	for _, o := range c.OtherNodes {
		alike -= o.Processors
	}
	sizes := []int{}
	for range max(0, alike) / l.perNode {
		sizes = append(sizes, l.perNode)
	}
	for _, o := range c.OtherNodes {
		sizes = append(sizes, o.Processors)
	}
	for n, size := range sizes {
		l.first = append(l.first, len(l.node))
		for range size {
			l.node = append(l.node, int32(n))
		}
	}
	l.first = append(l.first, len(l.node))
	return l
}

// nodes returns the number of nodes.
func (l *layout) nodes() int {
	if l.first != nil {
		return len(l.first) - 1
	}
	return (l.processors + l.perNode - 1) / l.perNode
}

// of returns the node of a processor.
func (l *layout) of(p trace.Proc) int {
	if l.node != nil {
		return int(l.node[p])
	}
	return int(p) / l.perNode
}

// firstProc returns the first processor of a node.
func (l *layout) firstProc(node int) int {
	if l.first != nil {
		return l.first[node]
	}
	return node * l.perNode
}
