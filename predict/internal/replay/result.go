package replay

import (
	"math"

	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Times is the division of a processor's time into parts [sivasubramaniam1995, sec. 2].
type Times struct {
	Ideal      unit.Picos // instructions and cache latency, if every touch hits
	Latency    unit.Picos // of the memory system, if no other processor uses it
	Contention unit.Picos // waiting for the memory system
	Sync       unit.Picos // waiting at barriers and for locks
	Messages   unit.Picos // sending, receiving and waiting for messages, including those of barriers
}

// Total returns the sum of the parts.
func (t Times) Total() unit.Picos { return t.Ideal + t.Latency + t.Contention + t.Sync + t.Messages }

func (t Times) minus(u Times) Times {
	return Times{t.Ideal - u.Ideal, t.Latency - u.Latency, t.Contention - u.Contention, t.Sync - u.Sync, t.Messages - u.Messages}
}

// Processor is the result of one processor. It began at Start, finished at Start + Times.Total(), and waited End for
// the slowest: Start + Times.Total() + End is Result.Time for all processors.
type Processor struct {
	Start unit.Picos
	Times
	End    unit.Picos
	Instr  unit.Instructions // including compute events in instructions
	Refs   uint64            // loads and stores; Counts has the touches of lines
	Events uint64
	Counts touch.Counts
}

// Phase is what one processor did from one barrier to the next. Phase 0 begins with the program, and the last phase
// ends with it. Sync includes the wait at the barrier that ends the phase, or for the slowest processor at the end of
// the program. So the phases of a processor add up to Result.Time.
type Phase struct {
	Proc  trace.Proc
	Phase int
	Times
	Instr      unit.Instructions
	Refs       uint64
	Touches    uint64
	Misses     uint64
	Upgrades   uint64
	WriteBacks uint64
}

// Result is a simulated run.
type Result struct {
	Time       unit.Picos // until the last processor finished
	Procs      []Processor
	Phases     []Phase // by processor and phase, with Options.Phases
	Shared     touch.SharedUsage
	TaskQueues bool    // several processors take tasks from queues
	Warnings   []error // what is not simulated, and why the result may be wrong
	// of the messages; nil if the run simulates none. Its Computing is all times of Procs except Times.Messages.
	Messages *outcome.Result
	Engine   outcome.Stats // of references on target wwt; zero: one after the other
	Host     *WindowTimes  // with Options.HostTimes
}

// OfMessages returns the result of a run that simulates messages only. Its computation is ideal time.
func OfMessages(messages *outcome.Result, warnings []error) *Result {
	res := &Result{Time: messages.Time, Messages: messages, Warnings: warnings, Procs: make([]Processor, len(messages.Ranks))}
	for i := range res.Procs {
		p, rank := &res.Procs[i], &messages.Ranks[i]
		p.Ideal = rank.Parts[observe.Computing]
		p.Times.Messages, p.End = rank.Time-p.Ideal, res.Time-rank.Time
	}
	return res
}

// Instr returns the number of instructions of all processors.
func (r *Result) Instr() (n unit.Instructions) {
	for i := range r.Procs {
		n += r.Procs[i].Instr
	}
	return n
}

// References returns the number of loads and stores of all processors.
func (r *Result) References() (n uint64) {
	for i := range r.Procs {
		n += r.Procs[i].Refs
	}
	return n
}

// Counts returns the sum over all processors.
func (r *Result) Counts() (sum touch.Counts) {
	for i := range r.Procs {
		sum.Add(r.Procs[i].Counts)
	}
	return sum
}

// EInstr returns the average time per instruction of the whole machine: the run time divided by the instructions of
// all processors [du2000, eq. 3.4]. It is NaN without instructions.
func (r *Result) EInstr() unit.Seconds { return r.perInstr(float64(r.Time)) }

// Part returns the share of part(p) in EInstr, averaged over processors. The parts Ideal, Latency, Contention and
// Sync + End add up to EInstr.
func (r *Result) Part(part func(p *Processor) unit.Picos) unit.Seconds {
	sum := 0.0
	for i := range r.Procs {
		sum += float64(part(&r.Procs[i]))
	}
	return r.perInstr(sum / float64(len(r.Procs)))
}

func (r *Result) perInstr(ps float64) unit.Seconds {
	n := r.Instr()
	if n == 0 {
		return unit.Seconds(math.NaN())
	}
	return unit.Seconds(ps / 1e12 / float64(n))
}

// MissRatio returns misses divided by touches of lines; 0 without any.
func (r *Result) MissRatio() float64 {
	c := r.Counts()
	return float64(c.Misses()) / float64(max(1, c.Touches()))
}

// Utilization returns the fraction of the time, until processors and memories are done, for which the memory or its
// bus was held. Of several memories it is the one that was held longest. It is 0 for an empty run, and if memory is
// always free (LogP and cLogP).
func (r *Result) Utilization() float64 {
	return float64(r.Shared.Busy) / float64(max(1, r.Time, r.Shared.End))
}

// NetworkUtilization returns the fraction of that time for which the busiest part of the network was held.
func (r *Result) NetworkUtilization() float64 {
	return float64(r.Shared.NetworkBusy) / float64(max(1, r.Time, r.Shared.End))
}
