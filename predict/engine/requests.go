package engine

// requests are the open requests of a rank. Ranks number their requests one after the other, so
// that a number has a place of its own among as many as there are open; a number that has not is
// in a map.
type requestTable struct {
	slots    []request
	overflow map[int32]int32 // those whose place is taken
	used     int
}

// request is one of them.
type request struct {
	id      int32
	pending int32 // its pending operation, or over; 0 if the place is free
}

// over stands for an operation that ended as it began.
const completed int32 = -1

const leastRequests = 8

// open adds a request. It returns what was open under the number, or 0.
func (q *requestTable) open(id, node int32) int32 {
	if s := &q.slots[int(id)&(len(q.slots)-1)]; s.pending == 0 && len(q.overflow) == 0 {
		*s = request{id, node}
		q.used++
		return 0
	}
	return q.openSlow(id, node)
}

// put is open where nobody has the place. It is false where somebody may.
func (q *requestTable) tryOpen(id, node int32) bool {
	s := &q.slots[int(id)&(len(q.slots)-1)]
	if s.pending != 0 || id < 0 || len(q.overflow) > 0 {
		return false
	}
	*s = request{id, node}
	q.used++
	return true
}

// openBeside is open where others may have the place.
func (q *requestTable) openSlow(id, node int32) int32 {
	for {
		s := &q.slots[int(id)&(len(q.slots)-1)]
		switch {
		case s.pending == 0 && q.overflow[id] == 0:
			*s = request{id, node}
			q.used++
			return 0
		case s.pending != 0 && s.id == id:
			old := s.pending
			s.pending = node
			return old
		case 4*q.used >= len(q.slots) && q.overflow[id] == 0:
			q.grow()
			continue
		}
		if q.overflow == nil {
			q.overflow = map[int32]int32{}
		}
		old := q.overflow[id]
		if old == 0 {
			q.used++
		}
		q.overflow[id] = node
		return old
	}
}

// find is the pending operation of a request, or 0 if it is not open.
func (q *requestTable) find(id int32) int32 {
	if s := &q.slots[int(id)&(len(q.slots)-1)]; s.id == id && s.pending != 0 {
		return s.pending
	}
	return q.overflow[id]
}

// close removes a request. It is its pending operation, or 0 if it is not open.
func (q *requestTable) close(id int32) (node int32) {
	if s := &q.slots[int(id)&(len(q.slots)-1)]; s.id == id && s.pending != 0 {
		node, s.pending = s.pending, 0
		q.used--
	} else if len(q.overflow) > 0 {
		if node = q.overflow[id]; node != 0 {
			delete(q.overflow, id)
			q.used--
		}
	}
	return node
}

// grow doubles the places. Two that had their own still have.
func (q *requestTable) grow() {
	old := q.slots
	q.slots = make([]request, 2*len(old))
	for _, s := range old {
		if s.pending != 0 {
			q.slots[int(s.id)&(len(q.slots)-1)] = s
		}
	}
}
