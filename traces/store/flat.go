package store

import (
	"encoding/binary"
	"errors"
)

// flat reads an untrusted FlatBuffer. Every access is checked; an access out of bounds sets
// bad and returns zero. The budget bounds the work, because vectors and strings may share
// bytes.
type flat struct {
	b      []byte
	budget int
	bad    bool
}

// flatTable is the position of a table and of its vtable in a flat.
type flatTable struct {
	f           *flat
	pos         int
	vtable, end int
}

var errFlat = errors.New("its Arrow metadata is malformed")

// flatRoot returns the root table of b. The caller must check f.bad after reading.
func flatRoot(b []byte) (*flat, flatTable) {
	f := &flat{b: b, budget: 4*len(b) + 1024}
	return f, f.table(int(f.u32(0)))
}

// has reports whether n bytes at pos exist.
func (f *flat) has(pos, n int) bool {
	if pos < 0 || n < 0 || pos > len(f.b) || n > len(f.b)-pos {
		f.bad = true
		return false
	}
	return true
}

func (f *flat) spend(n int) bool {
	f.budget -= n
	f.bad = f.bad || f.budget < 0
	return !f.bad
}

func (f *flat) u16(pos int) uint16 {
	if !f.has(pos, 2) {
		return 0
	}
	return binary.LittleEndian.Uint16(f.b[pos:])
}

func (f *flat) u32(pos int) uint32 {
	if !f.has(pos, 4) {
		return 0
	}
	return binary.LittleEndian.Uint32(f.b[pos:])
}

func (f *flat) i64(pos int) int64 {
	if !f.has(pos, 8) {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(f.b[pos:]))
}

func (f *flat) table(pos int) flatTable {
	vtable := pos - int(int32(f.u32(pos)))
	return flatTable{f, pos, vtable, vtable + int(f.u16(vtable))}
}

// at returns the position of field i of the table, or 0 if it has its default value.
func (t flatTable) at(i int) int {
	slot := t.vtable + 4 + 2*i
	if slot+2 > t.end {
		return 0
	}
	if o := int(t.f.u16(slot)); o != 0 {
		return t.pos + o
	}
	return 0
}

func (t flatTable) u8(i int) uint8 {
	if p := t.at(i); p != 0 && t.f.has(p, 1) {
		return t.f.b[p]
	}
	return 0
}

func (t flatTable) i16(i int) int16 {
	if p := t.at(i); p != 0 {
		return int16(t.f.u16(p))
	}
	return 0
}

func (t flatTable) i32(i int) int32 {
	if p := t.at(i); p != 0 {
		return int32(t.f.u32(p))
	}
	return 0
}

func (t flatTable) i64(i int) int64 {
	if p := t.at(i); p != 0 {
		return t.f.i64(p)
	}
	return 0
}

// sub returns the table that field i refers to.
func (t flatTable) sub(i int) (flatTable, bool) {
	p := t.at(i)
	if p == 0 {
		return flatTable{}, false
	}
	return t.f.table(p + int(t.f.u32(p))), !t.f.bad
}

// vector returns the position and the number of the elements of field i.
func (t flatTable) vector(i, size int) (pos, n int) {
	p := t.at(i)
	if p == 0 {
		return 0, 0
	}
	p += int(t.f.u32(p))
	n = int(t.f.u32(p))
	if !t.f.has(p+4, n*size) || !t.f.spend(n*size) {
		return 0, 0
	}
	return p + 4, n
}

func (t flatTable) str(i int) string {
	p, n := t.vector(i, 1)
	return string(t.f.b[p : p+n])
}

// tables returns the vector of tables in field i.
func (t flatTable) tables(i int) []flatTable {
	p, n := t.vector(i, 4)
	list := make([]flatTable, n)
	for k := range list {
		e := p + 4*k
		list[k] = t.f.table(e + int(t.f.u32(e)))
	}
	return list
}
