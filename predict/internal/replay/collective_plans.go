package replay

import (
	"fmt"
	"slices"

	"spoor/analyze/comm"
	"spoor/predict/internal/engine/program"
	"spoor/traces/trace"
)

// plans computes the messages of collectives. The plan of a call is made when its first member comes to it and
// dropped with the last. Plans of recent calls are stored for calls with the same messages.
type plans struct {
	algorithm  comm.Algorithm
	byCode     map[int32]*callSequence
	inProgress map[callID]*plan
	recent     map[planKey]*plan
}

// callID is a call of a collective: the code of its collectiveID, and its number in the sequence.
type callID struct{ code, number int32 }

// planKey is equal for calls with the same messages.
type planKey struct {
	code  int32
	kind  trace.Kind
	root  int32
	bytes int64
}

// plan holds the steps of each member: those of member i are from begin[i] to begin[i+1].
type plan struct {
	steps     []program.Step
	begin     []int
	remaining int // members that have not come
}

const (
	maxStoredPlans     = 64      // stored plans
	maxStoredMessages  = 1 << 16 // messages of a stored plan
	maxAllToAllMembers = 1 << 13 // of a collective in which each member sends to each other
)

func newPlans(s *EventStats, how comm.Algorithm) *plans {
	p := &plans{algorithm: how, byCode: map[int32]*callSequence{}, inProgress: map[callID]*plan{}, recent: map[planKey]*plan{}}
	for _, c := range s.collectives {
		p.byCode[c.code] = c
	}
	return p
}

// steps returns the steps of a rank. op.Group is the code of the collective, and op.Peer the number of the call.
func (p *plans) steps(rank int32, op *program.Op) ([]program.Step, error) {
	c, id := p.byCode[op.Group], callID{op.Group, op.Peer}
	it := p.inProgress[id]
	if it == nil {
		var err error
		if it, err = p.plan(c, int(op.Peer)); err != nil {
			return nil, err
		}
		it = &plan{it.steps, it.begin, len(c.members)}
		p.inProgress[id] = it
	}
	if it.remaining--; it.remaining == 0 {
		delete(p.inProgress, id)
	}
	member, _ := slices.BinarySearch(c.members, rank)
	return it.of(member), nil
}

// of returns the steps of a member.
func (p *plan) of(member int) []program.Step { return p.steps[p.begin[member]:p.begin[member+1]] }

// plan computes the plan of a call, or returns a stored one with the same messages.
func (p *plans) plan(c *callSequence, number int) (*plan, error) {
	one := &c.all[number]
	key := planKey{c.code, one.kind, one.root, one.bytes[0]}
	if one.uniform {
		if it := p.recent[key]; it != nil {
			return it, nil
		}
	}
	if len(c.members) > maxAllToAllMembers && p.allToAll(one.kind) {
		return nil, fmt.Errorf("%v between %d processors sends %d messages by the algorithm %s, more than can be simulated; use %s",
			one.kind, len(c.members), len(c.members)*(len(c.members)-1), p.algorithm, comm.Doubling)
	}
	it := p.planned(c, number)
	if one.uniform && len(it.steps) <= 2*maxStoredMessages {
		if len(p.recent) == maxStoredPlans {
			clear(p.recent)
		}
		p.recent[key] = it
	}
	return it, nil
}

// planned computes the plan of a call. It goes through the messages twice: the first time, it counts them.
func (p *plans) planned(c *callSequence, number int) *plan {
	one := &c.all[number]
	it := &plan{begin: make([]int, len(c.members)+1)}
	each := func(send func(round, from, to int, bytes int64)) {
		comm.Messages(p.algorithm, one.kind, c.root(number), one.bytesOfMembers(len(c.members)), send)
	}
	each(func(_, from, to int, _ int64) {
		it.begin[from+1]++
		it.begin[to+1]++
	})
	for i := range c.members {
		it.begin[i+1] += it.begin[i]
	}
	it.steps = make([]program.Step, it.begin[len(c.members)])
	next := slices.Clone(it.begin)
	add := func(member int, s program.Step) {
		it.steps[next[member]] = s
		next[member]++
	}
	each(func(round, from, to int, bytes int64) {
		add(from, program.SendStep(round, c.members[to], bytes))
		add(to, program.ReceiveStep(round, c.members[from], bytes))
	})
	return it
}

// allToAll reports whether each member sends to each other in collectives of a kind.
func (p *plans) allToAll(kind trace.Kind) bool {
	return kind == trace.AllToAll && p.algorithm != comm.Doubling || p.algorithm == comm.SMPI && (kind == trace.AllGather || kind == trace.Scan)
}

// BarrierSteps returns the messages of barriers of all ranks by an algorithm, for engine.Options.Steps.
func BarrierSteps(ranks int, how comm.Algorithm) func(rank int32, op *program.Op) ([]program.Step, error) {
	c := &callSequence{all: []call{{kind: trace.Barrier, root: trace.None, uniform: true, bytes: []int64{0}}}}
	for r := range int32(ranks) {
		c.members = append(c.members, r)
	}
	var made *plan
	return func(rank int32, _ *program.Op) (_ []program.Step, err error) {
		if made == nil {
			if made, err = (&plans{algorithm: how, recent: map[planKey]*plan{}}).plan(c, 0); err != nil {
				return nil, err
			}
		}
		return made.of(int(rank)), nil
	}
}
