// Package placement says on which node of a machine each rank of a program runs.
package placement

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"spoor/calibrate/machine"
	"spoor/traces/stage"
)

// The names of placements that need no file.
const (
	Block  = "block"  // ranks fill a node before the next
	Cyclic = "cyclic" // ranks go round the nodes, one on each node and round
)

// Random is an order of nodes; with a colon and a number behind it, the seed is that number.
const Random = "random"

// Placement is how ranks are placed. The zero value is that of the machine: [Block] with all its processors.
type Placement struct {
	Map     string // Block, Cyclic, or the path of a file; empty: Block
	PerNode int    // ranks on each node; 0: as many as its processors
	Order   string // Random, or the path of a file with the numbers of nodes to use; empty: in order

	text  string // of the file of Map, after Check
	seed  uint64 // of Order
	order []int  // of the file of Order
}

// Given reports whether the user chose a placement.
func (p Placement) Given() bool { return p.Map != "" || p.PerNode != 0 || p.Order != "" }

// Check reads the file, and validates the placement as far as possible without a machine.
func (p *Placement) Check() error {
	switch {
	case p.PerNode < 0:
		return stage.Usage("--ranks-per-node: %d is not a number from 0", p.PerNode)
	case p.PerNode > 0 && p.isFile():
		return stage.Usage("--ranks-per-node has no effect with --map %s: the file names the node of each rank", p.Map)
	}
	if err := p.checkOrder(); err != nil || !p.isFile() {
		return err
	}
	text, err := read("--map", p.Map, "neither "+Block+", "+Cyclic+", all nor a file")
	p.text = text
	return err
}

// Name returns what results say of Map: a file by its digest, because results have no paths.
func (p Placement) Name() string {
	if p.isFile() {
		return fmt.Sprintf("file sha256:%x", sha256.Sum256([]byte(p.text)))
	}
	return p.Map
}

// OrderName returns what results say of Order.
func (p Placement) OrderName() string {
	if p.order != nil {
		return fmt.Sprintf("file sha256:%x", sha256.Sum256(fmt.Append(nil, p.order)))
	}
	return fmt.Sprintf("%s:%d", Random, p.seed)
}

func (p Placement) isFile() bool { return p.Map != "" && p.Map != Block && p.Map != Cyclic }

// On returns m with so many ranks placed on its nodes. Check comes before.
func (p Placement) On(m *machine.Machine, ranks int) (*machine.Machine, error) {
	if m.System.Nodes == 1 {
		return nil, fmt.Errorf("--map, --ranks-per-node and --node-order have no effect: machine %q has one node; give nodes in [system]", m.Name)
	}
	nodes, err := p.nodes(m, ranks)
	if err == nil {
		nodes, err = p.ordered(m, nodes)
	}
	if err != nil {
		return nil, err
	}
	if err := fits(m, nodes); err != nil {
		return nil, err
	}
	placed := *m
	placed.Placed, placed.Whole = nodes, p.Order != "" || strings.Contains(p.text, "+n")
	return &placed, nil
}

// nodes returns the node of each rank.
func (p Placement) nodes(m *machine.Machine, ranks int) ([]int, error) {
	if p.isFile() {
		nodes, err := parse(p.text, ranks)
		if err != nil {
			return nil, fmt.Errorf("--map: %s%w", p.Map, err)
		}
		return nodes, nil
	}
	each := p.PerNode
	if each == 0 {
		each = m.System.Processors
	}
	used := (ranks + each - 1) / each
	nodes := make([]int, ranks)
	for r := range nodes {
		if nodes[r] = r / each; p.Map == Cyclic {
			nodes[r] = r % used
		}
	}
	return nodes, nil
}

// fits returns an error if a node has fewer processors than ranks, or if there is no such node.
func fits(m *machine.Machine, nodes []int) error {
	ranks := map[int]int{}
	for r, n := range nodes {
		if n >= m.System.Nodes {
			return fmt.Errorf("placing rank %d on node %d: machine %q has %s; change --map, --ranks-per-node, --node-order or [system]", r, n, m.Name, stage.Count(m.System.Nodes, "node"))
		}
		ranks[n]++
		if have := m.Node(n).System.Processors; ranks[n] > have {
			return fmt.Errorf("placing rank %d: node %d of machine %q has only %s; change --map, --ranks-per-node, --node-order or [system]", r, n, m.Name, stage.Count(have, "processor"))
		}
	}
	return nil
}
