package spmd_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

// slowNet is a backend: a machine whose network takes a fixed time for a message,
// and whose processors take a nanosecond for an instruction.
type slowNet struct {
	latency uint64 // ns
	procs   []*processor
}

type processor struct {
	*spmd.Coroutine
	waited  uint64 // ns
	blocked bool
	coming  []arrival // by time
}

type arrival struct {
	at uint64
	*spmd.Message
}

func (p *processor) clock() uint64 { return p.Rank.Executed() + p.waited }

// Run resumes the processor whose clock is the lowest until none can go on.
func (n *slowNet) Run(_ context.Context, ranks []*spmd.Rank) error {
	for _, r := range ranks {
		p := &processor{Coroutine: spmd.NewCoroutine(r)}
		defer p.Stop()
		n.procs = append(n.procs, p)
	}
	for {
		var next *processor
		for _, p := range n.procs {
			if !p.Ended && !p.blocked && (next == nil || p.clock() < next.clock()) {
				next = p
			}
		}
		if next == nil {
			return spmd.Deadlock(ranks)
		}
		if next.Resume(); next.Err != nil {
			return next.Err
		}
	}
}

// Do waits until no other processor is behind: what it sees then is all there is.
func (n *slowNet) Do(r *spmd.Rank, op *spmd.Op) {
	p := n.procs[r.ID()]
	p.Pause()
	switch op.Kind {
	case trace.Send:
		to := n.procs[op.Message.To]
		to.coming = append(to.coming, arrival{p.clock() + n.latency, op.Message.Keep()})
		to.blocked = false
	case trace.Recv:
		p.receive(op.Request)
	case trace.Iprobe:
		p.waited++
		if i := p.find(op.Request); i >= 0 && p.coming[i].at <= p.clock() {
			op.Message = p.coming[i].Message
		}
	case trace.Clock:
		op.Clock = time.Duration(p.clock())
	default:
		panic("this machine cannot " + op.Kind.String())
	}
}

func (p *processor) find(q *spmd.Request) int {
	return slices.IndexFunc(p.coming, func(a arrival) bool { return q.Takes(a.Message) })
}

func (p *processor) receive(q *spmd.Request) {
	i := p.find(q)
	for ; i < 0; i = p.find(q) {
		p.blocked = true
		p.Pause()
	}
	p.waited += max(p.coming[i].at, p.clock()) - p.clock()
	q.Deliver(p.coming[i].Message)
	p.coming = slices.Delete(p.coming, i, i+1)
}

// A program sees the time of the machine that it runs on, and acts on it: here rank
// 1 polls until a message has come, which takes as many polls as the network takes
// nanoseconds.
func ExampleBackend() {
	program := func(r *spmd.Rank) error {
		x := []int{0}
		if r.ID() == 0 {
			spmd.Send(r, 1, 0, []int{42})
			spmd.Recv(r, 1, 0, x)
			fmt.Println("rank 0 has its answer after", r.Clock())
			return nil
		}
		polls := 1
		for _, ok := spmd.Iprobe(r, spmd.Any, 0); !ok; _, ok = spmd.Iprobe(r, spmd.Any, 0) {
			polls++
		}
		spmd.Recv(r, spmd.Any, 0, x)
		fmt.Println("rank 1 found", x[0], "with poll", polls, "after", r.Clock())
		spmd.Send(r, 0, 0, x)
		return nil
	}
	for _, latency := range []uint64{500, 2000} {
		_, err := spmd.Run(context.Background(), spmd.Options{Procs: 2}, program, &slowNet{latency: latency}, nil)
		fmt.Println(err)
	}
	// Output:
	// rank 1 found 42 with poll 500 after 500ns
	// rank 0 has its answer after 1µs
	// <nil>
	// rank 1 found 42 with poll 2000 after 2µs
	// rank 0 has its answer after 4µs
	// <nil>
}
