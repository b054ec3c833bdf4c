package comm

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// findings holds the joined shards and the replay.
type findings struct {
	procs   int      // of the trace
	shards  []*shard // of all processors, or of some
	matrix  *matrix
	calls   map[collective]*tally
	members map[int32][]trace.Proc
	unit    workUnit
	name    string // of the unit of work
	total   uint64 // work of all processors
	path    *replay
	traffic []Traffic
}

// Merge joins the shards. If all processors are present, it replays their events.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	f := findings{procs: a.head.Procs, matrix: &matrix{}, calls: map[collective]*tally{}, members: map[int32][]trace.Proc{}}
	for _, s := range shards {
		f.join(s.(*shard))
	}
	if err := f.weigh(a.head.WorkUnit); err != nil {
		return analysis.Result{}, err
	}
	var warnings []error
	switch {
	case len(f.shards) < a.head.Procs:
		warnings = append(warnings, errors.New("comm: omitted the critical path, networks and messages of collectives; they need all processors"))
	case a.Events == nil:
		warnings = append(warnings, errors.New("comm: omitted the critical path, networks and messages of collectives; they need the events of the trace"))
	default:
		g := f.grows(a.Collectives)
		if err := g.check(a.Collectives); err != nil {
			return analysis.Result{}, err
		}
		if err := f.replay(a); err != nil {
			return analysis.Result{}, err
		}
		warnings = append(f.warnings(a), g.warning()...)
	}
	if err := f.matrix.check(); err != nil {
		return analysis.Result{}, err
	}
	if f.path != nil {
		f.traffic = trafficOf(f.matrix, a.head.Procs)
	}
	full := f.matrixTable(a.Meta)
	return analysis.Result{
		Tables: []*store.Table{full, f.sizeTable(a.Meta), f.procTable(a.Meta), f.collectiveTable(a.Meta), f.pathTable(a), f.networkTable(a)},
		Full:   full, Summary: f.summary(a), Warnings: warnings}, nil
}

// join adds a shard. All processors are members of the world. The members of another group are the
// processors that call a collective in it.
func (f *findings) join(s *shard) {
	f.shards = append(f.shards, s)
	f.matrix.join(&s.matrix)
	f.members[trace.None] = append(f.members[trace.None], s.proc)
	rows := s.calls.Rows()
	for i := range rows {
		c, t := rows[i].Key, &rows[i].Value
		if all := f.members[c.group]; len(all) == 0 || all[len(all)-1] != s.proc {
			f.members[c.group] = append(all, s.proc)
		}
		sum := f.calls[c]
		if sum == nil {
			sum = &tally{}
			f.calls[c] = sum
		}
		sum.members++
		sum.calls = max(sum.calls, t.calls)
		sum.bytes = min(overflown, sum.bytes+t.bytes)
	}
}

// weigh chooses the unit of work and adds up the work.
func (f *findings) weigh(in trace.WorkUnit) error {
	f.unit, f.name = workUnit{instr: true, work: true}, string(trace.WorkInstr)
	if in != trace.WorkInstr {
		f.unit.work = slices.ContainsFunc(f.shards, func(s *shard) bool { return s.work > 0 })
		f.unit.instr = !f.unit.work
	}
	if !f.unit.instr {
		f.name = string(in)
	}
	for _, s := range f.shards {
		if f.total += f.worked(s); f.total < f.worked(s) || f.worked(s) < s.work && f.unit.work {
			return errors.New("comm: the work of all processors exceeds 2^64")
		}
	}
	return nil
}

// worked returns the work of a processor.
func (f *findings) worked(s *shard) (n uint64) {
	if f.unit.instr {
		n = s.instr
	}
	if f.unit.work {
		n += s.work
	}
	return n
}

func (f *findings) replay(a *Analysis) error {
	f.path = newReplay(a, f.unit, f.members, f.matrix)
	return f.path.run(a.Events, f.shards)
}

// warnings returns the limitations of the results.
func (f *findings) warnings(a *Analysis) (all []error) {
	calls := uint64(0)
	for _, t := range f.calls {
		calls += t.calls
	}
	if f.matrix.total.messages == 0 && calls == 0 {
		all = append(all, errors.New("comm: the trace has no messages; for data exchanged through memory use --run sharing"))
	}
	if calls == 0 && a.Collectives != Apart {
		all = append(all, errors.New("comm: --collectives has no effect: the trace has no recorded collectives"))
	}
	if calls > 0 && a.Collectives == Apart {
		all = append(all, fmt.Errorf("comm: calls of collectives are not counted as messages (%d); choose messages for them with --collectives", calls))
	}
	if n := f.path.released; n > 0 {
		all = append(all, fmt.Errorf("comm: on the critical path, receives, waits and collectives without partners do not wait (%d)", n))
	}
	if n, _ := f.path.post.Unmatched(); n > 0 {
		all = append(all, fmt.Errorf("comm: messages that are never received (%d)", n))
	}
	return all
}

// sortedCalls returns the collectives that were called, sorted.
func sortedCalls(calls map[collective]*tally) []collective {
	return slices.SortedFunc(maps.Keys(calls), collective.compare)
}
