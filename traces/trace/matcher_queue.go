package trace

import "math"

// run is count messages of equal size, whose places are step apart. A run of 0 is
// a change of file: at is the file of all that follows.
type run struct {
	at    int64
	bytes int64
	step  int32
	count uint32
}

// queue holds the size and the place of messages, first in, first out.
type queue struct {
	runs        []run
	head        int32 // the first run that has not been taken
	first, last int32 // files of the first and the last message
}

func (q *queue) empty() bool { return int(q.head) == len(q.runs) }

func (q *queue) push(bytes int64, at Place) {
	if q.empty() {
		q.runs, q.head, q.first, q.last = q.runs[:0], 0, at.File, at.File
	} else if at.File != q.last {
		q.runs = append(q.runs, run{at: int64(at.File)})
		q.last = at.File
	} else if q.runs[len(q.runs)-1].extend(bytes, at.At) {
		return
	}
	q.runs = append(q.runs, run{at: at.At, bytes: bytes, count: 1})
}

// extend adds one more message to the run if it continues it.
func (r *run) extend(bytes, at int64) bool {
	if r.bytes != bytes || r.count == 0 || r.count == math.MaxUint32 {
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

// pop takes the first message; the queue must not be empty.
func (q *queue) pop() (bytes int64, at Place) {
	r := &q.runs[q.head]
	if r.count == 0 {
		q.first = int32(r.at)
		q.head++
		r = &q.runs[q.head]
	}
	bytes, at = r.bytes, Place{q.first, r.at}
	r.at += int64(r.step)
	if r.count--; r.count == 0 {
		q.head++
		q.shrink()
	}
	return bytes, at
}

// shrink gives back the memory of runs that are taken.
func (q *queue) shrink() {
	const few = 32
	switch left := len(q.runs) - int(q.head); {
	case left == 0 && cap(q.runs) > few:
		*q = queue{}
	case q.head > few && int(q.head) > left:
		q.runs = append([]run(nil), q.runs[q.head:]...)
		q.head = 0
	}
}

// count is the number of messages in the queue.
func (q *queue) count() (n uint64) {
	for _, r := range q.runs[q.head:] {
		n += uint64(r.count)
	}
	return n
}

// end is the place of the last message; the queue must not be empty.
func (q *queue) end() Place {
	r := &q.runs[len(q.runs)-1]
	return Place{q.last, r.at + int64(r.step)*int64(r.count-1)}
}
