package timeline

import (
	"spoor/traces/heap"
	"spoor/traces/trace"
)

// nominalProc is one processor. Of a graph, all events are in memory; of other processors
// only the next one.
type nominalProc struct {
	proc     trace.Proc
	cursor   *trace.EventCursor
	now      int64
	task     task // the next one, unless graph
	bursted  bool // its instructions have been counted
	ended    bool
	waits    *task // the waiting task, unless graph
	requests map[int32]*pending
	rounds   map[collectiveKey]int
	graph    *eventGraph
}

// task is an event to perform.
type task struct {
	nominalProc *nominalProc
	event       *trace.Event
	row         int64
	begin       int64
	kept        bool // it waits while its processor continues
}

// pending is the operation of a request: a slot, a collective, or a known end.
type pending struct {
	postedRecv *postedRecv
	collective *collectiveState
	end        int64
	wait       *task // the task that waits for the party
}

// proceed gets the next task of s and queues s.
func (n *nominal) proceed(s *nominalProc) error {
	if s.graph == nil {
		e, err := s.cursor.Next()
		if err != nil {
			return err
		}
		s.task, s.bursted, s.ended = task{nominalProc: s, event: e, row: s.cursor.Row()}, false, e == nil
	} else {
		s.ended = len(s.graph.ready) == 0
	}
	if !s.ended {
		n.enqueue(s)
	}
	return nil
}

// enqueue puts s into the queue by its clock.
func (n *nominal) enqueue(s *nominalProc) {
	n.queue.Put(int32(s.proc), heap.Item[int64, trace.Proc, uint8, struct{}]{Key: s.clock(), Tie: s.proc})
}

// clock returns when s continues.
func (s *nominalProc) clock() int64 {
	if s.graph != nil && len(s.graph.ready) > 0 {
		return max(s.now, s.graph.ready[0].Key)
	}
	return s.now
}
