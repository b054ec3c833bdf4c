package direct

import (
	"spoor/tracegen/spmd"
	"spoor/tracegen/tape"
)

// mail holds the messages from worker to worker until the next barrier. So the messages that a running program can see
// do not depend on which worker is faster.
type mail struct {
	boxes [][2][][]*spmd.Message // by sending worker, side and receiving worker
	side  []padded               // that a worker fills
	end   func()                 // ends the division among workers
}

// padded keeps the sides of workers off each other's cache lines.
type padded struct {
	side int
	_    [56]byte
}

// put adds a message, which is the receiver's from the next barrier on.
func (s *mail) put(from, to int, m *spmd.Message) {
	box := &s.boxes[from][s.side[from].side][to]
	*box = append(*box, m)
}

// Divide implements program.Concurrent.
func (b *backend) Divide(workers int, of func(rank int32) int) {
	slots, end := tape.Slots(workers)
	b.mail = &mail{boxes: make([][2][][]*spmd.Message, workers), side: make([]padded, workers), end: end}
	for w := range b.mail.boxes {
		for side := range 2 {
			b.mail.boxes[w][side] = make([][]*spmd.Message, workers)
		}
	}
	for rank, l := range b.timelines {
		l.worker = of(int32(rank))
		l.On(slots[l.worker])
	}
	b.slots = slots
}

// RunsOn implements program.Concurrent.
func (b *backend) RunsOn(rank int32, worker int) { b.timelines[rank].On(b.slots[worker]) }

// Deliver implements program.Concurrent.
func (b *backend) Deliver(rank int32) {
	l := b.timelines[rank]
	for i, m := range l.sent {
		if to := b.timelines[m.To]; to.worker == l.worker {
			to.noteCompleted(to.matcher.deliver(m, true))
		} else {
			b.mail.put(l.worker, to.worker, m)
		}
		l.sent[i] = nil
	}
	l.sent = l.sent[:0]
}

func (b *backend) endDivision() {
	if b.mail != nil {
		b.mail.end()
	}
}

// Exchange implements program.Concurrent. A worker takes what others sent before the barrier, and begins the other
// side, which others have taken.
func (b *backend) Exchange(worker int) {
	s := b.mail
	if s == nil {
		return
	}
	side := s.side[worker].side
	for from := range s.boxes {
		for _, m := range s.boxes[from][side][worker] {
			to := b.timelines[m.To]
			to.noteCompleted(to.matcher.deliver(m, true))
		}
	}
	side = 1 - side
	s.side[worker].side = side
	for to := range s.boxes[worker][side] {
		clear(s.boxes[worker][side][to])
		s.boxes[worker][side][to] = s.boxes[worker][side][to][:0]
	}
}
