package memsys

import "spoor/traces/unit"

// moment is a point on the way of a transaction.
type moment struct {
	at   unit.Picos // time
	idle unit.Picos // that an idle machine would have needed since the request
}

// wait is m put off until a time, if that is later.
func (m moment) wait(until unit.Picos) moment { return moment{max(m.at, until), m.idle} }

// after is m with so much time spent that an idle machine spends too.
func (m moment) after(d unit.Picos) moment { return moment{m.at + d, m.idle + d} }

// join is when both m and n are over.
func (m moment) join(n moment) moment { return moment{max(m.at, n.at), max(m.idle, n.idle)} }

// cost is that of a transaction requested at now and over at m.
func (m moment) cost(now unit.Picos) Cost {
	return Cost{Latency: m.idle, Contention: m.at - now - m.idle}
}
