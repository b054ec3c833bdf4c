package spmd

import "spoor/traces/trace"

// barrierDissemination: in round k rank r tells rank r+2^k, counted around, that it
// and 2^k-1 ranks before it have come; ceil(log2 P) rounds.
func barrierDissemination(c *Comm) {
	for dist := 1; dist < c.size; dist *= 2 {
		to, from := (c.index+dist)%c.size, (c.index+c.size-dist)%c.size
		exchange[byte](c, trace.Barrier, to, nil, from, nil)
	}
}

// barrierDisseminationTraffic: ceil(log2 P) empty messages.
func barrierDisseminationTraffic(c Call) Traffic { return Traffic{Messages: int64(log2Ceil(c.Procs))} }
