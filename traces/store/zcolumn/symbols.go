package zcolumn

import "encoding/binary"

// symbols is a column with each element replaced by one byte.
type symbols struct {
	rows []byte
	key  [1024]uint64 // hash table of the elements seen
	sym  [1024]uint16 // symbol + 1, or 0
	n    int
}

// read fills rows from column, unless that has more than 256 different elements.
func (s *symbols) read(column []byte, width int) bool {
	n := len(column) / width
	if cap(s.rows) < n {
		s.rows = make([]byte, n)
	}
	s.rows = s.rows[:n]
	if width == 1 {
		copy(s.rows, column)
		return true
	}
	return s.narrow(column, width) || s.number(column, width)
}

// narrow takes elements below 256 for their own symbols.
func (s *symbols) narrow(column []byte, width int) bool {
	const piece = 1 << 12 // wide columns are to be found out early
	for rows := s.rows; len(rows) > 0; {
		n := min(piece, len(rows))
		if narrowPiece(rows[:n], column, width) >= 256 {
			return false
		}
		rows, column = rows[n:], column[n*width:]
	}
	return true
}

// narrowPiece fills rows and returns the union of the elements' bits.
func narrowPiece(rows, column []byte, width int) (all uint64) {
	switch width {
	case 2:
		for i := range rows {
			v := binary.LittleEndian.Uint16(column[2*i:])
			rows[i] = byte(v)
			all |= uint64(v)
		}
	case 4:
		for i := range rows {
			v := binary.LittleEndian.Uint32(column[4*i:])
			rows[i] = byte(v)
			all |= uint64(v)
		}
	case 8:
		for i := range rows {
			v := binary.LittleEndian.Uint64(column[8*i:])
			rows[i] = byte(v)
			all |= v
		}
	}
	return all
}

// number gives elements symbols in the order in which they first occur.
func (s *symbols) number(column []byte, width int) bool {
	clear(s.sym[:])
	s.n = 0
	for i := range s.rows {
		slot, ok := s.slot(element(column[i*width:], width))
		if !ok {
			return false
		}
		s.rows[i] = byte(s.sym[slot] - 1)
	}
	return true
}

// slot is where v is in the hash table, put there if it is new.
func (s *symbols) slot(v uint64) (slot uint64, ok bool) {
	for slot = v * prime1 >> 54; ; slot = (slot + 1) % uint64(len(s.sym)) {
		switch {
		case s.sym[slot] == 0 && s.n == 256:
			return 0, false
		case s.sym[slot] == 0:
			s.n++
			s.key[slot], s.sym[slot] = v, uint16(s.n)
			return slot, true
		case s.key[slot] == v:
			return slot, true
		}
	}
}

func element(b []byte, width int) uint64 {
	switch width {
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}
