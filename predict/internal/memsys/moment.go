package memsys

import (
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/unit"
)

// moment is a point in the course of a transaction.
type moment struct {
	at   unit.Picos // time
	idle unit.Picos // time since the request that an idle machine would have needed
}

// wait returns m delayed until a time, if that is later.
func (m moment) wait(until unit.Picos) moment { return moment{max(m.at, until), m.idle} }

// after returns m after a time that an idle machine needs too.
func (m moment) after(d unit.Picos) moment { return moment{m.at + d, m.idle + d} }

// join returns when both m and n are over.
func (m moment) join(n moment) moment { return moment{max(m.at, n.at), max(m.idle, n.idle)} }

// cost returns the cost of a transaction requested at now and over at m.
func (m moment) cost(now unit.Picos) touch.Cost {
	return touch.Cost{Latency: m.idle, Contention: m.at - now - m.idle}
}
