package replay

import (
	"math"
	"sync/atomic"

	"spoor/predict/internal/engine/barrier"
	"spoor/predict/internal/memsys/wwt"
	"spoor/traces/unit"
)

// worker simulates its nodes, and then nodes that others have left in the same window. Windows are even or odd: what a worker writes
// in one, others read in the next.
type worker struct {
	nodes  []*windowNode
	boxes  [2][]mailbox // by window and receiving worker
	next   [2]unit.Picos
	failed [2]*windowNode // the first node with an error
	window uint64
	_      [64]byte        // what others write is in another line of the host's cache
	taken  [2]atomic.Int32 // how many of its nodes workers have taken in a window, or notYet
	_      [64]byte
}

// notYet is a number of nodes taken, before they have their messages and can be taken.
const notYet = math.MaxInt32 / 2

// mailbox is messages from one worker to another.
type mailbox struct {
	messages []wwt.Message
	_        [104]byte // the next mailbox is in other lines of the host's cache
}

// assign divides the nodes among workers one by one, because neighbours often work at the same time.
func (w *windows) assign(workers int) {
	w.barrier = barrier.New(workers)
	for i := range workers {
		one := &worker{}
		for box := range one.boxes {
			one.boxes[box] = make([]mailbox, workers)
		}
		one.nodes = w.nodes[i*len(w.nodes)/workers : (i+1)*len(w.nodes)/workers]
		w.workers = append(w.workers, one)
	}
	for i, one := range w.workers {
		one.taken[1].Store(notYet)
		one.next[0] = never
		for _, n := range one.nodes {
			n.worker = i
			one.next[0] = min(one.next[0], n.nextAction())
		}
	}
}

// window simulates nodes in the window that begins at start: those of a worker, and then those that others have not begun.
func (w *windows) window(i int, start unit.Picos, then uint64) {
	me, end := w.workers[i], start+w.quantum
	me.window++
	for b := range me.boxes[then] {
		me.boxes[then][b].messages = me.boxes[then][b].messages[:0]
	}
	me.next[then], me.failed[then] = never, nil
	me.taken[1-then].Store(notYet) // in the next window
	me.taken[then].Store(0)
	measured := w.clock.begin()
	for o := range w.workers {
		from := w.workers[(i+o)%len(w.workers)]
		for {
			k := int(from.taken[then].Add(1)) - 1
			if k >= len(from.nodes) {
				break
			}
			n := from.nodes[k]
			before := n.proc.reading
			works := w.simulateNode(me, n, end, then)
			if measured != nothing {
				w.clock.target(measured, works, n.proc.reading-before)
			}
		}
	}
	w.clock.end(measured)
}

// simulateNode lets a worker simulate a node until the end of a window. It reports whether the node had anything to do.
func (w *windows) simulateNode(me *worker, n *windowNode, end unit.Picos, then uint64) bool {
	if n.observer != nil {
		n.observer.at = int(then)
	}
	next, works := n.nextAction(), false
	if works = next < end; works {
		if n.err = n.runUntil(end); n.err != nil && (me.failed[then] == nil || n.proc.id < me.failed[then].proc.id) {
			me.failed[then] = n
		}
		next = n.nextAction()
		for m := range n.hardware.Out {
			me.send(then, w.nodes[n.hardware.Out[m].To].worker, &n.hardware.Out[m])
			next = min(next, n.hardware.Out[m].At)
		}
		n.hardware.Out = n.hardware.Out[:0]
	}
	me.next[then] = min(me.next[then], next)
	return works
}

// send puts a message into the mailbox of a worker.
func (o *worker) send(then uint64, to int, m *wwt.Message) {
	o.boxes[then][to].messages = append(o.boxes[then][to].messages, *m)
}
