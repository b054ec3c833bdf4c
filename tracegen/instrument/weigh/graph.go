package weigh

import (
	"encoding/binary"
	"slices"
	"strings"
)

// A graph is the control flow of one function, without what is only executed on
// the way to a panic, a larger stack or a write barrier: nothing, of a function that
// only panics.
type graph struct {
	blocks []*block // the entry first, in order of address
	root   *inlined
	before tree           // dominators
	after  map[*loop]tree // post-dominators, of one iteration
}

// A block is a run of instructions that is entered at its start and left at its
// end only.
type block struct {
	id         int
	code       []instruction
	succ, pred []*edge
	rare       bool // calls what grows a slice or the like
	usual      bool // divides, or calls what moves or clears memory
	fork       spot // the first branch of the if whose condition ends the block
	loop       *loop
	class      *class
	count      form
}

// An edge is a possible step from one block to another.
type edge struct {
	from, to *block
}

// Prefixes of runtime functions: what they do is not counted, and blocks that call
// them are as if they were not there.
var cold = []string{
	"runtime.panic", "runtime.gopanic", "runtime.goPanic", "runtime.throw", "runtime.fatal", "runtime.unreachableMethod",
	"runtime.morestack", "runtime.gcWriteBarrier", "runtime.wbZero", "runtime.wbMove",
}

// Prefixes of functions that are called from blocks which are seldom executed, where
// nothing else tells how often: those of package math stand in for instructions that
// old processors do not have.
var rare = []string{"runtime.growslice", "runtime.decoderune", "math."}

// Prefixes of runtime functions that are usually called where a condition of the
// compiler's own decides about it.
var usual = []string{"runtime.memmove", "runtime.memclr", "runtime.typedslicecopy", "runtime.makeslice"}

func hasPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// graph builds the control flow graph of f, whose instructions are code.
func (o *object) graph(f *function, code []instruction) *graph {
	tables := o.jumpTables(f, code)
	leaders := leaders(code, f, tables)
	g := &graph{root: f.root}
	at := map[uint64]*block{}
	for i, x := range code {
		if i == 0 || leaders[x.addr] {
			b := &block{id: len(g.blocks)}
			g.blocks = append(g.blocks, b)
			at[x.addr] = b
		}
		b := g.blocks[len(g.blocks)-1]
		b.code = append(b.code, x)
	}
	isCold := make([]bool, len(g.blocks))
	for i, b := range g.blocks {
		isCold[i] = o.connect(b, at, tables)
	}
	g.drop(isCold)
	return g
}

// decode disassembles f.
func (o *object) decode(f *function) []instruction {
	var code []instruction
	for addr := f.low; addr < f.high; {
		bytes := o.text.from(addr)
		if bytes == nil {
			break
		}
		x := o.machine.decode(bytes[:min(uint64(len(bytes)), f.high-addr)], addr)
		if x.size == 0 {
			break
		}
		x.file, x.line = f.line(addr)
		x.in = f.root.innermost(addr)
		code = append(code, x)
		addr += x.size
	}
	return code
}

// jumpTables returns where each computed jump of f can lead, by its address.
func (o *object) jumpTables(f *function, code []instruction) map[uint64][]uint64 {
	starts := map[uint64]uint64{} // jump to table
	isStart := map[uint64]bool{}
	for i, x := range code {
		if x.op != jump || x.target != 0 {
			continue
		}
		for k := i - 1; k >= 0 && code[k].op != exit; k-- {
			if code[k].op != address {
				continue
			}
			t := code[k].target
			if code[k+1].op == addend {
				t += uint64(code[k+1].value)
			}
			if o.entry(f, t) != 0 {
				starts[x.addr], isStart[t] = t, true
				break
			}
		}
	}
	tables := map[uint64][]uint64{}
	for at, t := range starts {
		for n := t; o.entry(f, n) != 0 && (n == t || !isStart[n]); n += 8 {
			tables[at] = append(tables[at], o.entry(f, n))
		}
	}
	return tables
}

// entry returns the address within f that the word at addr of the read-only data
// holds, 0 if there is none.
func (o *object) entry(f *function, addr uint64) uint64 {
	data := o.rodata.from(addr)
	if len(data) < 8 {
		return 0
	}
	if to := binary.LittleEndian.Uint64(data); to >= f.low && to < f.high {
		return to
	}
	return 0
}

// last returns the instruction that b ends with.
func (b *block) last() instruction { return b.code[len(b.code)-1] }

func leaders(code []instruction, f *function, tables map[uint64][]uint64) map[uint64]bool {
	leads := map[uint64]bool{}
	for _, x := range code {
		if x.op == branch || x.op == jump {
			leads[x.target] = true
			for _, t := range tables[x.addr] {
				leads[t] = true
			}
		}
		if x.op == branch || x.op == jump || x.op == exit {
			leads[x.addr+x.size] = true
		}
	}
	return leads
}

// connect adds the edges that leave b, and reports whether b is cold.
func (o *object) connect(b *block, at map[uint64]*block, tables map[uint64][]uint64) bool {
	for _, x := range b.code {
		b.usual = b.usual || x.divides
		if x.op != call {
			continue
		}
		name := o.symbol(x.target)
		if hasPrefix(name, cold) {
			return true
		}
		b.rare = b.rare || hasPrefix(name, rare)
		b.usual = b.usual || hasPrefix(name, usual)
	}
	last := b.last()
	targets := tables[last.addr]
	if last.op == branch || last.op == jump {
		targets = append([]uint64{last.target}, targets...)
	}
	if last.op != jump && last.op != exit {
		targets = append(targets, last.addr+last.size)
	}
	seen := map[uint64]bool{}
	for _, t := range targets {
		if to := at[t]; to != nil && !seen[t] {
			seen[t] = true
			b.succ = append(b.succ, &edge{from: b, to: to})
		}
	}
	return false
}

// drop removes the cold blocks, those that lead to cold ones only, and those that
// cannot be reached.
func (g *graph) drop(isCold []bool) {
	for changed := true; changed; {
		changed = false
		for i, b := range g.blocks {
			if isCold[i] || len(b.succ) == 0 {
				continue
			}
			if !slices.ContainsFunc(b.succ, func(e *edge) bool { return !isCold[e.to.id] }) {
				isCold[i], changed = true, true
			}
		}
	}
	reached := make([]bool, len(g.blocks))
	var reach func(b *block)
	reach = func(b *block) {
		if reached[b.id] || isCold[b.id] {
			return
		}
		reached[b.id] = true
		for _, e := range b.succ {
			reach(e.to)
		}
	}
	reach(g.blocks[0])
	g.blocks = slices.DeleteFunc(g.blocks, func(b *block) bool { return !reached[b.id] })
	for _, b := range g.blocks {
		b.succ = slices.DeleteFunc(b.succ, func(e *edge) bool { return isCold[e.to.id] })
		for _, e := range b.succ {
			e.to.pred = append(e.to.pred, e)
		}
	}
	for i, b := range g.blocks {
		b.id = i
	}
}
