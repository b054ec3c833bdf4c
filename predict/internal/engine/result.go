package engine

import "spoor/predict/internal/engine/outcome"

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
