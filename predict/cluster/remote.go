package cluster

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/predict/internal/model"
	netmodel "spoor/predict/internal/network"
	"spoor/traces/unit"
)

// remoteAccess is the model of accesses to the memories of other nodes. With N nodes of n processors, the time
// of one is
//
//	t_r = t_2 + n N tau_r/U(nN, l_r tau_r) - 1/l_r                        by bus    [du2000, eq. 3.19, 3.25]
//	t_r = t_2 + n (N-1) tau_r/U(n(N-1), l_r tau_r/(N-1)) - (N-1)/l_r      by switch [du2000, eq. 3.20, 3.27]
//
// and the barrier term is that of n N processors. References beyond a node's memory, of size s_2, are remote.
// References beyond N s_2, the size of all memories together, go to the disk (3.17, 3.18).
//
// Differs: the printed prefactors are 1/S again. tau_r is the whole time of a message with a block on an idle
// network, whichever part of it holds the network, because the paper has no other number. As for one SMP, an
// access pays for all levels before it.
type remoteAccess struct {
	nodes    int     // N; 1: no remote accesses
	switched bool    // a switch, not a bus
	tau      float64 // time of one access on an idle network
	share    float64 // share of references that are remote
	raise    float64 // relative increase of share, see [Paper]
}

// solve adds the terms of the network to out.
func (r remoteAccess) solve(out *solution, perRef float64, n int, t func(n int, lambda, tau float64) float64) {
	if r.nodes < 2 {
		return
	}
	customers, parts := n*r.nodes, 1.0
	if r.switched {
		customers, parts = n*(r.nodes-1), float64(r.nodes-1)
	}
	out.lr = perRef * r.share
	out.tr = t(customers, out.lr/parts, r.tau)
	out.ur = share(customers, out.lr/parts, out.tr, r.tau)
}

// addTerms adds the terms of the network to a prediction.
func (r remoteAccess) addTerms(p *model.Prediction, o solution) {
	if r.nodes < 2 {
		return
	}
	p.Terms = append(p.Terms,
		model.Term{Symbol: "N", Value: float64(r.nodes), Unit: "1", What: "nodes"},
		model.Term{Symbol: "tau_r", Value: r.tau, Unit: "s", What: "time of a remote access on an idle network"},
		model.Term{Symbol: "P_r", Value: r.share, Unit: "1", What: "references that go to other nodes"},
		model.Term{Symbol: "U_r", Value: o.ur, Unit: "1", What: "utilization of the network (3.9)"},
		model.Term{Symbol: "t_r", Value: o.tr, Unit: "s", What: "time of a remote access with contention, without the memory's"})
	if p.Utilization = max(p.Utilization, o.ur); o.ur >= 1-1e-9 {
		p.Limit = "network"
	}
}

// perNode returns how many processors of a node take part.
func (c *Case) perNode() int { return min(c.Processors, c.Machine.System.Processors) }

// nodes returns how many nodes take part.
func (c *Case) nodes() int { return (c.Processors + c.perNode() - 1) / c.perNode() }

// remoteAccess returns the network of c. With one node it is empty.
func (c *Case) remoteAccess() (remoteAccess, error) {
	r := remoteAccess{nodes: c.nodes()}
	if r.nodes < 2 {
		return r, nil
	}
	m := c.Machine
	switch m.Network.Model {
	case "bus":
	case "switch":
		r.switched = true
	default:
		return r, fmt.Errorf("the network of machine %s is a %s; this model needs a bus or a switch", m.Name, m.Network.Model)
	}
	d, err := c.message(m.System.Block)
	r.tau = float64(d.Latency) / 1e12
	return r, err
}

// message returns the times of a message of size bytes on an idle network.
func (c *Case) message(size unit.Bytes) (netmodel.Delivery, error) {
	net, err := netmodel.New(c.Machine, c.nodes())
	if err != nil {
		return netmodel.Delivery{}, err
	}
	return net.Send(0, netmodel.Message{From: 0, To: 1, Bytes: size}), nil
}

// clustered reports whether the models know target t as one of several nodes.
func clustered(t machine.Target) bool { return t == machine.COW || t == machine.CLUMP }
