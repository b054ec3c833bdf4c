// Package queue holds the sizes and positions of messages in little memory.
package queue

import "math"

// run is a series of count messages of equal size, with positions step apart. A run
// with a count of 0 is a change of file: at is the file of all following messages.
type run struct {
	at    int64
	bytes int64
	step  int32
	count uint32
}

// Queue holds the sizes and positions of messages, first in, first out. Its zero value is empty. Most queues
// never have more than one run.
type Queue struct {
	first run   // its count is 0 if the queue is empty
	file  int32 // file of the first message
	more  *runs // nil if there never were any
}

// runs holds the runs after the first of a queue.
type runs struct {
	all  []run
	head int   // index of the first remaining run
	file int32 // file of the last message
}

// Empty reports whether no message is in the queue.
func (q *Queue) Empty() bool { return q.first.count == 0 }

func (m *runs) empty() bool { return m == nil || m.head == len(m.all) }

// Push adds a message of bytes bytes at a position of a file.
func (q *Queue) Push(bytes int64, file int32, at int64) {
	last, lastFile := &q.first, q.file
	if !q.more.empty() {
		last, lastFile = &q.more.all[len(q.more.all)-1], q.more.file
	}
	fresh := run{at: at, bytes: bytes, count: 1}
	switch {
	case q.Empty():
		q.first, q.file = fresh, file
	case file == lastFile && last.extend(bytes, at):
	default:
		if q.more == nil {
			q.more = &runs{}
		}
		if q.more.file = file; file != lastFile {
			q.more.all = append(q.more.all, run{at: int64(file)})
		}
		q.more.all = append(q.more.all, fresh)
	}
}

// extend adds a message to the run if the message continues the series.
func (r *run) extend(bytes, at int64) bool {
	if r.bytes != bytes || r.count == math.MaxUint32 {
		return false
	}
	if r.count == 1 {
		step := at - r.at
		if step != int64(int32(step)) {
			return false
		}
		r.step = int32(step)
	} else if at != r.at+int64(r.step)*int64(r.count) {
		return false
	}
	r.count++
	return true
}

// Pop removes the first message and returns it. The queue must not be empty.
func (q *Queue) Pop() (bytes int64, file int32, at int64) {
	bytes, file, at = q.first.bytes, q.file, q.first.at
	q.first.at += int64(q.first.step)
	if q.first.count--; q.first.count == 0 && !q.more.empty() {
		if r := q.more.take(); r.count > 0 {
			q.first = r
		} else {
			q.file, q.first = int32(r.at), q.more.take()
		}
	}
	return bytes, file, at
}

// take removes the first run and returns it. It frees memory if much is unused.
func (m *runs) take() run {
	const few = 32
	r := m.all[m.head]
	m.head++
	switch left := len(m.all) - m.head; {
	case left == 0 && cap(m.all) <= few:
		m.all, m.head = m.all[:0], 0
	case m.head > few && m.head > left:
		m.all, m.head = append([]run(nil), m.all[m.head:]...), 0
	}
	return r
}

// Count returns the number of messages in the queue.
func (q *Queue) Count() uint64 {
	n := uint64(q.first.count)
	if !q.more.empty() {
		for _, r := range q.more.all[q.more.head:] {
			n += uint64(r.count)
		}
	}
	return n
}

// End returns the position of the last message. The queue must not be empty.
func (q *Queue) End() (file int32, at int64) {
	r, file := q.first, q.file
	if !q.more.empty() {
		r, file = q.more.all[len(q.more.all)-1], q.more.file
	}
	return file, r.at + int64(r.step)*int64(r.count-1)
}
