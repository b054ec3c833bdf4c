package weigh

import (
	"encoding/binary"
	"slices"
	"strings"
)

// A graph is the control flow of one function. It omits code that runs only before a panic, to grow the stack, or
// for a write barrier. For a function that only panics it is empty.
type graph struct {
	blocks       []*block // the entry first, then by address
	root         *inlineNode
	domTree      dominatorTree           // dominators
	postDomTrees map[*loop]dominatorTree // post-dominators of one iteration
}

// A block is a sequence of instructions that is entered only at its start and left only at its end.
type block struct {
	id         int
	code       []instruction
	succ, pred []*edge
	rare       bool       // calls code that grows a slice, or similar
	usual      bool       // divides, or calls code that moves or clears memory
	thenBranch regionCopy // first branch of the if whose condition ends the block
	loop       *loop
	class      *controlClass
	count      countSum
}

// An edge is a possible step from one block to another.
type edge struct {
	from, to *block
}

// cold has prefixes of runtime functions whose work is not counted. Blocks that call them are omitted.
var cold = []string{
	"runtime.panic", "runtime.gopanic", "runtime.goPanic", "runtime.throw", "runtime.fatal", "runtime.unreachableMethod",
	"runtime.morestack", "runtime.gcWriteBarrier", "runtime.wbZero", "runtime.wbMove",
}

// rare has prefixes of functions whose calls are in seldom executed blocks, unless the block's count is known.
// Functions of package math replace instructions that old processors do not have.
var rare = []string{"runtime.growslice", "runtime.decoderune", "math."}

// usual has prefixes of runtime functions that are usually called if a condition of the compiler selects them.
var usual = []string{"runtime.memmove", "runtime.memclr", "runtime.typedslicecopy", "runtime.makeslice"}

func hasPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// graph builds the control flow graph of f with instructions code.
func (o *object) graph(f *machineFunction, code []instruction) *graph {
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
func (o *object) decode(f *machineFunction) []instruction {
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

// jumpTables returns the targets of each computed jump of f, by the address of the jump.
func (o *object) jumpTables(f *machineFunction, code []instruction) map[uint64][]uint64 {
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

// entry returns the word at addr in the read-only data if it is an address within f, else 0.
func (o *object) entry(f *machineFunction, addr uint64) uint64 {
	data := o.rodata.from(addr)
	if len(data) < 8 {
		return 0
	}
	if to := binary.LittleEndian.Uint64(data); to >= f.low && to < f.high {
		return to
	}
	return 0
}

// last returns the last instruction of b, or no instruction if b is empty.
func (b *block) last() (x instruction) {
	if n := len(b.code); n > 0 {
		x = b.code[n-1]
	}
	return x
}

func leaders(code []instruction, f *machineFunction, tables map[uint64][]uint64) map[uint64]bool {
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

// drop removes cold blocks, blocks that lead only to cold ones, and blocks that cannot be reached.
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
