package budget

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/predict/internal/catalogue"
	"spoor/traces/unit"
)

// extendsOwned reports whether s can be made from the existing machine: with nodes of the same kind, none of
// which gets less than it has, or with all new nodes.
//
// Differs: the existing machine may also stay unchanged, and nodes may be replaced by others, unlike in the
// paper's cases. Replaced parts return no money.
func (p *Problem) extendsOwned(s catalogue.Parts) bool {
	h := p.Have
	if h == nil || s.Node != h.Node {
		return true
	}
	n := &p.Catalogue.Nodes[s.Node]
	return s.Nodes >= h.Nodes && s.Processors >= h.Processors &&
		n.Caches[s.Cache].Size >= n.Caches[h.Cache].Size && n.Memories[s.Memory].Size >= n.Memories[h.Memory].Size
}

// addition returns the price to extend the existing machine to s: more nodes, more processors and memory in
// the existing nodes, and larger caches and another network in place of the old ones.
func (p *Problem) addition(s catalogue.Parts) (paid unit.Dollars) {
	h, c := p.Have, p.Catalogue
	if s.Node != h.Node {
		return c.Price(s)
	}
	n := &c.Nodes[s.Node]
	more := s
	more.Nodes, more.Network = s.Nodes-h.Nodes, catalogue.NoNetwork
	paid = c.Price(more)
	node := unit.Dollars(s.Processors-h.Processors)*(n.PerProcessor+n.Caches[s.Cache].Price) + n.Memories[s.Memory].Price - n.Memories[h.Memory].Price
	if s.Cache != h.Cache {
		node += unit.Dollars(h.Processors) * n.Caches[s.Cache].Price
	}
	paid += unit.Dollars(h.Nodes) * node
	switch {
	case s.Network == catalogue.NoNetwork:
	case s.Network == h.Network:
		paid += unit.Dollars(s.Nodes-h.Nodes) * c.Networks[s.Network].Price
	default:
		paid += c.Base(s) + unit.Dollars(s.Nodes)*c.Networks[s.Network].Price
	}
	return paid
}

// UpgradeOf returns p for additions to m. The catalogue must have the parts of m.
func (p Problem) UpgradeOf(m *machine.Machine) (Problem, error) {
	if p.Catalogue == nil {
		return p, p.check()
	}
	have, err := p.Catalogue.PartsOf(m)
	if err != nil {
		return p, fmt.Errorf("the catalogue lacks parts of machine %s: %w", m.Name, err)
	}
	p.Have = &have
	return p, nil
}
