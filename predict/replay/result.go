package replay

import (
	"math"

	"spoor/predict/memsys"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Times says where the time of a processor went [sivasubramaniam1995, sec. 2].
type Times struct {
	Ideal      unit.Picos // instructions and cache latency, if every touch hit
	Latency    unit.Picos // of the memory system, if nobody else used it
	Contention unit.Picos // waiting for the memory system
	Sync       unit.Picos // waiting at barriers and for locks
	Messages   unit.Picos // of programs that pass messages, too: sending, receiving and waiting for them, barriers among them
}

// Total is the sum of the parts.
func (t Times) Total() unit.Picos { return t.Ideal + t.Latency + t.Contention + t.Sync + t.Messages }

func (t Times) minus(u Times) Times {
	return Times{t.Ideal - u.Ideal, t.Latency - u.Latency, t.Contention - u.Contention, t.Sync - u.Sync, t.Messages - u.Messages}
}

// Processor is what one processor did. It finished at Times.Total(), and waited
// End for the slowest: Times.Total() + End is Result.Time for all of them.
type Processor struct {
	Times
	End    unit.Picos
	Instr  unit.Instructions // work of compute events in instructions included
	Refs   uint64            // loads and stores; the touches of lines are in Counts
	Events uint64
	Counts memsys.Counts
}

// Phase is what one processor did from one barrier to the next: phase 0 begins
// with the program, and the last ends with it. Sync has the wait at the barrier
// that ends the phase, or for the slowest processor at the end of the program, so
// that the phases of a processor add up to Result.Time.
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
	Phases     []Phase // by processor and phase, if they were asked for
	Shared     memsys.SharedUsage
	TaskQueues bool    // several processors take tasks from queues
	Warnings   []error // what was left out, and why the result may not hold
}

// Instr is the number of instructions of all processors.
func (r *Result) Instr() (n unit.Instructions) {
	for i := range r.Procs {
		n += r.Procs[i].Instr
	}
	return n
}

// Counts is the sum over all processors.
func (r *Result) Counts() (sum memsys.Counts) {
	for i := range r.Procs {
		sum.Add(r.Procs[i].Counts)
	}
	return sum
}

// EInstr is the average time per instruction of the whole machine, the time of
// the run over the instructions of all processors [du2000, eq. 3.4]; NaN without
// any instruction.
func (r *Result) EInstr() unit.Seconds { return r.perInstr(float64(r.Time)) }

// Part is the share of EInstr that part(p) makes up, averaged over processors:
// the parts Ideal, Latency, Contention and Sync + End add up to EInstr.
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

// MissRatio is misses over touches of lines; 0 without any.
func (r *Result) MissRatio() float64 {
	c := r.Counts()
	return float64(c.Misses()) / float64(max(1, c.Touches()))
}

// Utilization is the part of the time, until processors and memories are done, for
// which the memory, or its bus, was held; of several the one that was held longest. It is 0 for an empty run, and
// where memory is always free (LogP and cLogP).
func (r *Result) Utilization() float64 {
	return float64(r.Shared.Busy) / float64(max(1, r.Time, r.Shared.End))
}

// NetworkUtilization is the part of that time for which the busiest part of the network was held.
func (r *Result) NetworkUtilization() float64 {
	return float64(r.Shared.NetworkBusy) / float64(max(1, r.Time, r.Shared.End))
}
