package replay

import (
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// start returns when a processor begins.
func (o *Options) start(p trace.Proc) unit.Picos {
	if o.Starts == nil {
		return 0
	}
	return o.Starts[p]
}

// begunAt takes the times before processors begin, which count as computation, out of a result.
func (r *Result) begunAt(starts []unit.Picos) {
	for i, start := range starts {
		p := &r.Procs[i]
		p.Start = start
		p.Ideal -= start
		if r.Messages != nil {
			rank := &r.Messages.Ranks[i]
			rank.Time -= start
			rank.Parts[observe.Computing] -= start
		}
	}
}

// Job returns the part of a result that is of the processors from one to before another, which begin at the same time.
// Its time counts from there. The use of shared parts is that of all processors.
func (r *Result) Job(from, to int) *Result {
	job := &Result{Procs: append([]Processor{}, r.Procs[from:to]...), Shared: r.Shared, TaskQueues: r.TaskQueues}
	job.Shared.End = max(r.Shared.End, r.Time) // of all jobs, for the shares of time
	for i := range job.Procs {
		p := &job.Procs[i]
		job.Time = max(job.Time, p.Total())
		p.Start = 0
	}
	for i := range job.Procs {
		job.Procs[i].End = job.Time - job.Procs[i].Total()
	}
	if r.Messages == nil {
		return job
	}
	job.Messages = &outcome.Result{Time: job.Time, Ranks: r.Messages.Ranks[from:to]}
	for i := range job.Messages.Ranks {
		job.Messages.Messages += job.Messages.Ranks[i].Messages
		job.Messages.Bytes += job.Messages.Ranks[i].Bytes
	}
	return job
}
