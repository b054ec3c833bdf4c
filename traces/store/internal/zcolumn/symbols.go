package zcolumn

import "encoding/binary"

// symbols is a column with each element replaced by one byte.
type symbols struct {
	rows   []byte
	memory []byte       // of rows that are not the column itself
	key    [1024]uint64 // hash table of the elements seen
	sym    [1024]uint16 // symbol + 1, or 0
	n      int
}

// read fills rows from column, unless that has more than 256 different elements.
func (s *symbols) read(column []byte, width int) bool {
	if width == 1 {
		s.rows = column
		return true
	}
	n := len(column) / width
	if cap(s.memory) < n {
		s.memory = make([]byte, n)
	}
	s.rows = s.memory[:n]
	return s.narrow(column, width) || s.number(column, width)
}

// narrow uses elements below 256 as their own symbols.
func (s *symbols) narrow(column []byte, width int) bool {
	const piece = 1 << 12 // small, to detect wide columns early
	for rows := s.rows; len(rows) > 0; {
		n := min(piece, len(rows))
		if narrowPiece(rows[:n], column, width) >= 256 {
			return false
		}
		rows, column = rows[n:], column[n*width:]
	}
	return true
}

// narrowPiece fills rows and returns the bitwise or of the elements.
func narrowPiece(rows, column []byte, width int) (all uint64) {
	whole := len(rows) &^ 7
	switch width {
	case 2:
		all = narrow2(rows[:whole], column)
	case 4:
		all = narrow4(rows[:whole], column)
	default:
		whole = 0
	}
	for i := whole; i < len(rows); i++ {
		v := element(column[i*width:], width)
		rows[i] = byte(v)
		all |= v
	}
	return all
}

// narrow2 is narrowPiece for elements of two bytes, eight at a time. The bitwise or of whole
// words shows high bytes that are not zero.
func narrow2(rows, column []byte) (all uint64) {
	for ; len(rows) >= 8; rows, column = rows[8:], column[16:] {
		a, b := binary.LittleEndian.Uint64(column), binary.LittleEndian.Uint64(column[8:])
		all |= a | b
		binary.LittleEndian.PutUint64(rows, pack2(a)|pack2(b)<<32)
	}
	all |= all >> 32
	return (all | all>>16) & 0xffff
}

// narrow4 is narrow2 for elements of four bytes.
func narrow4(rows, column []byte) (all uint64) {
	for ; len(rows) >= 8; rows, column = rows[8:], column[32:] {
		a, b := binary.LittleEndian.Uint64(column), binary.LittleEndian.Uint64(column[8:])
		c, d := binary.LittleEndian.Uint64(column[16:]), binary.LittleEndian.Uint64(column[24:])
		all |= a | b | c | d
		binary.LittleEndian.PutUint64(rows, pack4(a)|pack4(b)<<16|pack4(c)<<32|pack4(d)<<48)
	}
	return all&0xffffffff | all>>32
}

// pack2 returns the low bytes of four elements of two bytes.
func pack2(v uint64) uint64 {
	v &= 0x00ff00ff00ff00ff
	v = (v | v>>8) & 0x0000ffff0000ffff
	return (v | v>>16) & 0xffffffff
}

// pack4 is the low bytes of two elements of four bytes.
func pack4(v uint64) uint64 { return v&0xff | v>>24&0xff00 }

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

// slot returns the index of v in the hash table, and adds v if it is new. It returns false if
// the table is full.
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
