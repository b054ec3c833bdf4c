package spmd

import "spoor/traces/trace"

// barrierDissemination takes ceil(log2 P) rounds. In round k, rank r sends rank r+2^k (modulo P) an empty message:
// r and the 2^k-1 ranks before it have arrived.
func barrierDissemination(c *Comm) {
	for dist := 1; dist < c.size; dist *= 2 {
		to, from := (c.index+dist)%c.size, (c.index+c.size-dist)%c.size
		exchange[byte](c, trace.Barrier, to, nil, from, nil)
	}
}

// barrierDisseminationTraffic: ceil(log2 P) empty messages.
func barrierDisseminationTraffic(c Call) Traffic { return Traffic{Messages: int64(log2Ceil(c.Procs))} }
