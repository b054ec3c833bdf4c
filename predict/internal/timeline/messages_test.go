package timeline

import (
	"context"
	"slices"
	"testing"

	"spoor/predict/internal/engine"
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/traces/format"
	"spoor/traces/trace"
)

// message is an event of a message with tag 3.
func message(k trace.Kind, peer int32, bytes int64, needs ...int64) trace.Event {
	e := trace.NewEvent(k)
	e.Peer, e.Tag, e.Bytes, e.Needs = peer, 3, bytes, needs
	return e
}

// simulated runs events, which are graphs or take no more time than their messages, and observes them.
func simulated(t *testing.T, m cost.Model, all ...[]trace.Event) (*Times, trace.Source) {
	t.Helper()
	src := &trace.Memory{Head: trace.Header{Program: "messages", Procs: len(all)}}
	kinds := map[trace.Kind]program.Kind{trace.Send: program.Send, trace.Isend: program.Isend, trace.Recv: program.Recv, trace.Irecv: program.Irecv, trace.Wait: program.Wait, trace.Compute: program.Compute}
	var programs []program.Program
	for p, rows := range all {
		var ops []program.Op
		g := &program.Graph{Starts: []int64{0}}
		for i := range rows {
			e := &rows[i]
			ops = append(ops, program.Op{Kind: kinds[e.Kind], Peer: e.Peer, Tag: e.Tag, Group: e.Group, Bytes: e.Bytes, Request: e.Request})
			for _, need := range e.Needs {
				g.Rows = append(g.Rows, int32(need))
			}
			g.Starts = append(g.Starts, int64(len(g.Rows)))
		}
		if rows[0].Needs == nil {
			g = nil
		}
		left := program.Pack(ops...)
		programs = append(programs, program.Program{Graph: g, Next: func() (now program.Ops, _ error) {
			now, left = left, program.Ops{}
			return now, nil
		}})
		src.EventsOf = append(src.EventsOf, trace.Events{Proc: trace.Proc(p), Rows: rows})
	}
	times := NewTimes(len(all))
	if _, err := engine.Run(context.Background(), programs, engine.Options{Model: m, Observer: times}); err != nil {
		t.Fatal(err)
	}
	return times, src
}

// What receives got is what the simulation gave them, when they had it.
func TestMessages(t *testing.T) {
	anybody := message(trace.Recv, trace.None, 0)
	opened := message(trace.Irecv, 1, 0)
	opened.Request = 7
	waits := trace.NewEvent(trace.Wait)
	waits.Request = 7
	free := []int64{}
	concurrent := func(e trace.Event) trace.Event { e.Needs = free; return e }
	for name, c := range map[string]struct {
		ranks [][]trace.Event
		want  []format.Message // but for tag and group
	}{
		// Rank 1's 90 bytes come from 25 to 203, rank 2's one, which is sent behind one to rank 1, from 33: the first byte counts.
		"any source": {[][]trace.Event{{anybody, anybody}, {message(trace.Send, 0, 90), message(trace.Recv, 2, 0)}, {message(trace.Send, 1, 1), message(trace.Send, 0, 1)}}, []format.Message{
			{From: 1, To: 0, Bytes: 90, Sent: 0, SentEnd: 5, Posted: 0, Taken: 0, Received: 208},
			{From: 2, To: 0, Bytes: 1, Sent: 5, SentEnd: 13, Posted: 208, Taken: 208, Received: 213},
			{From: 2, To: 1, Bytes: 1, Sent: 0, SentEnd: 5, Posted: 5, Taken: 5, Received: 30}}},
		// The port of rank 2 is free for its second message at 8. A wait that is late takes the message up then.
		"a request": {[][]trace.Event{{opened, message(trace.Recv, 2, 0), waits}, {message(trace.Send, 0, 1)}, {message(trace.Send, 0, 90)}}, []format.Message{
			{From: 1, To: 0, Bytes: 1, Sent: 0, SentEnd: 5, Posted: 0, Taken: 216, Received: 221},
			{From: 2, To: 0, Bytes: 90, Sent: 0, SentEnd: 5, Posted: 0, Taken: 0, Received: 216}}},
		// Both receives wait side by side, and are there while rank 0's processor takes their messages up.
		"a graph": {[][]trace.Event{{concurrent(message(trace.Recv, 2, 0)), concurrent(message(trace.Recv, 1, 0)), concurrent(message(trace.Send, 1, 1))},
			{message(trace.Send, 0, 1), message(trace.Recv, 0, 0)}, {message(trace.Send, 0, 90)}}, []format.Message{
			{From: 1, To: 0, Bytes: 1, Sent: 0, SentEnd: 5, Posted: 25, Taken: 25, Received: 30},
			{From: 2, To: 0, Bytes: 90, Sent: 0, SentEnd: 5, Posted: 211, Taken: 211, Received: 216},
			{From: 0, To: 1, Bytes: 1, Sent: 0, SentEnd: 5, Posted: 5, Taken: 5, Received: 30}}},
	} {
		t.Run(name, func(t *testing.T) {
			times, src := simulated(t, model, c.ranks...)
			got, err := times.Messages(src)
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.want {
				c.want[i].Tag, c.want[i].Group = 3, trace.None
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			of := times.Source(src)
			for p := range trace.Proc(len(c.ranks)) {
				for b, err := range of.Events(p) {
					if err != nil {
						t.Fatal(err)
					}
					last := int64(0)
					for i, e := range b.Rows {
						if end := times.End(p, int64(i)); e.Time < last || end < e.Time {
							t.Errorf("%v of processor %d from %d to %d, after one until %d", e.Kind, p, e.Time, end, last)
						} else {
							last = end
						}
					}
				}
			}
		})
	}
}
