package store

import (
	flatbuffers "github.com/google/flatbuffers/go"
)

// dataType is the Arrow type of a column.
type dataType uint8

const (
	tInt32 dataType = 1 + iota
	tInt64
	tUint8
	tUint16
	tUint32
	tUint64
	tFloat64
	tText   // utf8 with 32-bit offsets
	tInt64s // list<int64> with 32-bit offsets, and likewise:
	tUint8s
	tUint16s
	tUint32s
	tEndTypes // after the last type
)

// dataTypes describes each type as in Arrow: the tag of its Type union, width and sign of
// integers, and the type of the items of a list.
var dataTypes = [tEndTypes]struct {
	tag    uint8
	bits   int32
	signed bool
	item   dataType
}{
	tInt32: {fbInt, 32, true, 0}, tInt64: {fbInt, 64, true, 0}, tUint8: {fbInt, 8, false, 0}, tUint16: {fbInt, 16, false, 0},
	tUint32: {fbInt, 32, false, 0}, tUint64: {fbInt, 64, false, 0}, tFloat64: {fbFloatingPoint, 64, true, 0},
	tText: {fbUtf8, 0, false, 0}, tInt64s: {fbList, 0, false, tInt64}, tUint8s: {fbList, 0, false, tUint8},
	tUint16s: {fbList, 0, false, tUint16}, tUint32s: {fbList, 0, false, tUint32},
}

// Tags and constants of the Arrow IPC format (Schema.fbs, Message.fbs, File.fbs).
const (
	fbInt           = 2
	fbFloatingPoint = 3
	fbUtf8          = 5
	fbList          = 12
	fbDouble        = 2
	fbVersion5      = 4
	fbSchema        = 1
	fbRecordBatch   = 3
	fbZstd          = 1
)

// pair is one entry of Arrow's custom metadata.
type pair struct{ key, value string }

// field is one column of a schema.
type field struct {
	name     string
	typ      dataType
	nullable bool
	meta     []pair
}

// schema is the content of an Arrow schema message.
type schema struct {
	fields []field
	meta   []pair
}

func (s *schema) lookup(key string) (string, bool) { return lookup(s.meta, key) }

func lookup(meta []pair, key string) (string, bool) {
	for _, p := range meta {
		if p.key == key {
			return p.value, true
		}
	}
	return "", false
}

// buildSchema appends s to b.
func buildSchema(b *flatbuffers.Builder, s *schema) flatbuffers.UOffsetT {
	fields := make([]flatbuffers.UOffsetT, len(s.fields))
	for i, f := range s.fields {
		fields[i] = buildField(b, f)
	}
	list := buildOffsets(b, fields)
	meta := buildPairs(b, s.meta)
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, list, 0)
	b.PrependUOffsetTSlot(2, meta, 0)
	return b.EndObject()
}

func buildField(b *flatbuffers.Builder, f field) flatbuffers.UOffsetT {
	var children []flatbuffers.UOffsetT
	if item := dataTypes[f.typ].item; item != 0 {
		children = append(children, buildField(b, field{name: "item", typ: item}))
	}
	list := buildOffsets(b, children)
	meta := buildPairs(b, f.meta)
	name := b.CreateString(f.name)
	typ := buildType(b, f.typ)
	b.StartObject(7)
	b.PrependUOffsetTSlot(0, name, 0)
	b.PrependBoolSlot(1, f.nullable, false)
	b.PrependByteSlot(2, dataTypes[f.typ].tag, 0)
	b.PrependUOffsetTSlot(3, typ, 0)
	b.PrependUOffsetTSlot(5, list, 0)
	b.PrependUOffsetTSlot(6, meta, 0)
	return b.EndObject()
}

func buildType(b *flatbuffers.Builder, t dataType) flatbuffers.UOffsetT {
	d := dataTypes[t]
	switch d.tag {
	case fbInt:
		b.StartObject(2)
		b.PrependInt32Slot(0, d.bits, 0)
		b.PrependBoolSlot(1, d.signed, false)
	case fbFloatingPoint:
		b.StartObject(1)
		b.PrependInt16Slot(0, fbDouble, 0)
	default:
		b.StartObject(0)
	}
	return b.EndObject()
}

func buildPairs(b *flatbuffers.Builder, pairs []pair) flatbuffers.UOffsetT {
	list := make([]flatbuffers.UOffsetT, len(pairs))
	for i, p := range pairs {
		value := b.CreateString(p.value)
		list[i] = buildPair(b, p.key, value)
	}
	return buildOffsets(b, list)
}

func buildPair(b *flatbuffers.Builder, key string, value flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	k := b.CreateString(key)
	b.StartObject(2)
	b.PrependUOffsetTSlot(0, k, 0)
	b.PrependUOffsetTSlot(1, value, 0)
	return b.EndObject()
}

func buildOffsets(b *flatbuffers.Builder, list []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(list), 4)
	for i := len(list) - 1; i >= 0; i-- {
		b.PrependUOffsetT(list[i])
	}
	return b.EndVector(len(list))
}

// parseSchema reads a Schema table. Types that Spoor does not write become 0.
func parseSchema(t flatTable) *schema {
	s := &schema{meta: parsePairs(t, 2)}
	if t.i16(0) != 0 { // big-endian
		t.f.bad = true
	}
	for _, f := range t.tables(1) {
		if t.f.bad {
			break
		}
		s.fields = append(s.fields, field{
			name: f.str(0), typ: parseType(f), nullable: f.u8(1) != 0, meta: parsePairs(f, 6)})
	}
	return s
}

func parseType(f flatTable) dataType {
	if f.at(4) != 0 { // dictionary encoding
		return 0
	}
	t, _ := f.sub(3)
	tag := f.u8(2)
	for id, d := range dataTypes {
		if d.tag != tag || tag == 0 {
			continue
		}
		switch {
		case tag == fbInt && (t.f == nil || t.i32(0) != d.bits || (t.u8(1) != 0) != d.signed):
		case tag == fbFloatingPoint && (t.f == nil || t.i16(0) != fbDouble):
		case tag == fbList && itemType(f) != d.item:
		default:
			return dataType(id)
		}
	}
	return 0
}

// itemType returns the type of the only child of list field f if it is an integer, else 0.
func itemType(f flatTable) dataType {
	children := f.tables(5)
	if len(children) != 1 || children[0].u8(2) != fbInt {
		return 0
	}
	return parseType(children[0])
}

func parsePairs(t flatTable, i int) []pair {
	var pairs []pair
	for _, p := range t.tables(i) {
		if t.f.bad {
			break
		}
		pairs = append(pairs, pair{p.str(0), p.str(1)})
	}
	return pairs
}

// sameFields reports whether two schemas have the same columns. It ignores the metadata of
// fields, which is for people and other readers.
func sameFields(a, b []field) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].name != b[i].name || a[i].typ != b[i].typ || a[i].nullable != b[i].nullable {
			return false
		}
	}
	return true
}
