package simgridti

import (
	"fmt"
	"math"

	"spoor/traces/trace"
)

// tiAction is one kind of line.
type tiAction struct {
	name        string
	least, most int    // number of values; most is -1 if it depends on the number of ranks
	usage       string // the values, for errors
	do          func(p *tiParser) error
	kind        trace.Kind
}

// tiActions are the actions of SimGrid's replay.
var tiActions = [...]tiAction{
	{name: "init", most: 1, usage: "none, or any for doubles", do: (*tiParser).doInit},
	{name: "location", most: -1, usage: "a file and a line", do: lose(tiLocationLost)},
	{name: "finalize", usage: "none", do: (*tiParser).doFinalize},
	{name: "compute", least: 1, most: 1, usage: "an amount of flop", do: (*tiParser).doCompute},
	{name: "sleep", least: 1, most: 1, usage: "a number of seconds", do: (*tiParser).doSleep},
	{name: "send", least: 3, most: 4, usage: tiMessageUsage, do: (*tiParser).doSend, kind: trace.Send},
	{name: "isend", least: 3, most: 4, usage: tiMessageUsage, do: (*tiParser).doSend, kind: trace.Isend},
	{name: "recv", least: 3, most: 4, usage: tiMessageUsage, do: (*tiParser).doRecv, kind: trace.Recv},
	{name: "irecv", least: 3, most: 4, usage: tiMessageUsage, do: (*tiParser).doRecv, kind: trace.Irecv},
	{name: "test", least: 3, most: 3, usage: "source, destination and tag", do: (*tiParser).doTest},
	{name: "wait", least: 3, most: 3, usage: "source, destination and tag", do: (*tiParser).doWait},
	{name: "waitall", most: 1, usage: "at most the number of requests", do: (*tiParser).doWaitall},
	{name: "sendRecv", least: 4, most: 6, usage: "count sent, destination, count received, source; optional: two datatypes", do: (*tiParser).doSendRecv},
	{name: "barrier", usage: "none", do: (*tiParser).doBarrier},
	{name: "bcast", least: 1, most: 3, usage: "count; optional: root and datatype", do: (*tiParser).doBcast},
	{name: "reduce", least: 2, most: 4, usage: "count, flop; optional: root and datatype", do: (*tiParser).doReduce},
	{name: "allreduce", least: 2, most: 3, usage: "count, flop; optional: datatype", do: (*tiParser).doVectorOp, kind: trace.AllReduce},
	{name: "scan", least: 2, most: 3, usage: "count, flop; optional: datatype", do: (*tiParser).doVectorOp, kind: trace.Scan},
	{name: "exscan", least: 2, most: 3, usage: "count, flop; optional: datatype", do: (*tiParser).doExscan, kind: trace.Scan},
	{name: "alltoall", least: 2, most: 4, usage: tiPairUsage, do: (*tiParser).doAlltoall},
	{name: "allgather", least: 2, most: 4, usage: tiPairUsage, do: (*tiParser).doAllgather},
	{name: "gather", least: 2, most: 5, usage: tiRootedUsage, do: (*tiParser).doGather},
	{name: "scatter", least: 2, most: 5, usage: tiRootedUsage, do: (*tiParser).doScatter},
	{name: "alltoallv", least: 2, most: -1, usage: "two sizes with a count for each rank; optional: two datatypes", do: (*tiParser).doAlltoallv},
	{name: "allgatherv", least: 1, most: -1, usage: "a count sent, one for each rank; optional: two datatypes", do: (*tiParser).doAllgatherv},
	{name: "gatherv", least: 1, most: -1, usage: "a count sent, one for each rank; optional: root and two datatypes", do: (*tiParser).doGatherv},
	{name: "scatterv", least: 1, most: -1, usage: "a count for each rank, one received; optional: root and two datatypes", do: (*tiParser).doScatterv},
	{name: "reducescatter", least: 1, most: -1, usage: "a count for each rank, flop; optional: datatype", do: (*tiParser).doReduceScatter},
	{name: "comm_size", most: -1, do: lose(tiNoEffect)},
	{name: "comm_split", most: -1, do: lose(tiNoEffect)},
	{name: "comm_dup", most: -1, do: lose(tiNoEffect)},
	{name: "migrate", most: -1, do: lose(tiNoEffect)},
}

// The values of several actions.
const (
	tiMessageUsage = "partner, tag, size (a count); optional: datatype"
	tiPairUsage    = "count sent, count received; optional: two datatypes"
	tiRootedUsage  = "count sent, count received; optional: root and two datatypes"
)

// The indices in tiActions that the code uses.
const (
	tiInit = iota
	tiLocation
)

// tiActionIndex maps each name to its index in tiActions.
var tiActionIndex = func() map[string]int {
	all := map[string]int{}
	for i, a := range tiActions {
		all[a.name] = i
	}
	return all
}()

// lose returns the handler of actions that are omitted.
func lose(o tiOddity) func(p *tiParser) error {
	return func(p *tiParser) error {
		p.note(o)
		return nil
	}
}

func (p *tiParser) doInit() error {
	if p.frozen > 0 {
		return p.bad(fmt.Sprintf("init of rank %d after line %d, where the number of ranks matters", p.rank.number, p.frozen),
			fmt.Sprintf("move the inits of all ranks to the start, or set their number with --set %s=N", tiRanks))
	}
	p.rank.state, p.rank.size = tiRunning, tiByteBytes
	if len(p.values) > 0 {
		p.rank.size = tiDoubleBytes
	}
	p.inits++
	if p.shared && !p.given {
		p.procs = p.inits
	}
	return nil
}

func (p *tiParser) doFinalize() error { return p.rank.end(p) }

func (p *tiParser) doCompute() error {
	whole, fraction, problem := tiNumber(p.values[0])
	work := p.amount(0, "amount of flops")
	if p.problem != nil || problem != "" {
		return p.problem
	}
	p.flops += float64(whole) + fraction
	return p.rank.rankWriter.Compute(work, 0, p.at)
}

func (p *tiParser) doSleep() error {
	whole, fraction, problem := tiNumber(p.values[0])
	if problem != "" || whole < 0 || fraction < 0 {
		return p.bad("a sleep must be a number of seconds from 0", "")
	}
	if p.speed == 0 {
		p.note(tiSleepLost)
		return nil
	}
	flops := (float64(whole) + fraction) * p.speed
	if flops >= 1<<63 {
		return p.bad("the sleep exceeds 63 bits of flop", "")
	}
	p.note(tiSleepPaid)
	full, part := math.Modf(flops)
	return p.rank.rankWriter.Compute(p.carry(int64(full), part), 0, p.at)
}
