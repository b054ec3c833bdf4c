package replay

import (
	"spoor/predict/internal/engine/observe"
	"spoor/traces/unit"
)

// windowObserver gives an observer what nodes did in each window, one node after the other.
type windowObserver struct{ to observe.Observer }

// nodeObserver keeps what an observer is to hear of a node, for even and odd windows.
type nodeObserver struct {
	observe.NopObserver
	at    int
	calls [2][]func(observe.Observer)
}

// flush gives the observer what nodes did in a window.
func (w *windowObserver) flush(nodes []*windowNode, window uint64) {
	for _, n := range nodes {
		for _, call := range n.observer.calls[window] {
			call(w.to)
		}
		n.observer.calls[window] = n.observer.calls[window][:0]
	}
}

func (o *nodeObserver) add(call func(observe.Observer)) {
	o.calls[o.at] = append(o.calls[o.at], call)
}

// Began implements observe.Observer.
func (o *nodeObserver) Began(rank int32, row int64, at unit.Picos) {
	o.add(func(to observe.Observer) { to.Began(rank, row, at) })
}

// Ended implements observe.Observer.
func (o *nodeObserver) Ended(rank int32, row int64, at unit.Picos) {
	o.add(func(to observe.Observer) { to.Ended(rank, row, at) })
}

// Waited implements observe.Observer.
func (o *nodeObserver) Waited(rank int32, why observe.Cause) {
	o.add(func(to observe.Observer) { to.Waited(rank, why) })
}

// Span implements observe.Observer.
func (o *nodeObserver) Span(rank int32, what observe.Part, from, to unit.Picos) {
	o.add(func(all observe.Observer) { all.Span(rank, what, from, to) })
}
