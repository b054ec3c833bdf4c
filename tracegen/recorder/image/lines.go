package image

import (
	"cmp"
	"debug/dwarf"
	"slices"
)

// tree walks the functions of a compile unit.
type tree struct {
	dwarf  *dwarf.Data
	pcs    []uint64
	places []Place
	files  sources
}

// lines finds the source lines and inlined functions of instructions by DWARF. It reads the units that have some of them.
func (f *File) lines(pcs []uint64, places []Place) {
	t := &tree{dwarf: f.dwarf, pcs: pcs, places: places}
	r := f.dwarf.Reader()
	for {
		unit, err := r.Next()
		if unit == nil || err != nil { // what was found before a damaged unit stays
			return
		}
		if unit.Tag == dwarf.TagCompileUnit {
			if ranges, err := f.dwarf.Ranges(unit); err == nil && t.has(ranges) {
				t.unit(unit, ranges)
			}
		}
		r.SkipChildren()
	}
}

// each calls do with the number of each instruction in ranges.
func (t *tree) each(ranges [][2]uint64, do func(i int)) {
	for _, g := range ranges {
		i, _ := slices.BinarySearch(t.pcs, g[0])
		for ; i < len(t.pcs) && t.pcs[i] < g[1]; i++ {
			do(i)
		}
	}
}

func (t *tree) has(ranges [][2]uint64) (some bool) {
	for _, g := range ranges {
		i, _ := slices.BinarySearch(t.pcs, g[0])
		some = some || i < len(t.pcs) && t.pcs[i] < g[1]
	}
	return some
}

// unit finds the places of the instructions of a unit.
func (t *tree) unit(unit *dwarf.Entry, ranges [][2]uint64) {
	lines, err := t.dwarf.LineReader(unit)
	if err != nil {
		lines = nil
	}
	t.files = sourcesOf(unit, lines)
	if lines != nil {
		t.lines(lines, ranges)
	}
	r := t.dwarf.Reader()
	r.Seek(unit.Offset)
	if _, err := r.Next(); err == nil && unit.Children {
		t.children(r)
	}
}

// lines finds the lines of the instructions in ranges.
func (t *tree) lines(lines *dwarf.LineReader, ranges [][2]uint64) {
	var all []dwarf.LineEntry
	var e dwarf.LineEntry
	for lines.Next(&e) == nil {
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b dwarf.LineEntry) int {
		end := func(e dwarf.LineEntry) int { // a sequence may end where the next begins
			if e.EndSequence {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(end(a), end(b)))
	})
	t.each(ranges, func(i int) {
		after, _ := slices.BinarySearchFunc(all, t.pcs[i], func(e dwarf.LineEntry, pc uint64) int {
			if e.Address <= pc {
				return -1
			}
			return 1
		})
		if after == 0 || all[after-1].EndSequence || all[after-1].File == nil {
			return
		}
		t.places[i].File, t.places[i].Line = t.files.path(all[after-1].File), all[after-1].Line
	})
}

// children walks the children of the entry that was read last.
func (t *tree) children(r *dwarf.Reader) {
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == 0 {
			return
		}
		switch e.Tag {
		case dwarf.TagSubprogram:
			t.function(e)
		case dwarf.TagInlinedSubroutine:
			t.inlined(e)
		case dwarf.TagLexDwarfBlock, dwarf.TagNamespace, dwarf.TagModule:
		default:
			r.SkipChildren()
			continue
		}
		if e.Children {
			t.children(r)
		}
	}
}

// function names the instructions of a function that has no symbol.
func (t *tree) function(e *dwarf.Entry) {
	ranges, err := t.dwarf.Ranges(e)
	if err != nil {
		return
	}
	name := t.name(e)
	t.each(ranges, func(i int) {
		if t.places[i].Function == "" {
			t.places[i].Function = name
		}
	})
}

// inlined names the instructions of a function that is inlined in another. Outer ones come before inner ones.
func (t *tree) inlined(e *dwarf.Entry) {
	ranges, err := t.dwarf.Ranges(e)
	if err != nil {
		return
	}
	if !t.has(ranges) {
		return
	}
	name, file := t.name(e), t.files.at(e, dwarf.AttrCallFile)
	line, _ := e.Val(dwarf.AttrCallLine).(int64)
	t.each(ranges, func(i int) {
		p := &t.places[i]
		if p.In == "" {
			p.In, p.InFile, p.InLine = p.Function, file, int(line)
		}
		p.Function = name
	})
}

// name returns the name of a function, which may be that of the entry it refers to.
func (t *tree) name(e *dwarf.Entry) string {
	for range 8 { // a damaged file might refer in circles
		if name, ok := e.Val(dwarf.AttrLinkageName).(string); ok {
			return readable(name)
		}
		to, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			to, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset)
		}
		if !ok {
			name, _ := e.Val(dwarf.AttrName).(string)
			return name
		}
		r := t.dwarf.Reader()
		r.Seek(to)
		next, err := r.Next()
		if err != nil || next == nil {
			return ""
		}
		e = next
	}
	return ""
}
