// Package image reads what an ELF file says of the places in it: its functions, source lines and variables.
//
// Functions are from the tables of symbols (.symtab, .dynsym, and .gnu_debugdata). Lines, inlined functions and types of variables
// are from DWARF, which may be in a file of its own: by the build id, or by the name in .gnu_debuglink. All addresses are those of
// the file; where it is mapped, they are larger by its bias.
package image

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// File is an ELF file.
type File struct {
	elf   *elf.File
	debug *elf.File // the file with debugging information, if it is another one
	dwarf *dwarf.Data
	funcs []symbol // ascending, as data
	data  []symbol
}

// symbol is an address range with a name.
type symbol struct {
	addr, size uint64
	name       string
	rank       int // of the names of one address, the least is taken
}

// Place is the place of an instruction in the source. What is not known is empty.
type Place struct {
	Function string // the innermost, if functions are inlined
	In       string // the function whose code it is, if Function is inlined there
	File     string
	Line     int
	InFile   string // of the call in In
	InLine   int
}

// errNoELF is the error of files that have no code.
var errNoELF = errors.New("it is not an ELF file")

// Open reads the tables of a file.
func Open(path string) (*File, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	head := make([]byte, 4)
	if n, _ := r.ReadAt(head, 0); n < 4 || string(head) != elf.ELFMAG {
		r.Close()
		return nil, errNoELF
	}
	r.Close()
	f := new(File)
	if f.elf, err = elf.Open(path); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	f.debug = openDebug(f.elf, path)
	f.readSymbols()
	for _, e := range []*elf.File{f.debug, f.elf} {
		if e == nil || f.dwarf != nil || e.Section(".debug_info") == nil && e.Section(".zdebug_info") == nil {
			continue
		}
		if d, err := e.DWARF(); err == nil {
			f.dwarf = d
		}
	}
	return f, nil
}

// IsELF reports whether the error of Open means that the file has no code.
func IsELF(err error) bool { return !errors.Is(err, errNoELF) }

// Close closes the file.
func (f *File) Close() {
	f.elf.Close()
	if f.debug != nil {
		f.debug.Close()
	}
}

// Bias returns how much larger addresses are where a part of the file is mapped. The part has an address and an offset in the
// file.
func (f *File) Bias(addr, offset uint64) (bias uint64, ok bool) {
	const page = 1<<12 - 1
	for _, p := range f.elf.Progs {
		if p.Type == elf.PT_LOAD && offset >= p.Off&^page && offset < p.Off+p.Filesz {
			return addr + p.Off - offset - p.Vaddr, true
		}
	}
	return 0, false
}

// Size returns the end of the addresses that the file has in memory.
func (f *File) Size() (end uint64) {
	for _, p := range f.elf.Progs {
		if p.Type == elf.PT_LOAD {
			end = max(end, p.Vaddr+p.Memsz)
		}
	}
	return end
}

func (f *File) readSymbols() {
	files := []*elf.File{f.elf}
	if f.debug != nil {
		files = append(files, f.debug)
	}
	if m := miniDebug(f.elf); m != nil {
		files = append(files, m)
	}
	for _, e := range files {
		for _, list := range []func() ([]elf.Symbol, error){e.Symbols, e.DynamicSymbols} {
			all, _ := list() // a file may have none
			for _, s := range all {
				f.add(s)
			}
		}
	}
	if len(f.funcs) == 0 {
		f.funcs = goFunctions(f.elf)
	}
	f.funcs, f.data = sorted(f.funcs), sorted(f.data)
}

func (f *File) add(s elf.Symbol) {
	if s.Section == elf.SHN_UNDEF || s.Section >= elf.SHN_LORESERVE || s.Name == "" {
		return
	}
	of := symbol{s.Value, s.Size, s.Name, 0}
	if elf.ST_BIND(s.Info) == elf.STB_LOCAL {
		of.rank = 2
	} else if elf.ST_BIND(s.Info) == elf.STB_WEAK {
		of.rank = 1
	}
	switch elf.ST_TYPE(s.Info) {
	case elf.STT_FUNC, elf.STT_GNU_IFUNC:
		f.funcs = append(f.funcs, of)
	case elf.STT_OBJECT, elf.STT_COMMON:
		if s.Size > 0 {
			f.data = append(f.data, of)
		}
	}
}

// sorted sorts symbols, and keeps one of each address: the largest, with the best name.
func sorted(all []symbol) []symbol {
	slices.SortFunc(all, func(a, b symbol) int {
		return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(b.size, a.size), cmp.Compare(a.rank, b.rank), cmp.Compare(a.name, b.name))
	})
	return slices.CompactFunc(all, func(a, b symbol) bool { return a.addr == b.addr })
}

// function returns the symbol of the function that has an address, or nil.
func (f *File) function(pc uint64) *symbol {
	const nested = 8 // symbols that may begin in a function before the address
	at, found := slices.BinarySearchFunc(f.funcs, pc, func(s symbol, pc uint64) int { return cmp.Compare(s.addr, pc) })
	if found {
		at++
	}
	for i := at - 1; i >= max(0, at-nested); i-- {
		s := &f.funcs[i]
		if pc-s.addr < s.size || s.size == 0 && i == at-1 {
			return s
		}
	}
	return nil
}

// readable returns the name as in the source. What is in a module of gfortran has the name __module_MOD_name.
func readable(name string) string {
	if module, of, ok := strings.Cut(strings.TrimPrefix(name, "__"), "_MOD_"); ok && strings.HasPrefix(name, "__") {
		return module + "::" + of
	}
	return demangle.Filter(name, demangle.NoClones)
}

// Places returns the places of instructions, whose addresses ascend.
func (f *File) Places(pcs []uint64) []Place {
	places := make([]Place, len(pcs))
	for i, pc := range pcs {
		if s := f.function(pc); s != nil {
			places[i].Function = readable(s.name)
		}
	}
	if f.dwarf != nil {
		f.lines(pcs, places)
	}
	return places
}
