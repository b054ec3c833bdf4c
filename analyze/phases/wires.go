package phases

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Network says what messages between nodes wait for.
type Network string

// The networks: one on which all messages are at once, and two that they hold for all of their time, as machine files call them.
const (
	Ideal  Network = "ideal"
	Bus    Network = "bus"    // of which there is one for all
	Switch Network = "switch" // to which each node has a port for each direction; a message holds its sender's and its receiver's
)

// Networks lists them.
var Networks = []Network{Ideal, Bus, Switch}

// wires is what messages hold, in the order in which they are sent.
type wires struct {
	kind Network
	free []unit.Instructions // from when on each bus or port is
}

func newWires(kind Network, nodes int) wires { return wires{kind, make([]unit.Instructions, 2*nodes)} }

// send is when a message has come that is to leave now and takes so long.
func (w *wires) send(now unit.Instructions, from, to trace.Proc, long unit.Instructions) unit.Instructions {
	if w.kind == Ideal {
		return now + long
	}
	out, in := 2*from, 2*to+1
	if w.kind == Bus {
		out, in = 0, 0
	}
	until := max(now, w.free[out], w.free[in]) + long
	w.free[out], w.free[in] = until, until
	return until
}
