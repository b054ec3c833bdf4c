package weigh

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
)

// A machineFunction is the machine code of one function with its debugging information.
type machineFunction struct {
	name      string
	low, high uint64 // addresses
	root      *inlineNode
	rows      []lineEntry // line table, by address
}

// An inlineNode is one inlined copy of a function within the code of another. Without a parent, it is the function
// itself.
type inlineNode struct {
	name     string
	decl     int // line of its func keyword, 0 if unknown
	parent   *inlineNode
	ranges   [][2]uint64
	callLine int // in the parent
	children []*inlineNode
}

// A lineEntry is the address at which a line begins.
type lineEntry struct {
	addr uint64
	file string
	line int
}

// functions reads the functions whose names wanted accepts, by address.
func (o *object) functions(wanted func(name string) bool) ([]*machineFunction, error) {
	o.shapes = shapes{}
	d := &dwarfReader{data: o.dwarf, wanted: wanted, origins: map[dwarf.Offset]*dwarf.Entry{}, shapes: o.shapes}
	for _, pass := range []func(*dwarf.Reader, *dwarf.Entry) error{d.readOrigin, d.readFunction} {
		if err := d.eachSubprogram(pass); err != nil {
			return nil, fmt.Errorf("debugging information: %w", err)
		}
	}
	slices.SortFunc(d.functions, func(a, b *machineFunction) int { return cmp.Compare(a.low, b.low) })
	return d.functions, nil
}

type dwarfReader struct {
	data      *dwarf.Data
	wanted    func(name string) bool
	origins   map[dwarf.Offset]*dwarf.Entry
	unit      *dwarf.Entry
	rows      []lineEntry // of unit, once read
	functions []*machineFunction
	shapes    shapes
}

// eachSubprogram calls do for every function of every unit. The function do skips or reads the entry's children.
func (d *dwarfReader) eachSubprogram(do func(*dwarf.Reader, *dwarf.Entry) error) error {
	r := d.data.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return err
		}
		switch e.Tag {
		case dwarf.TagCompileUnit:
			d.unit, d.rows = e, nil
		case dwarf.TagSubprogram:
			if err := do(r, e); err != nil {
				return err
			}
		default:
			d.shapes.add(e)
			r.SkipChildren()
		}
	}
}

func (d *dwarfReader) readOrigin(r *dwarf.Reader, e *dwarf.Entry) error {
	if e.Val(dwarf.AttrName) != nil {
		d.origins[e.Offset] = e
	}
	r.SkipChildren()
	return nil
}

// nameAndLine returns the name and line of the function that e is or is a copy of.
func (d *dwarfReader) nameAndLine(e *dwarf.Entry) (name string, line int) {
	if origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		e = d.origins[origin]
		if e == nil {
			return "", 0
		}
	}
	name, _ = e.Val(dwarf.AttrName).(string)
	at, _ := e.Val(dwarf.AttrDeclLine).(int64)
	return name, int(at)
}

func (d *dwarfReader) readFunction(r *dwarf.Reader, e *dwarf.Entry) error {
	name, line := d.nameAndLine(e)
	ranges, err := d.data.Ranges(e)
	if err != nil {
		return err
	}
	if !d.wanted(name) || len(ranges) != 1 {
		r.SkipChildren()
		return nil
	}
	f := &machineFunction{name: name, low: ranges[0][0], high: ranges[0][1]}
	f.root = &inlineNode{name: name, decl: line, ranges: ranges}
	if e.Children {
		if err := d.readInlined(r, f.root); err != nil {
			return err
		}
	}
	if f.rows, err = d.lines(f.low, f.high); err != nil {
		return err
	}
	d.functions = append(d.functions, f)
	return nil
}

// readInlined reads the inlined calls among the children of the entry that r has just read, a function or a block.
func (d *dwarfReader) readInlined(r *dwarf.Reader, in *inlineNode) error {
	for {
		e, err := r.Next()
		if err != nil {
			return err
		}
		if e == nil {
			return io.ErrUnexpectedEOF
		}
		to := in
		switch e.Tag {
		case 0:
			return nil
		case dwarf.TagInlinedSubroutine:
			if to, err = d.inline(e, in); err != nil {
				return err
			}
		case dwarf.TagLexDwarfBlock:
		default:
			r.SkipChildren()
			continue
		}
		if !e.Children {
			continue
		}
		if err := d.readInlined(r, to); err != nil {
			return err
		}
	}
}

func (d *dwarfReader) inline(e *dwarf.Entry, in *inlineNode) (*inlineNode, error) {
	ranges, err := d.data.Ranges(e)
	if err != nil {
		return nil, err
	}
	c := &inlineNode{parent: in, ranges: ranges}
	c.name, c.decl = d.nameAndLine(e)
	line, _ := e.Val(dwarf.AttrCallLine).(int64)
	c.callLine = int(line)
	in.children = append(in.children, c)
	return c, nil
}

// lines returns the entries of the line table from address low to high.
func (d *dwarfReader) lines(low, high uint64) ([]lineEntry, error) {
	if d.rows == nil {
		if err := d.readLines(); err != nil {
			return nil, err
		}
	}
	from := sort.Search(len(d.rows), func(i int) bool { return d.rows[i].addr >= low })
	to := sort.Search(len(d.rows), func(i int) bool { return d.rows[i].addr >= high })
	return d.rows[from:to], nil
}

func (d *dwarfReader) readLines() error {
	r, err := d.data.LineReader(d.unit)
	if err != nil {
		return err
	}
	if r == nil {
		return errors.New("no line table")
	}
	for {
		var e dwarf.LineEntry
		if err := r.Next(&e); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if !e.EndSequence {
			d.rows = append(d.rows, lineEntry{e.Address, e.File.Name, e.Line})
		}
	}
	slices.SortStableFunc(d.rows, func(a, b lineEntry) int { return cmp.Compare(a.addr, b.addr) })
	return nil
}

// innermost returns the innermost inlined copy that contains the instruction at addr.
func (in *inlineNode) innermost(addr uint64) *inlineNode {
	for _, c := range in.children {
		for _, r := range c.ranges {
			if r[0] <= addr && addr < r[1] {
				return c.innermost(addr)
			}
		}
	}
	return in
}

// line returns the file and line of the instruction at addr.
func (f *machineFunction) line(addr uint64) (file string, line int) {
	i := sort.Search(len(f.rows), func(i int) bool { return f.rows[i].addr > addr })
	if i == 0 {
		return "", 0
	}
	return f.rows[i-1].file, f.rows[i-1].line
}

// packageOf returns the import path of a function's package, as symbols write it. It is the part before the first
// dot after the last slash, ignoring type arguments.
func packageOf(name string) string {
	head, _, _ := strings.Cut(name, "[")
	slash := strings.LastIndexByte(head, '/') + 1
	if dot := strings.IndexByte(head[slash:], '.'); dot >= 0 {
		return head[:slash+dot]
	}
	return ""
}

// prefixOf returns the import path as the linker writes it in symbols. Dots of the last element, quotes, percent
// signs, blanks and characters other than ASCII are escaped.
func prefixOf(path string) string {
	slash := strings.LastIndexByte(path, '/')
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if c <= ' ' || c == '.' && i > slash || c == '%' || c == '"' || c >= 0x7F {
			fmt.Fprintf(&b, "%%%02x", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
