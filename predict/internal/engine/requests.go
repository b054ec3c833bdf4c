package engine

// requestTable holds the open requests of a rank. Ranks number their requests consecutively, so a table with one slot
// for each open request usually has a slot for each number. Other requests are in a map.
type requestTable struct {
	slots    []request
	overflow map[int32]int32 // requests whose slot is taken
	used     int
}

// request is an open request.
type request struct {
	id      int32
	pending int32 // its pending operation, or completed; 0 if the slot is free
}

// completed stands for an operation that ended at once.
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

// tryOpen adds a request whose slot is free. It reports false if the slot may be taken.
func (q *requestTable) tryOpen(id, node int32) bool {
	s := &q.slots[int(id)&(len(q.slots)-1)]
	if s.pending != 0 || id < 0 || len(q.overflow) > 0 {
		return false
	}
	*s = request{id, node}
	q.used++
	return true
}

// openSlow adds a request whose slot may be taken.
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

// find returns the pending operation of a request, or 0 if it is not open.
func (q *requestTable) find(id int32) int32 {
	if s := &q.slots[int(id)&(len(q.slots)-1)]; s.id == id && s.pending != 0 {
		return s.pending
	}
	return q.overflow[id]
}

// close removes a request. It returns its pending operation, or 0 if it is not open.
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

// grow doubles the slots. Requests with different slots keep different slots.
func (q *requestTable) grow() {
	old := q.slots
	q.slots = make([]request, 2*len(old))
	for _, s := range old {
		if s.pending != 0 {
			q.slots[int(s.id)&(len(q.slots)-1)] = s
		}
	}
}
