package replay

import (
	"errors"
	"fmt"
	"strings"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// maxNamed is how many processors an error lists.
const maxNamed = 8

// deadlock returns an error that lists the waiting processors, or nil if all have finished.
func (r *run) deadlock() error {
	var who []string
	stuck := 0
	for _, p := range r.procs {
		if p.state != finished {
			stuck++
		}
		if len(who) < maxNamed {
			who = append(who, r.describeState(p))
		}
	}
	if stuck == 0 {
		return nil
	}
	if more := len(r.procs) - len(who); more > 0 {
		who = append(who, fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("deadlock, %d of %d processors wait forever: %s", stuck, len(r.procs), strings.Join(who, "; "))
}

// describeState describes what p, which does not run, waits for.
func (r *run) describeState(p *processor) string {
	switch p.state {
	case finished:
		return fmt.Sprintf("processor %d has finished", p.id)
	case notForked:
		return fmt.Sprintf("processor %d waits to be forked", p.id)
	}
	how, what := "for", ""
	if what, _ = r.waitsFor(p); p.state == atBarrier {
		how = "at"
	}
	return fmt.Sprintf("processor %d (event %d, after %d references) waits %s %s", p.id, p.eventsDone-1, p.rows[p.event-1].Refs, how, what)
}

// waitsFor describes what p, which does not run, waits for. It returns the processor that p waits for, or trace.None.
func (r *run) waitsFor(p *processor) (what string, other int32) {
	if p.state == notForked {
		return "being forked", trace.None
	}
	e := p.rows[p.event-1]
	switch p.state {
	case atLock:
		holder := int32(r.locks[e.Peer].holder.id)
		return fmt.Sprintf("lock %d, which processor %d holds", e.Peer, holder), holder
	case atFlag:
		return fmt.Sprintf("%d signals of flag %d, which has %d", e.Tag, e.Peer, r.flags[e.Peer].signals), trace.None
	case atJoin:
		return fmt.Sprintf("the end of processor %d", e.Peer), e.Peer
	}
	there := len(r.barriers[barrierID{e.Peer, e.Group}])
	return fmt.Sprintf("barrier %d, where %d of %d are", e.Peer, there, r.membersOf(e.Group)), trace.None
}

// result collects the results of all processors.
func (r *run) result() *Result {
	res := &Result{Shared: r.sys.SharedUsage(), TaskQueues: r.hasTaskQueues()}
	for _, p := range r.procs {
		t := r.totals(p)
		res.Procs = append(res.Procs, Processor{Times: t.Times, Instr: t.Instr, Refs: t.Refs,
			Events: p.eventsDone, Counts: r.sys.Counts(p.id)})
		res.Time = max(res.Time, t.Total())
	}
	for i, p := range r.procs {
		q := &res.Procs[i]
		q.End = res.Time - q.Total()
		if r.opt.Phases {
			p.phases[len(p.phases)-1].Sync += q.End
			res.Phases = append(res.Phases, p.phases...)
		}
	}
	res.Warnings = r.warnings(res.Shared.Lines)
	return res
}

// counted returns a number of operations with its verb: "1 prefetch is".
func counted(n uint64, op trace.Op) string {
	switch {
	case n == 1:
		return fmt.Sprintf("1 %v is", op)
	case op == trace.Ifetch:
		return fmt.Sprintf("%d %vs are", n, op)
	}
	return fmt.Sprintf("%d %ves are", n, op)
}

// warnings returns warnings about what is not simulated.
func (r *run) warnings(lines uint64) (all []error) {
	var skipped [trace.Flush + 1]uint64
	for _, p := range r.procs {
		for op, n := range p.skipped {
			skipped[op] += n
		}
	}
	for _, op := range []trace.Op{trace.Ifetch, trace.Prefetch, trace.Flush} {
		if skipped[op] > 0 && (op == trace.Ifetch || !r.sys.HasCaches()) {
			all = append(all, fmt.Errorf("%s simulated as instructions only; the machine has no cache for them", counted(skipped[op], op)))
		}
	}
	if size := unit.Bytes(lines) << r.shift; r.opt.Memory > 0 && size > r.opt.Memory {
		all = append(all, fmt.Errorf("the program touches %v of data and the memory has %v; paging is not simulated, so the real machine is slower",
			size, r.opt.Memory))
	}
	switch {
	case lines == 0 && r.messages == nil:
		all = append(all, errors.New("the trace has no loads and no stores: the time is only that of the instructions"))
	case lines == 0:
		all = append(all, errors.New("the trace has no loads and no stores: no processor waits for the memory"))
	}
	if err := r.lookWarning(); err != nil {
		all = append(all, err)
	}
	if r.uncountedWaits > 0 {
		all = append(all, fmt.Errorf("%d waits for flags have no number of signals, and do not wait", r.uncountedWaits))
	}
	if r.hasTaskQueues() && r.program == nil {
		all = append(all, errors.New("the program takes tasks from a queue: the assignment of tasks depends on timing, but is replayed as recorded"))
	}
	if len(r.procs) > 1 && r.noEvents() {
		all = append(all, errors.New("the trace has no events: processors never wait for each other"))
	}
	return all
}

// hasTaskQueues reports whether several processors take tasks from queues.
func (r *run) hasTaskQueues() bool {
	for id := range r.locks {
		if id >= trace.TaskQueues {
			return len(r.procs) > 1
		}
	}
	return false
}

func (r *run) noEvents() bool {
	for _, p := range r.procs {
		if p.eventsDone > 0 {
			return false
		}
	}
	return true
}
