package image

import (
	"cmp"
	"debug/dwarf"
	"encoding/binary"
	"slices"
	"strings"
)

// Variable is a global variable, or a static one of a function.
type Variable struct {
	Addr, Bytes uint64
	Name        string
	Type        string // of the elements, if it is an array
	Count       int64  // of elements
	File        string
	Line        int
}

// Member is a part of a type.
type Member struct {
	Of     string // the type that has it
	Offset uint64
	Bytes  uint64
	Name   string
	Type   string
	Count  int64
}

// Variables returns the variables that are wanted, by address, and the members of their types. No two variables overlap.
func (f *File) Variables(wanted func(from, to uint64) bool) ([]Variable, []Member) {
	w := &variables{dwarf: f.dwarf, wanted: wanted, types: map[string]bool{}}
	if f.dwarf != nil {
		w.walk()
	}
	f.resize(w.all)
	for _, s := range f.data {
		if !wanted(s.addr, s.addr+s.size) {
			continue
		}
		w.all = append(w.all, Variable{Addr: s.addr, Bytes: s.size, Name: readable(s.name), Count: 1})
	}
	slices.SortStableFunc(w.all, func(a, b Variable) int { return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(b.Bytes, a.Bytes)) })
	var kept []Variable
	for _, v := range w.all {
		switch last := len(kept) - 1; {
		case last < 0 || v.Addr-kept[last].Addr >= kept[last].Bytes:
			kept = append(kept, v)
		case v.Addr == kept[last].Addr && v.Bytes == kept[last].Bytes && strings.Contains(v.Name, "::"):
			kept[last].Name = v.Name // the symbol has the name with its namespaces
		}
	}
	return kept, w.members
}

// resize gives variables the sizes of their symbols. By DWARF, arrays of Fortran seem to begin with an element 0.
func (f *File) resize(all []Variable) {
	for i := range all {
		v := &all[i]
		at, found := slices.BinarySearchFunc(f.data, v.Addr, func(s symbol, a uint64) int { return cmp.Compare(s.addr, a) })
		if !found || f.data[at].size == v.Bytes {
			continue
		}
		if v.Count > 1 {
			v.Count = int64(f.data[at].size / max(1, v.Bytes/uint64(v.Count)))
		}
		v.Bytes = f.data[at].size
	}
}

// variables collects the variables of DWARF.
type variables struct {
	dwarf   *dwarf.Data
	wanted  func(from, to uint64) bool
	files   sources
	all     []Variable
	members []Member
	types   map[string]bool // whose members are known
}

func (w *variables) walk() {
	r := w.dwarf.Reader()
	for {
		e, err := r.Next()
		if e == nil || err != nil {
			return
		}
		switch e.Tag {
		case 0:
		case dwarf.TagCompileUnit:
			lines, err := w.dwarf.LineReader(e)
			if err != nil {
				lines = nil
			}
			w.files = sourcesOf(e, lines)
		case dwarf.TagVariable:
			w.variable(e)
			r.SkipChildren()
		case dwarf.TagSubprogram, dwarf.TagLexDwarfBlock, dwarf.TagNamespace, dwarf.TagModule, dwarf.TagCommonDwarfBlock:
		default:
			r.SkipChildren()
		}
	}
}

// opAddr is the operation of DWARF that pushes an address.
const opAddr = 0x03

// variable adds a variable that has one address. Others are on stacks, in registers, or of threads.
func (w *variables) variable(e *dwarf.Entry) {
	at, _ := e.Val(dwarf.AttrLocation).([]byte)
	if len(at) != 9 || at[0] != opAddr {
		return
	}
	v := Variable{Addr: binary.LittleEndian.Uint64(at[1:])}
	declared := e
	if to, ok := e.Val(dwarf.AttrSpecification).(dwarf.Offset); ok {
		r := w.dwarf.Reader()
		r.Seek(to)
		if d, err := r.Next(); err == nil && d != nil {
			declared = d
		}
	}
	v.Name, _ = declared.Val(dwarf.AttrName).(string)
	line, _ := declared.Val(dwarf.AttrDeclLine).(int64)
	v.Line = int(line)
	v.File = w.files.at(declared, dwarf.AttrDeclFile)
	off, ok := declared.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		off, ok = e.Val(dwarf.AttrType).(dwarf.Offset)
	}
	if !ok || v.Name == "" {
		return
	}
	t, err := w.dwarf.Type(off)
	if err != nil || t.Size() <= 0 || !w.wanted(v.Addr, v.Addr+uint64(t.Size())) {
		return
	}
	v.Bytes = uint64(t.Size())
	v.Type, v.Count = w.typeOf(t)
	w.all = append(w.all, v)
}

// maxNesting bounds arrays of arrays and pointers to pointers, which have no end in a damaged file.
const maxNesting = 64

// typeOf returns the name of the type of the elements, and their number, and adds the members of the type.
func (w *variables) typeOf(t dwarf.Type) (name string, count int64) {
	count = 1
	for range maxNesting {
		switch of := t.(type) {
		case *dwarf.ArrayType:
			if of.Count > 0 {
				count *= of.Count
			}
			t = of.Type
		case *dwarf.QualType:
			t = of.Type
		case *dwarf.TypedefType:
			if s, ok := of.Type.(*dwarf.StructType); ok && s.StructName == "" {
				w.structure(of.Name, s)
				return of.Name, count
			}
			t = of.Type
		case *dwarf.StructType:
			w.structure(of.StructName, of)
			return of.StructName, count
		default:
			return typeName(t), count
		}
	}
	return "", count
}

// typeName returns the name of a type that has no parts. That of dwarf has all values of enumerations.
func typeName(t dwarf.Type) string {
	stars := ""
	for range maxNesting {
		p, ok := t.(*dwarf.PtrType)
		if !ok || p.Type == nil {
			break
		}
		stars, t = stars+"*", p.Type
	}
	switch t := t.(type) {
	case *dwarf.EnumType:
		return stars + "enum " + t.EnumName
	case *dwarf.FuncType:
		return stars + "func"
	case *dwarf.VoidType:
		return stars + "void"
	case *dwarf.StructType:
		return stars + t.StructName
	}
	return stars + t.Common().Name
}

// structure adds the members of a type with a name, once.
func (w *variables) structure(name string, s *dwarf.StructType) {
	if name == "" || w.types[name] {
		return
	}
	w.types[name] = true
	for _, m := range s.Field {
		if m.BitSize != 0 || m.Type == nil || m.Type.Size() <= 0 {
			continue // parts of a byte
		}
		of, count := w.typeOf(m.Type)
		w.members = append(w.members, Member{Of: name, Offset: uint64(m.ByteOffset), Bytes: uint64(m.Type.Size()), Name: m.Name, Type: of, Count: count})
	}
}
