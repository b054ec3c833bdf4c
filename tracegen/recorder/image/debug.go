package image

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"

	"github.com/ulikunitz/xz"
)

// debugFolder has the files with debugging information of installed packages.
const debugFolder = "/usr/lib/debug"

// openDebug opens the file that has the debugging information of another one, or returns nil.
func openDebug(f *elf.File, path string) *elf.File {
	for _, name := range debugFiles(f, path) {
		if d, err := elf.Open(name); err == nil {
			return d
		}
	}
	return nil
}

// debugFiles returns where the debugging information of a file may be, in the order in which gdb looks.
func debugFiles(f *elf.File, path string) (names []string) {
	if id := buildID(f); len(id) > 2 {
		names = append(names, filepath.Join(debugFolder, ".build-id", id[:2], id[2:]+".debug"))
	}
	if s := f.Section(".gnu_debuglink"); s != nil {
		text, err := s.Data()
		name, _, ok := bytes.Cut(text, []byte{0})
		if err == nil && ok && len(name) > 0 {
			dir, base := filepath.Dir(path), filepath.Base(string(name))
			for _, at := range []string{filepath.Join(dir, base), filepath.Join(dir, ".debug", base), filepath.Join(debugFolder, dir, base)} {
				if !sameFile(at, path) {
					names = append(names, at)
				}
			}
		}
	}
	return names
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// buildID returns the build id of a file in hexadecimal: of a note, what follows its sizes, type and name.
func buildID(f *elf.File) string {
	const head = 16
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return ""
	}
	if note, err := s.Data(); err == nil && len(note) > head {
		return hex.EncodeToString(note[head:])
	}
	return ""
}

// maxMiniDebug bounds the memory of an expanded .gnu_debugdata.
const maxMiniDebug = 1 << 28

// miniDebug returns the ELF file in .gnu_debugdata, which has the functions that .dynsym lacks, or nil.
func miniDebug(f *elf.File) *elf.File {
	s := f.Section(".gnu_debugdata")
	if s == nil {
		return nil
	}
	r, err := xz.NewReader(s.Open())
	if err != nil {
		return nil
	}
	all, err := io.ReadAll(io.LimitReader(r, maxMiniDebug))
	if err != nil {
		return nil
	}
	m, err := elf.NewFile(bytes.NewReader(all))
	if err != nil {
		return nil
	}
	return m
}

// goFunctions returns the functions of a Go program without symbols.
func goFunctions(f *elf.File) (funcs []symbol) {
	s, text := f.Section(".gopclntab"), f.Section(".text")
	if s == nil || text == nil {
		return nil
	}
	data, err := s.Data()
	if err != nil {
		return nil
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		return nil
	}
	for _, fn := range table.Funcs {
		funcs = append(funcs, symbol{addr: fn.Entry, size: fn.End - fn.Entry, name: fn.Name})
	}
	return funcs
}
