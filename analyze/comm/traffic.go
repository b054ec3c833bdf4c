package comm

import "spoor/analyze/comm/topology"

// trafficOf routes all messages over all topologies; there are none without messages
// between different processors.
func trafficOf(m *matrix, procs int) (all []topology.Traffic) {
	if m.total.messages == 0 {
		return nil
	}
	var flows []topology.Flow
	for _, p := range m.pairs() {
		c := m.cells[p]
		flows = append(flows, topology.Flow{From: int(p.from), To: int(p.to), Messages: c.messages, Bytes: c.bytes})
	}
	for _, net := range topology.All(procs) {
		if t := topology.Carry(net, flows); t.Messages > 0 {
			all = append(all, t)
		}
	}
	return all
}
