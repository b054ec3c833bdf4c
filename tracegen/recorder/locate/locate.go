// Package locate finds the names of the places that a recording has: of its code, its variables, the blocks of its heap, and its
// stacks. The plugin sends where files are mapped, and what changes in the heap.
package locate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"spoor/traces/symbols"
	"spoor/traces/trace"
)

// Places collects the places of a recording, and writes their names.
type Places struct {
	Pages
	out    *symbols.Writer
	mapped []mapping
	known  map[mapping]bool
	heap   heap
}

// mapping is a part of memory, and the file that it is of.
type mapping struct {
	from, to, offset uint64
	path             string // "" if it is of no file
}

// New returns places that are written to out.
func New(out *symbols.Writer) *Places {
	return &Places{out: out, known: map[mapping]bool{}, heap: newHeap(out.Add)}
}

// errDamaged is the error of what is not as the plugin sends it.
var errDamaged = errors.New("what the plugin sends of the program's memory is damaged")

// Mapped reports whether a file is mapped.
func (p *Places) Mapped(path string) bool {
	return slices.ContainsFunc(p.mapped, func(m mapping) bool { return m.path == path })
}

// Maps reads where files are mapped.
func (p *Places) Maps(text []byte) error {
	for line := range bytes.Lines(text) {
		fields := bytes.SplitN(bytes.TrimSuffix(line, []byte("\n")), []byte(" "), 4)
		if len(fields) != 4 {
			return errDamaged
		}
		var n [3]uint64
		for i := range n {
			var err error
			if n[i], err = strconv.ParseUint(string(fields[i]), 16, 64); err != nil {
				return errDamaged
			}
		}
		m := mapping{n[0], n[1], n[2], string(fields[3])}
		if !p.known[m] {
			p.known[m] = true
			p.mapped = append(p.mapped, m)
		}
	}
	return nil
}

// kinds of changes, as in heap.h
const (
	allocated = iota
	freed
	mappedMemory
	unmapped
	stacked
)

// changeBytes is the size of a change, as in places.h.
const changeBytes = 40

// Changes reads changes of the heap.
func (p *Places) Changes(b []byte) error {
	for ; len(b) >= changeBytes; b = b[changeBytes:] {
		le := binary.LittleEndian
		c := change{addr: le.Uint64(b), bytes: le.Uint64(b[8:]), site: le.Uint64(b[16:]),
			at: symbols.Moment{Instr: le.Uint64(b[24:]), Proc: trace.Proc(le.Uint32(b[32:]))}}
		c.bytes = min(c.bytes, ^c.addr) // no block ends beyond memory
		var err error
		switch kind := le.Uint32(b[36:]); kind {
		case allocated:
			err = p.heap.allocate(c)
		case freed:
			err = p.heap.free(c)
		case mappedMemory:
			err = p.heap.mapMemory(c)
		case unmapped:
			err = p.heap.unmap(c)
		case stacked:
			err = p.stack(c)
		default:
			return fmt.Errorf("%w: change %d", errDamaged, kind)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stack names a stack. That of main has no size: it is the memory that its frame was in when the program began.
func (p *Places) stack(c change) error {
	from, to := c.addr, c.addr+c.bytes
	if c.bytes == 0 {
		for _, m := range p.mapped {
			if m.path == "" && m.from <= c.addr && c.addr < m.to {
				from, to = m.from, m.to
				break
			}
		}
	}
	if from == to {
		return nil
	}
	return p.out.Add(symbols.Row{Kind: symbols.Stack, Addr: from, Bytes: to - from, Begin: c.at, End: symbols.Never})
}

// Finish writes what is left, with the names of the instructions at pcs, in any order. Its notes say what has no names.
func (p *Places) Finish(pcs []uint64) (notes []string, err error) {
	if err := p.heap.finish(); err != nil {
		return nil, err
	}
	for site := range p.heap.sites {
		pcs = append(pcs, site)
	}
	return p.code(pcs)
}
