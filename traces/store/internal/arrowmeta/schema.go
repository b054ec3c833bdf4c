package arrowmeta

import (
	flatbuffers "github.com/google/flatbuffers/go"
)

// DataType is the Arrow type of a column.
type DataType uint8

const (
	TInt32 DataType = 1 + iota
	TInt64
	TUint8
	TUint16
	TUint32
	TUint64
	TFloat64
	TText   // utf8 with 32-bit offsets
	TInt64s // list<int64> with 32-bit offsets, and likewise:
	TUint8s
	TUint16s
	TUint32s
	tEndTypes // after the last type
)

// dataTypes describes each type as in Arrow: the tag of its Type union, width and sign of
// integers, and the type of the items of a list.
var dataTypes = [tEndTypes]struct {
	tag    uint8
	bits   int32
	signed bool
	item   DataType
}{
	TInt32: {fbInt, 32, true, 0}, TInt64: {fbInt, 64, true, 0}, TUint8: {fbInt, 8, false, 0}, TUint16: {fbInt, 16, false, 0},
	TUint32: {fbInt, 32, false, 0}, TUint64: {fbInt, 64, false, 0}, TFloat64: {fbFloatingPoint, 64, true, 0},
	TText: {fbUtf8, 0, false, 0}, TInt64s: {fbList, 0, false, TInt64}, TUint8s: {fbList, 0, false, TUint8},
	TUint16s: {fbList, 0, false, TUint16}, TUint32s: {fbList, 0, false, TUint32},
}

// Tags and constants of the Arrow IPC format (Schema.fbs, Message.fbs, File.fbs).
const (
	fbInt           = 2
	fbFloatingPoint = 3
	fbUtf8          = 5
	fbList          = 12
	fbDouble        = 2
	FbVersion5      = 4
	FbSchema        = 1
	FbRecordBatch   = 3
	FbZstd          = 1
)

// Pair is one entry of Arrow's custom metadata.
type Pair struct{ Key, Value string }

// Field is one column of a schema.
type Field struct {
	Name     string
	Type     DataType
	Nullable bool
	Meta     []Pair
}

// Schema is the content of an Arrow schema message.
type Schema struct {
	Fields []Field
	Meta   []Pair
}

// With returns a copy of s with another value of a key of the metadata.
func (s *Schema) With(key, value string) *Schema {
	out := &Schema{Fields: s.Fields}
	for _, p := range s.Meta {
		if p.Key == key {
			p.Value = value
		}
		out.Meta = append(out.Meta, p)
	}
	return out
}

// Lookup returns the value of a key of the metadata.
func (s *Schema) Lookup(key string) (string, bool) { return Lookup(s.Meta, key) }

// Lookup returns the first value of a key.
func Lookup(meta []Pair, key string) (string, bool) {
	for _, p := range meta {
		if p.Key == key {
			return p.Value, true
		}
	}
	return "", false
}

// BuildSchema appends s to b.
func BuildSchema(b *flatbuffers.Builder, s *Schema) flatbuffers.UOffsetT {
	fields := make([]flatbuffers.UOffsetT, len(s.Fields))
	for i, f := range s.Fields {
		fields[i] = buildField(b, f)
	}
	list := BuildOffsets(b, fields)
	meta := buildPairs(b, s.Meta)
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, list, 0)
	b.PrependUOffsetTSlot(2, meta, 0)
	return b.EndObject()
}

func buildField(b *flatbuffers.Builder, f Field) flatbuffers.UOffsetT {
	var children []flatbuffers.UOffsetT
	if item := dataTypes[f.Type].item; item != 0 {
		children = append(children, buildField(b, Field{Name: "item", Type: item}))
	}
	list := BuildOffsets(b, children)
	meta := buildPairs(b, f.Meta)
	name := b.CreateString(f.Name)
	typ := buildType(b, f.Type)
	b.StartObject(7)
	b.PrependUOffsetTSlot(0, name, 0)
	b.PrependBoolSlot(1, f.Nullable, false)
	b.PrependByteSlot(2, dataTypes[f.Type].tag, 0)
	b.PrependUOffsetTSlot(3, typ, 0)
	b.PrependUOffsetTSlot(5, list, 0)
	b.PrependUOffsetTSlot(6, meta, 0)
	return b.EndObject()
}

func buildType(b *flatbuffers.Builder, t DataType) flatbuffers.UOffsetT {
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

func buildPairs(b *flatbuffers.Builder, pairs []Pair) flatbuffers.UOffsetT {
	list := make([]flatbuffers.UOffsetT, len(pairs))
	for i, p := range pairs {
		value := b.CreateString(p.Value)
		list[i] = BuildPair(b, p.Key, value)
	}
	return BuildOffsets(b, list)
}

// BuildPair builds a pair of a key and a value that is built already.
func BuildPair(b *flatbuffers.Builder, key string, value flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	k := b.CreateString(key)
	b.StartObject(2)
	b.PrependUOffsetTSlot(0, k, 0)
	b.PrependUOffsetTSlot(1, value, 0)
	return b.EndObject()
}

// BuildOffsets builds a vector of offsets.
func BuildOffsets(b *flatbuffers.Builder, list []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(list), 4)
	for i := len(list) - 1; i >= 0; i-- {
		b.PrependUOffsetT(list[i])
	}
	return b.EndVector(len(list))
}

// ParseSchema reads a Schema table. Types that Spoor does not write become 0.
func ParseSchema(t FlatTable) *Schema {
	s := &Schema{Meta: ParsePairs(t, 2)}
	if t.I16(0) != 0 { // big-endian
		t.f.Bad = true
	}
	for _, f := range t.tables(1) {
		if t.f.Bad {
			break
		}
		s.Fields = append(s.Fields, Field{
			Name: f.str(0), Type: parseType(f), Nullable: f.U8(1) != 0, Meta: ParsePairs(f, 6)})
	}
	return s
}

func parseType(f FlatTable) DataType {
	if f.at(4) != 0 { // dictionary encoding
		return 0
	}
	t, _ := f.Sub(3)
	tag := f.U8(2)
	for id, d := range dataTypes {
		if d.tag != tag || tag == 0 {
			continue
		}
		switch {
		case tag == fbInt && (t.f == nil || t.i32(0) != d.bits || (t.U8(1) != 0) != d.signed):
		case tag == fbFloatingPoint && (t.f == nil || t.I16(0) != fbDouble):
		case tag == fbList && itemType(f) != d.item:
		default:
			return DataType(id)
		}
	}
	return 0
}

// itemType returns the type of the only child of list field f if it is an integer, else 0.
func itemType(f FlatTable) DataType {
	children := f.tables(5)
	if len(children) != 1 || children[0].U8(2) != fbInt {
		return 0
	}
	return parseType(children[0])
}

// ParsePairs returns the pairs in field i of a table.
func ParsePairs(t FlatTable, i int) []Pair {
	var pairs []Pair
	for _, p := range t.tables(i) {
		if t.f.Bad {
			break
		}
		pairs = append(pairs, Pair{p.str(0), p.str(1)})
	}
	return pairs
}

// SameFields reports whether two schemas have the same columns. It ignores the metadata of
// fields, which is for people and other readers.
func SameFields(a, b []Field) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].Type != b[i].Type || a[i].Nullable != b[i].Nullable {
			return false
		}
	}
	return true
}
