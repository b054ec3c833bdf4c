// Package arrowmeta builds and parses the metadata of Arrow files: schemas as flatbuffers. The parser takes any bytes.
package arrowmeta

import (
	"encoding/binary"
	"errors"
)

// Flat reads an untrusted FlatBuffer. Every access is checked; an access out of bounds sets
// bad and returns zero. The budget bounds the work, because vectors and strings may share
// bytes.
type Flat struct {
	b      []byte
	budget int
	Bad    bool
}

// FlatTable is the position of a table and of its vtable in a flat.
type FlatTable struct {
	f           *Flat
	pos         int
	vtable, end int
}

// ErrFlat is the error of flatbuffers that point outside themselves.
var ErrFlat = errors.New("its Arrow metadata is malformed")

// FlatRoot returns the root table of b. The caller must check f.Bad after reading.
func FlatRoot(b []byte) (*Flat, FlatTable) {
	f := &Flat{b: b, budget: 4*len(b) + 1024}
	return f, f.table(int(f.U32(0)))
}

// has reports whether n bytes at pos exist.
func (f *Flat) has(pos, n int) bool {
	if pos < 0 || n < 0 || pos > len(f.b) || n > len(f.b)-pos {
		f.Bad = true
		return false
	}
	return true
}

func (f *Flat) spend(n int) bool {
	f.budget -= n
	f.Bad = f.Bad || f.budget < 0
	return !f.Bad
}

func (f *Flat) u16(pos int) uint16 {
	if !f.has(pos, 2) {
		return 0
	}
	return binary.LittleEndian.Uint16(f.b[pos:])
}

// U32 returns the number at pos, or 0 outside.
func (f *Flat) U32(pos int) uint32 {
	if !f.has(pos, 4) {
		return 0
	}
	return binary.LittleEndian.Uint32(f.b[pos:])
}

// I64 returns the number at pos, or 0 outside.
func (f *Flat) I64(pos int) int64 {
	if !f.has(pos, 8) {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(f.b[pos:]))
}

func (f *Flat) table(pos int) FlatTable {
	vtable := pos - int(int32(f.U32(pos)))
	return FlatTable{f, pos, vtable, vtable + int(f.u16(vtable))}
}

// at returns the position of field i of the table, or 0 if it has its default value.
func (t FlatTable) at(i int) int {
	slot := t.vtable + 4 + 2*i
	if slot+2 > t.end {
		return 0
	}
	if o := int(t.f.u16(slot)); o != 0 {
		return t.pos + o
	}
	return 0
}

func (t FlatTable) U8(i int) uint8 {
	if p := t.at(i); p != 0 && t.f.has(p, 1) {
		return t.f.b[p]
	}
	return 0
}

func (t FlatTable) I16(i int) int16 {
	if p := t.at(i); p != 0 {
		return int16(t.f.u16(p))
	}
	return 0
}

func (t FlatTable) i32(i int) int32 {
	if p := t.at(i); p != 0 {
		return int32(t.f.U32(p))
	}
	return 0
}

func (t FlatTable) I64(i int) int64 {
	if p := t.at(i); p != 0 {
		return t.f.I64(p)
	}
	return 0
}

// Sub returns the table that field i refers to.
func (t FlatTable) Sub(i int) (FlatTable, bool) {
	p := t.at(i)
	if p == 0 {
		return FlatTable{}, false
	}
	return t.f.table(p + int(t.f.U32(p))), !t.f.Bad
}

// Vector returns the position and the number of the elements of field i.
func (t FlatTable) Vector(i, size int) (pos, n int) {
	p := t.at(i)
	if p == 0 {
		return 0, 0
	}
	p += int(t.f.U32(p))
	n = int(t.f.U32(p))
	if !t.f.has(p+4, n*size) || !t.f.spend(n*size) {
		return 0, 0
	}
	return p + 4, n
}

func (t FlatTable) str(i int) string {
	p, n := t.Vector(i, 1)
	return string(t.f.b[p : p+n])
}

// tables returns the vector of tables in field i.
func (t FlatTable) tables(i int) []FlatTable {
	p, n := t.Vector(i, 4)
	list := make([]FlatTable, n)
	for k := range list {
		e := p + 4*k
		list[k] = t.f.table(e + int(t.f.U32(e)))
	}
	return list
}
