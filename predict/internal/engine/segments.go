package engine

import (
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/engine/share"
	"spoor/traces/unit"
)

// segments are the parts of a directly executed program that a worker's ranks run, each up to the next operation whose result they
// need. Any worker runs them: they do not depend on other ranks, because messages are delivered when no rank of the worker runs.
type segments struct {
	program  program.Concurrent
	pool     *share.Pool
	fetching []*rank // whose program must run before they go on
	running  []*rank
	got      []fetched
}

// fetched is what a program gave.
type fetched struct {
	ops program.Ops
	err error
}

// shareSegments lets workers run parts of the program for each other.
func (c *workers) shareSegments() {
	concurrent, ok := c.engines[0].direct.(program.Concurrent)
	if !ok || len(c.engines) == 1 {
		return
	}
	pool := share.New(len(c.engines), c.barrier.Rouse)
	c.barrier.Help = pool.Help
	for _, e := range c.engines {
		e.segments = &segments{program: concurrent, pool: pool}
	}
}

// together lets the programs of running ranks do something, each on any worker. Then what they sent is delivered.
func (s *segments) together(e *engine, do func(i int, r *rank)) {
	s.pool.Do(e.number, len(s.running), func(by, i int) {
		s.program.RunsOn(s.running[i].id, by)
		do(i, s.running[i])
	})
	for _, r := range s.running {
		s.program.Deliver(r.id)
	}
}

// runSegments runs the programs of ranks that need operations, and lets them go on until the end of a window.
func (e *engine) runSegments(limit unit.Picos) {
	s := e.segments
	for s != nil && len(s.fetching) > 0 {
		s.running, s.fetching = s.fetching, s.running[:0]
		s.got = append(s.got[:0], make([]fetched, len(s.running))...)
		s.together(e, func(i int, r *rank) { s.got[i].ops, s.got[i].err = r.program.Next() })
		for i, r := range s.running {
			e.active, e.limit = r.id, limit
			if e.now = r.main.t; r.takeOps(&r.main, r.main.t, s.got[i].ops, s.got[i].err) {
				r.beginNext(&r.main)
			}
			if r.run(); r.main.phase != fetching {
				e.driver.add(r)
			}
		}
	}
}

// readAheadTogether runs the programs of all ranks that can go on before their operations have been simulated, as far as Whoa looks
// ahead.
func (e *engine) readAheadTogether() {
	s, o := e.segments, e.lookaheads
	for s != nil {
		s.running = s.running[:0]
		for i := e.first; i < e.end; i++ {
			r, k := &e.ranks[i], &o.schedules[i-e.first]
			if r.tasks != nil || r.main.phase == ended || r.failed {
				continue
			}
			if k.canReadAhead(r, e.opt.Ahead) {
				k.trim(r.at - 1)
				o.toFill.Add(i - e.first)
				s.running = append(s.running, r)
			}
		}
		if len(s.running) == 0 {
			return
		}
		s.together(e, func(_ int, r *rank) {
			for k := &o.schedules[r.id-e.first]; k.canReadAhead(r, e.opt.Ahead); {
				k.readAhead(r, e.opt.Ahead)
			}
		})
	}
}
