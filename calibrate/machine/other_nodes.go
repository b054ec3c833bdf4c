package machine

import (
	"fmt"
	"slices"
)

// nodeKindText is the section [[node]] of a cluster: one or more nodes that differ from the others.
type nodeKindText struct {
	Name       *string        `toml:"name"`
	Count      *int64         `toml:"count"`
	Processors *int64         `toml:"processors"`
	Processor  *processorText `toml:"processor"`
	Cache      []cacheText    `toml:"cache"`
	Memory     *memoryText    `toml:"memory"`
	Disk       *diskText      `toml:"disk"`
}

// otherNodes reads all sections [[node]].
func (r *reader) otherNodes(doc *document) {
	if r.err != nil {
		return
	}
	for i := range doc.Node {
		r.nodeKind(fmt.Sprintf("node[%d].", i), doc, &doc.Node[i])
	}
	if r.err != nil {
		return
	}
	if err := r.m.checkOtherNodes(); err != nil {
		r.fail("node", "%v", err)
	}
}

// nodeKind reads one section [[node]]. It reads absent sections from the rest of the file again, because cycles
// are of this node's clock.
func (r *reader) nodeKind(at string, doc *document, t *nodeKindText) {
	o := &reader{doc: r.doc, m: &Machine{}, at: at}
	o.m.Name = o.name(t.Name)
	count, processors := 1, r.m.System.Processors
	if t.Count != nil {
		count = o.count("count", t.Count, MaxProcessors)
	}
	if t.Processors != nil {
		processors = o.count("processors", t.Processors, MaxProcessors)
	}
	o.processor(orElse(t.Processor, doc.Processor))
	if len(t.Cache) == 0 {
		t.Cache = doc.Cache
	}
	o.caches(t.Cache)
	if t.Memory != nil && (t.Memory.Placement != nil || t.Memory.Page.given) {
		o.fail("memory", "placement and page are for all nodes; set them in [memory]")
	}
	if o.err == nil {
		o.memory(orElse(t.Memory, doc.Memory))
	}
	if d := orElse(t.Disk, doc.Disk); d != nil {
		o.m.Disk = &Disk{o.latency("disk.latency", d.Latency)}
	}
	o.m.System = r.m.System
	o.m.System.Processors = processors
	for _, a := range o.m.Assumed {
		r.m.Assumed = append(r.m.Assumed, "node "+o.m.Name+": "+a)
	}
	if r.err == nil {
		r.err = o.err
	}
	for range count {
		if len(r.m.OtherNodes) <= r.m.System.Nodes { // more than Nodes are refused later
			r.m.OtherNodes = append(r.m.OtherNodes, o.m)
		}
	}
}

func orElse[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

// WithNodes returns m with more nodes of other kinds, each described by a machine. Its name lists them.
func (m *Machine) WithNodes(others ...*Machine) (*Machine, error) {
	if len(others) == 0 {
		return m, nil
	}
	out := *m
	out.OtherNodes = slices.Concat(m.OtherNodes, others)
	for _, o := range others {
		out.Name += " + " + o.Name
	}
	if err := out.checkOtherNodes(); err != nil {
		return nil, err
	}
	return &out, nil
}

// checkOtherNodes returns an error if m cannot have its OtherNodes.
func (m *Machine) checkOtherNodes() error {
	switch n := len(m.OtherNodes); {
	case n == 0:
		return nil
	case m.System.Target != COW && m.System.Target != CLUMP:
		return fmt.Errorf("machine %s is a %s, whose nodes are equal; only nodes of a cow or clump can differ", m.Name, m.System.Target)
	case n > m.System.Nodes || m.System.Nodes < 2:
		return fmt.Errorf("%d nodes of other kinds among the %d of machine %s", n, m.System.Nodes, m.Name)
	}
	for _, o := range m.OtherNodes {
		if err := m.checkOtherNode(o); err != nil {
			return err
		}
	}
	if n := m.Count(); n > MaxProcessors {
		return fmt.Errorf("the nodes of machine %s have %d processors, more than %d", m.Name, n, MaxProcessors)
	}
	return nil
}

func (m *Machine) checkOtherNode(o *Machine) error {
	switch {
	case m.System.Target == COW && o.System.Processors > 1:
		return fmt.Errorf("a node of %s has %d processors; a cow has one processor in each node, with more it is a clump", o.Name, o.System.Processors)
	case o.Shared != nil:
		return fmt.Errorf("machine %s has a shared cache; nodes of a cluster cannot have one", o.Name)
	case len(o.Caches) == 0:
		return fmt.Errorf("machine %s has no caches; nodes of a cluster need them", o.Name)
	case (o.Disk == nil) != (m.Disk == nil):
		return fmt.Errorf("machines %s and %s: one has a disk, the other has none; give all nodes a disk, or none", m.Name, o.Name)
	}
	for i, c := range o.Caches {
		if line := m.Caches[min(i, len(m.Caches)-1)].Line; c.Line != line {
			return fmt.Errorf("cache %d of %s has lines of %v, and that of %s lines of %v; all nodes need equal lines", i+1, o.Name, c.Line, m.Name, line)
		}
	}
	return nil
}

// NodeOf returns the node of processor p. Processors are numbered node by node, or have the nodes of Placed.
func (m *Machine) NodeOf(p int) int {
	if m.Placed != nil {
		return m.Placed[p]
	}
	first := m.System.Nodes - len(m.OtherNodes)
	if equal := first * m.System.Processors; p >= equal {
		p -= equal
		for i, o := range m.OtherNodes {
			if p < o.System.Processors {
				return first + i
			}
			p -= o.System.Processors
		}
		return m.System.Nodes
	}
	return p / m.System.Processors
}

// Fits returns an error if n processors cannot run on m: m has fewer, or it has unequal nodes and more processors
// than n.
func (m *Machine) Fits(what string, n int) error {
	switch have := m.Count(); {
	case len(m.OtherNodes) > 0 && n != have:
		return fmt.Errorf("%s %d processors, and the machine has %d in unequal nodes; use all of them", what, n, have)
	case n > have:
		return fmt.Errorf("%s %d processors, and the machine has only %d", what, n, have)
	}
	return nil
}
