package windtunnel

import (
	"math"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// A Host is a kind of machine that runs the simulator.
type host struct {
	Name string
	// Takes reports whether the host is available with so many processors.
	Takes func(m *machine.WindTunnel, hosts int) bool
	// Cost returns the cost of so many processors, with memory for k targets each.
	Cost func(m *machine.WindTunnel, k, hosts int) unit.Dollars
	// node returns the cost of a processor without memory, with its share of other parts that grow in proportion.
	node func(m *machine.WindTunnel) unit.Dollars
}

// Hosts lists the kinds of parallel hosts.
var Hosts = []host{
	{
		Name:  "bus",
		Takes: func(m *machine.WindTunnel, hosts int) bool { return hosts >= 2 && hosts <= m.BusProcessors },
		// C_Bus(K,p) = BaseC_Bus + p C_processor + K p C_memory [falsafi1997, eq. 18]
		Cost: func(m *machine.WindTunnel, k, hosts int) unit.Dollars {
			return m.Bus + unit.Dollars(hosts)*(m.Processor+unit.Dollars(k)*m.Memory)
		},
		node: func(m *machine.WindTunnel) unit.Dollars { return m.Processor },
	},
	{
		Name:  "mpp",
		Takes: func(_ *machine.WindTunnel, hosts int) bool { return hosts >= 2 },
		// C_MPP(K,p) = p (1 + X_network) C_processor + K p C_memory [falsafi1997, eq. 19]
		Cost: func(m *machine.WindTunnel, k, hosts int) unit.Dollars {
			return unit.Dollars(hosts) * (mppNode(m) + unit.Dollars(k)*m.Memory)
		},
		node: mppNode,
	},
}

func mppNode(m *machine.WindTunnel) unit.Dollars {
	return unit.Dollars(1+m.Network) * m.Processor
}

// uniprocessor returns the cost of a host of one processor with memory for k targets:
//
//	C_Uni(K) = BaseC_Uni + C_processor + K C_memory   [falsafi1997, eq. 17]
func uniprocessor(m *machine.WindTunnel, k int) unit.Dollars {
	return m.Uniprocessor + m.Processor + unit.Dollars(k)*m.Memory
}

// An Offer is a host with its cost.
type Offer struct {
	Host   string
	Cost   unit.Dollars
	Costup float64 // Cost relative to a uniprocessor for all targets
	// costPerformance is Cost over speedup [falsafi1997, eq. 20].
	CostPerformance unit.Dollars
	Effective       bool // the speedup exceeds the costup
}

// offer returns the offer of a host with so many processors and a speedup.
func offer(h host, m *machine.WindTunnel, targets, hosts int, speedup float64) Offer {
	cost := h.Cost(m, targets/hosts, hosts)
	costup := float64(cost / uniprocessor(m, targets))
	return Offer{h.Name, cost, costup, cost / unit.Dollars(speedup), speedup > costup}
}

// best returns the number of processors, a power of two, with the best cost/performance of a host for so many
// targets, or 0 if there is none.
func (c *calculator) best(h host, m *machine.WindTunnel, targets int) (hosts int, of Offer, err error) {
	for p := 2; p <= targets; p *= 2 {
		if targets%p != 0 || !h.Takes(m, p) {
			continue
		}
		s, err := c.speedup(targets, p)
		if err != nil {
			return 0, Offer{}, err
		}
		if math.IsNaN(s) { // as printed
			continue
		}
		if o := offer(h, m, targets, p, s); hosts == 0 || o.CostPerformance < of.CostPerformance {
			hosts, of = p, o
		}
	}
	return hosts, of, nil
}

// breakEvenLimit is the largest number of targets in the search for a break-even: eight times that of the
// paper.
const breakEvenLimit = 1024

// breakEven returns the least number of targets, a power of two, from which a parallel host has better
// cost/performance than a uniprocessor, up to breakEvenLimit. It returns 0 if there is none.
func (c *calculator) breakEven(h host, m *machine.WindTunnel) (targets int, err error) {
	for n := breakEvenLimit; n >= 2; n /= 2 {
		_, o, err := c.best(h, m, n)
		if err != nil {
			return 0, err
		}
		if !o.Effective {
			break
		}
		targets = n
	}
	return targets, nil
}
