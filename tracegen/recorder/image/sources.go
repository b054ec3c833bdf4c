package image

import (
	"debug/dwarf"
	"path"
)

// sources are the source files of a compile unit.
type sources struct {
	folder string // in which it was compiled
	files  []*dwarf.LineFile
}

// sourcesOf returns the source files of a unit. Its table of lines may be nil.
func sourcesOf(unit *dwarf.Entry, lines *dwarf.LineReader) (s sources) {
	s.folder, _ = unit.Val(dwarf.AttrCompDir).(string)
	if lines != nil {
		s.files = lines.Files()
	}
	return s
}

// path returns the name of a file with its folder.
func (s sources) path(f *dwarf.LineFile) string {
	if path.IsAbs(f.Name) || s.folder == "" {
		return f.Name
	}
	return path.Join(s.folder, f.Name)
}

// at returns the file whose number an attribute has, or "".
func (s sources) at(e *dwarf.Entry, a dwarf.Attr) string {
	n, ok := e.Val(a).(int64)
	if !ok || n < 0 || n >= int64(len(s.files)) || s.files[n] == nil {
		return ""
	}
	return s.path(s.files[n])
}
