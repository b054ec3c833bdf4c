package comm

import (
	"slices"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// fewEvents is the most events of a processor on average for which all are read at once, in the order of the file. Their
// tapes take less memory than a reader for each processor, and less time than going from reader to reader.
const fewEvents = 1 << 11

// leastMemory returns what the replay of processors needs at least: their state, and the tapes of all, or a reader for each. An
// exchange of a million ranks with their neighbours has 6 bytes for each event. Processors without messages have the
// least state.
func leastMemory(procs int, events uint64) unit.Bytes {
	const state, reader, onTape = 1000, 60 << 10, 6
	if events > uint64(procs)*fewEvents {
		return unit.Bytes(procs) * (state + reader)
	}
	return unit.Bytes(procs)*state + unit.Bytes(events)*onTape
}

// open makes the steps of all processors available, and schedules the first ones.
func (r *replay) open(src trace.Source, shards []*shard) error {
	r.actors = make([]actor, len(shards))
	events := uint64(0)
	for i, s := range shards {
		r.actors[i].proc, r.actors[i].next.row = s.proc, -1
		events += s.events
	}
	few := events <= uint64(len(shards))*fewEvents
	if few {
		if err := r.record(src, shards); err != nil {
			return err
		}
	}
	for i, s := range shards {
		a, err := &r.actors[i], error(nil)
		switch {
		case s.graph:
			err = r.load(src, a)
		case !few:
			a.events = trace.NewEventCursor(src, a.proc)
			fallthrough
		default:
			err = r.advance(a, path{})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// record writes the tapes of all processors without a graph.
func (r *replay) record(src trace.Source, shards []*shard) error {
	var steps tape
	end := func(at int) {
		if len(steps) > 0 {
			r.actors[at].tape, steps = slices.Clone(steps), steps[:0]
		}
	}
	at := 0
	for b, err := range src.Events() {
		if err != nil {
			return err
		}
		if int(b.Proc) != at {
			end(at)
			at = int(b.Proc)
		}
		for i := range b.Rows {
			if !shards[at].graph {
				s := r.unit.step(&b.Rows[i])
				steps.append(b.Proc, &s)
			}
		}
	}
	end(at)
	return nil
}

// read makes the next step of an actor its step. It returns false at the end.
func (a *actor) read(unit workUnit) (more bool, err error) {
	if a.events == nil {
		a.step, more = a.tape.next(a.proc)
		return more, nil
	}
	e, err := a.events.Next()
	if err != nil || e == nil {
		return false, err
	}
	a.step = unit.step(e)
	return true, nil
}

// stop ends the readers.
func (r *replay) stop() {
	for i := range r.actors {
		if r.actors[i].events != nil {
			r.actors[i].events.Stop()
		}
	}
}
