package machine

import "spoor/traces/unit"

// Catalogue lists what can be bought or rented: kinds of nodes with choices of processors, caches and memory, and
// networks.
// C_cluster = N (C_machine(n) + C_net) [du2000, eq. 3.6].
//
// Differs: a network may also have a base price, which does not depend on N.
type Catalogue struct {
	Date     string       // date of the prices
	Hourly   bool         // all prices are per hour
	Lifetime unit.Seconds // service life of what is bought; 0: not given
	Block    unit.Bytes   // block size of the shared memory of nodes, see System.Block
	Nodes    []NodeOffer
	Networks []NetworkOffer
}

// NodeOffer is a kind of node.
type NodeOffer struct {
	Name         string
	Price        unit.Dollars // without the choices below
	Processors   []int        // numbers of processors on offer
	PerProcessor unit.Dollars // price of each processor
	Caches       []Choice     // last private level of each processor
	Memories     []Choice     // memory of the node
	MaxNodes     int          // most of these nodes in a cluster; 0: no limit
	Machines     [][]*Machine // with one processor; by index of cache and memory
}

// Choice is one size of a cache or memory, with its price.
type Choice struct {
	Size  unit.Bytes
	Price unit.Dollars
}

// NetworkOffer is a network that connects nodes.
type NetworkOffer struct {
	Name     string
	Price    unit.Dollars // per connected node
	Base     unit.Dollars // of the network, whatever the number of nodes
	MaxNodes int          // most nodes that it connects; 0: no limit
	Link     *Network
}
