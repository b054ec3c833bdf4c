package engine

import (
	"sync"

	"spoor/predict/internal/engine/program"
)

// startAll starts all ranks. It returns the error of the first one that fails. Workers start the ranks of a program
// that runs at the same time, each its own.
func startAll(engines []*engine, programs []program.Program) error {
	parallel, is := engines[0].direct.(program.Concurrent)
	if is = is && len(engines) > 1; is {
		parallel.Divide(len(engines), func(rank int32) int { return engines[0].ranks[rank].e.number })
	}
	var all sync.WaitGroup
	for _, e := range engines {
		if !is {
			e.start(programs)
			continue
		}
		all.Go(func() {
			e.start(programs)
			for i := e.first; i < e.end; i++ {
				parallel.Deliver(i)
			}
		})
	}
	all.Wait()
	for _, e := range engines {
		if e.failed != nil {
			return e.failed.err
		}
	}
	return nil
}

// start starts the ranks of a worker, up to the first that fails.
func (e *engine) start(programs []program.Program) {
	for i := e.first; i < e.end; i++ {
		r := &e.ranks[i]
		if r.start(programs[i]); e.failed != nil {
			return
		}
		r.updateNext(never, r.programTime())
		e.driver.add(r)
	}
}
