package weigh

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"slices"
	"sort"
)

// An object is a linked binary.
type object struct {
	elf     *elf.File
	dwarf   *dwarf.Data
	machine instructionSet
	symbols []elf.Symbol // functions, by address
	shapes  shapes
	text    section
	rodata  section
}

type section struct {
	addr uint64
	data []byte
}

// from returns the bytes of the section from addr, or nil if addr is outside.
func (s section) from(addr uint64) []byte {
	if addr < s.addr || addr >= s.addr+uint64(len(s.data)) {
		return nil
	}
	return s.data[addr-s.addr:]
}

func openObject(path string) (*object, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: not an ELF binary: %w", path, err)
	}
	o := &object{elf: f}
	if err := o.load(); err != nil {
		f.Close()
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return o, nil
}

func (o *object) load() (err error) {
	switch o.elf.Machine {
	case elf.EM_X86_64:
		o.machine = amd64{}
	case elf.EM_AARCH64:
		o.machine = arm64{}
	default:
		return fmt.Errorf("no disassembler for %v, only for x86-64 and arm64", o.elf.Machine)
	}
	if o.elf.Section(".debug_info") == nil && o.elf.Section(".zdebug_info") == nil {
		return fmt.Errorf("no debugging information; was it built with -ldflags=-w or -s, or stripped?")
	}
	if o.dwarf, err = o.elf.DWARF(); err != nil {
		return fmt.Errorf("debugging information: %w", err)
	}
	if o.text, err = o.section(".text"); err != nil {
		return err
	}
	if o.rodata, err = o.section(".rodata"); err != nil {
		return err
	}
	all, err := o.elf.Symbols()
	if err != nil {
		return fmt.Errorf("symbol table: %w", err)
	}
	for _, s := range all {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			o.symbols = append(o.symbols, s)
		}
	}
	slices.SortFunc(o.symbols, func(a, b elf.Symbol) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Name, b.Name))
	})
	return nil
}

func (o *object) section(name string) (section, error) {
	s := o.elf.Section(name)
	if s == nil {
		return section{}, fmt.Errorf("no section %s", name)
	}
	data, err := s.Data()
	if err != nil {
		return section{}, fmt.Errorf("section %s: %w", name, err)
	}
	return section{s.Addr, data}, nil
}

// symbol returns the name of the function that begins at addr, or "".
func (o *object) symbol(addr uint64) string {
	i := sort.Search(len(o.symbols), func(i int) bool { return o.symbols[i].Value >= addr })
	if i < len(o.symbols) && o.symbols[i].Value == addr {
		return o.symbols[i].Name
	}
	return ""
}
