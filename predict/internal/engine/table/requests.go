package table

// Requests holds the open requests of a rank. Ranks number their requests consecutively, so a table with one slot
// for each open request usually has a slot for each number. Other requests are in a map.
type Requests struct {
	Slots    []Request
	overflow map[int32]int32 // requests whose slot is taken
	Used     int
}

// Request is an open request.
type Request struct {
	id      int32
	pending int32 // its pending operation, or completed; 0 if the slot is free
}

// Least is the least number of slots.
const Least = 8

// Open adds a request. It returns what was open under the number, or 0.
func (q *Requests) Open(id, node int32) int32 {
	if s := &q.Slots[int(id)&(len(q.Slots)-1)]; s.pending == 0 && len(q.overflow) == 0 {
		*s = Request{id, node}
		q.Used++
		return 0
	}
	return q.openSlow(id, node)
}

// TryOpen adds a request whose slot is free. It reports false if the slot may be taken.
func (q *Requests) TryOpen(id, node int32) bool {
	s := &q.Slots[int(id)&(len(q.Slots)-1)]
	if s.pending != 0 || id < 0 || len(q.overflow) > 0 {
		return false
	}
	*s = Request{id, node}
	q.Used++
	return true
}

// openSlow adds a request whose slot may be taken.
func (q *Requests) openSlow(id, node int32) int32 {
	for {
		s := &q.Slots[int(id)&(len(q.Slots)-1)]
		switch {
		case s.pending == 0 && q.overflow[id] == 0:
			*s = Request{id, node}
			q.Used++
			return 0
		case s.pending != 0 && s.id == id:
			old := s.pending
			s.pending = node
			return old
		case 4*q.Used >= len(q.Slots) && q.overflow[id] == 0:
			q.grow()
			continue
		}
		if q.overflow == nil {
			q.overflow = map[int32]int32{}
		}
		old := q.overflow[id]
		if old == 0 {
			q.Used++
		}
		q.overflow[id] = node
		return old
	}
}

// Find returns the pending operation of a request, or 0 if it is not open.
func (q *Requests) Find(id int32) int32 {
	if s := &q.Slots[int(id)&(len(q.Slots)-1)]; s.id == id && s.pending != 0 {
		return s.pending
	}
	return q.overflow[id]
}

// Close removes a request. It returns its pending operation, or 0 if it is not open.
func (q *Requests) Close(id int32) (node int32) {
	if s := &q.Slots[int(id)&(len(q.Slots)-1)]; s.id == id && s.pending != 0 {
		node, s.pending = s.pending, 0
		q.Used--
	} else if len(q.overflow) > 0 {
		if node = q.overflow[id]; node != 0 {
			delete(q.overflow, id)
			q.Used--
		}
	}
	return node
}

// grow doubles the slots. Requests with different slots keep different slots.
func (q *Requests) grow() {
	old := q.Slots
	q.Slots = make([]Request, 2*len(old))
	for _, s := range old {
		if s.pending != 0 {
			q.Slots[int(s.id)&(len(q.Slots)-1)] = s
		}
	}
}
