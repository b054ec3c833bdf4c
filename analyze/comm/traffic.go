package comm

// trafficOf routes all messages over all topologies. It returns nothing if there are no messages
// between different processors.
func trafficOf(m *matrix, procs int) (all []Traffic) {
	if m.total.messages == 0 {
		return nil
	}
	flows := column(m.sorted(), func(e entry) Flow {
		return Flow{From: int(e.Key.from), To: int(e.Key.to), Messages: e.Value.messages, Bytes: e.Value.bytes}
	})
	for _, net := range allTopologies(procs) {
		if t := Carry(net, flows); t.Messages > 0 {
			all = append(all, t)
		}
	}
	return all
}
