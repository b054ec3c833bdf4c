package engine

import (
	"fmt"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/outcome"
)

func (c *workers) result() *outcome.Result {
	res := &outcome.Result{Engine: c.Stats}
	for _, e := range c.engines {
		res.Ops += e.ops
		res.Reused += e.reused
		res.Truncations.Add(&e.truncations)
		for i := e.first; i < e.end; i++ {
			r := &e.ranks[i]
			r.account.Time = r.cpu
			res.Ranks = append(res.Ranks, r.account)
			res.Time = max(res.Time, r.cpu)
			res.Messages += r.account.Messages
			res.Bytes += r.account.Bytes
			res.Open += uint64(r.requests.Used)
		}
	}
	return res
}

func errTooLong(from, to int32, bytes int64) error {
	return fmt.Errorf("a message of %d bytes from rank %d to rank %d takes %v or longer, more than can be simulated", bytes, from, to, cost.MaxDuration)
}

func errTooLate(from, to int32) error {
	return fmt.Errorf("a message from rank %d to rank %d arrives after %v, more than can be simulated", from, to, cost.Horizon)
}
