package replay

import (
	"context"
	"fmt"
	"sync"
	"time"

	"spoor/calibrate/machine"
	"spoor/predict/internal/engine/barrier"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/memsys"
	"spoor/predict/internal/memsys/touch"
	"spoor/predict/internal/memsys/wwt"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// windows simulates nodes that affect each other only by messages, as the Wisconsin Wind Tunnel does [falsafi1997, sec. 2.1]. In
// each window all nodes do what comes before its end, one independently of the other. A window begins when the first node does
// something, and is as long as a message takes. So all messages of a window arrive after it. Then the workers meet at a barrier, and
// nodes get their messages.
//
// Differs: windows begin at the next action, not at multiples of the quantum. So windows in which nobody does anything are skipped.
// The results do not depend on where windows begin.
type windows struct {
	run     *run
	nodes   []*windowNode
	quantum unit.Picos // length of a window
	workers []*worker
	barrier *barrier.Barrier
	observe *windowObserver // or nil
	clock   *windowClock    // of the host, with one worker; or nil
}

// runWindows replays src on the nodes of m.
func runWindows(ctx context.Context, src trace.Source, s *EventStats, m *machine.Machine, clock Clock, opt Options) (*Result, error) {
	nodes, err := memsys.WWTNodes(m, src.Header())
	if err != nil {
		return nil, err
	}
	if opt.Warm {
		first, err := runNodes(ctx, src, s, nodes, clock, Options{Barrier: opt.Barrier, Progress: opt.Progress, Engine: opt.Engine})
		if err != nil {
			return nil, fmt.Errorf("in the warm-up run: %w", err)
		}
		if err := first.errTooLong(); err != nil {
			return nil, err
		}
		for _, n := range nodes {
			n.Rest()
		}
	}
	return runNodes(ctx, src, s, nodes, clock, opt)
}

// runNodes replays src once.
func runNodes(ctx context.Context, src trace.Source, s *EventStats, hardware []*wwt.Node, clock Clock, opt Options) (*Result, error) {
	head := src.Header()
	if head.Procs < 1 {
		return nil, fmt.Errorf("the trace has no processors")
	}
	w := &windows{quantum: hardware[0].Network}
	if q := opt.Engine.Quantum; q > w.quantum {
		return nil, fmt.Errorf("the quantum of %v is longer than the latency of the network, %v; messages would arrive too late", q, w.quantum)
	} else if q > 0 {
		w.quantum = q
	}
	if opt.Observer != nil {
		w.observe = &windowObserver{to: opt.Observer}
	}
	w.run = newRun(ctx, head, wwtSystem{nodes: hardware}, opt.concurrent())
	for id := range trace.Proc(head.Procs) {
		p := newProcessor(id, opt.clock(id, clock))
		p.startAt(opt.start(id))
		p.read(src)
		defer p.stop()
		w.run.procs = append(w.run.procs, p)
	}
	if err := w.run.markChildren(s); err != nil {
		return nil, err
	}
	for i, p := range w.run.procs {
		w.nodes = append(w.nodes, w.newNode(p, hardware[i]))
	}
	w.assign(min(max(1, opt.Engine.Workers), len(w.nodes)))
	return w.timed(opt.HostTimes)
}

// timed simulates, and measures the times of the simulation on this host if they are asked for.
func (w *windows) timed(asked bool) (*Result, error) {
	if asked && len(w.workers) == 1 {
		w.clock = newWindowClock(len(w.nodes))
	}
	begin := time.Now()
	if err := w.simulate(); err != nil {
		return nil, err
	}
	took, read := time.Since(begin), time.Duration(0)
	res, err := w.result()
	if err != nil || !asked {
		return res, err
	}
	for _, n := range w.nodes {
		read += n.proc.reading
	}
	if res.Host = w.clock.result(took, read); w.clock == nil {
		res.Host.Windows = res.Engine.Windows
	}
	return res, nil
}

// concurrent returns o for several workers at once.
func (o Options) concurrent() Options {
	if report := o.Progress; report != nil {
		var lock sync.Mutex
		o.Progress = func(n int) {
			lock.Lock()
			defer lock.Unlock()
			report(n)
		}
	}
	return o
}

// simulate runs all workers to the end.
func (w *windows) simulate() error {
	var all sync.WaitGroup
	for i := 1; i < len(w.workers); i++ {
		all.Go(func() { w.work(i) })
	}
	w.work(0)
	all.Wait()
	var first *windowNode
	for _, o := range w.workers {
		for _, n := range o.failed {
			if n != nil && (first == nil || n.proc.id < first.proc.id) {
				first = n
			}
		}
	}
	if first != nil {
		return fmt.Errorf("processor %d: %w", first.proc.id, first.err)
	}
	return nil
}

// work simulates the nodes of worker i until nothing is left, or a node has failed.
func (w *windows) work(i int) {
	for window := uint64(0); ; window++ {
		now, then := window%2, (window+1)%2
		start := never
		for _, o := range w.workers {
			start = min(start, o.next[now])
			if o.failed[now] != nil {
				return
			}
		}
		if start == never {
			return
		}
		w.window(i, start, then)
		w.barrier.Wait(i)
		for _, o := range w.workers {
			box := &o.boxes[then][i]
			for m := range box.messages {
				w.nodes[box.messages[m].To].hardware.Inbox.Push(box.messages[m])
			}
		}
		if w.observe != nil && i == 0 {
			w.observe.flush(w.nodes, then)
		}
	}
}

// result collects the results of all nodes.
func (w *windows) result() (*Result, error) {
	r := w.run
	for _, n := range w.nodes {
		r.uncountedWaits += n.run.uncountedWaits
		for id, l := range n.run.locks {
			r.locks[id] = l
		}
		for id, f := range n.run.flags {
			r.flags[id] = f
		}
		for id, b := range n.run.barriers {
			r.barriers[id] = b
		}
	}
	if err := r.deadlock(); err != nil {
		return nil, err
	}
	res := r.result()
	res.begunAt(r.opt.Starts)
	res.Engine = outcome.Stats{Protocol: outcome.Quantum, Workers: len(w.workers)}
	for _, o := range w.workers {
		res.Engine.Windows = max(res.Engine.Windows, o.window)
	}
	if len(w.workers) > 1 {
		res.Engine.Barriers = res.Engine.Windows
	}
	return res, nil
}

// wwtSystem is the nodes as a system for results.
type wwtSystem struct {
	touch.System
	nodes []*wwt.Node
}

func (s wwtSystem) Line() unit.Bytes { return unit.Bytes(1) << s.nodes[0].LineShift }

func (s wwtSystem) HasCaches() bool { return true }

func (s wwtSystem) Counts(p trace.Proc) touch.Counts { return s.nodes[p].Counts }

// Drain returns at once: a processor waits for each access.
func (s wwtSystem) Drain(unit.Picos, trace.Proc) touch.Cost { return touch.Cost{} }

// SharedUsage returns the use of the busiest memory, and of the network by all nodes.
func (s wwtSystem) SharedUsage() (all touch.SharedUsage) {
	for _, n := range s.nodes {
		all.Busy, all.End = max(all.Busy, n.Used.Busy), max(all.End, n.Used.End)
		all.Messages += n.Used.Messages
		all.MessageBytes += n.Used.MessageBytes
		all.Lines += n.Lines()
	}
	return all
}
