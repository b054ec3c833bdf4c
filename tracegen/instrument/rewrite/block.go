package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
)

// block is a group of statements that run together, as far as counting goes.
type block struct {
	weight int // instructions
	words  int // on the tape, whenever the block runs
	// hoisted says that somebody else counts it.
	hoisted bool
}

// share is the part of the block's instructions that its word i carries.
func (b *block) share(i int) int {
	n := min(b.weight, b.words*maxShare)
	return n*(i+1)/b.words - n*i/b.words
}

// rest is the instructions that its words cannot carry.
func (b *block) rest() int { return max(0, b.weight-b.words*maxShare) }

// maxShare is the instructions that fit into a word: tape.MaxInstr.
const maxShare = 1<<9 - 1

// begin starts a block here.
func (f *frame) begin() string { return f.beginAs(&block{}) }

// beginAs starts block b here.
func (f *frame) beginAs(b *block) string {
	s := ""
	if f.Mode == Trace {
		s = f.ready()
	}
	f.block, f.split = b, false
	f.blocks = append(f.blocks, b)
	return s + f.late(func() string { return f.blockText(b) })
}

// resume starts a block here if the last one has ended.
func (f *frame) resume() string {
	if !f.split {
		return ""
	}
	return f.begin()
}

// blockText is the start of a block: what counts it.
func (f *frame) blockText(b *block) string {
	switch {
	case f.Mode == Trace && b.rest() > 0:
		return fmt.Sprintf("%s; %s.Put(%s, %s, nil, %d); %s += 8; ", f.checkText(), f.name.tape, f.name.base, f.name.off, b.rest(), f.name.off)
	case f.Mode == Trace || b.hoisted || b.weight == 0:
		return ""
	}
	return fmt.Sprintf("%s += %d; ", f.counter(), b.weight)
}

// charge adds the lines of a part of the source to the block, without those of
// function literals in it.
func (f *frame) charge(n ast.Node) {
	if n != nil {
		f.chargeSpan(n, n.Pos(), n.End())
	}
}

// chargeSpan adds the lines of the source between two places within n.
func (f *frame) chargeSpan(n ast.Node, from, to token.Pos) {
	if f.free {
		return
	}
	if f.Weights == nil {
		f.block.weight += operations(n, from, to)
		return
	}
	skip := map[int]bool{}
	ast.Inspect(n, func(m ast.Node) bool {
		lit, ok := m.(*ast.FuncLit)
		if ok && lit != n {
			for l := f.line(lit.Pos()) + 1; l <= f.line(lit.End()); l++ {
				skip[l] = true
			}
			return false
		}
		return true
	})
	for l := f.line(from); l <= f.line(to); l++ {
		if !skip[l] {
			f.chargeLine(l)
		}
	}
}

// chargeLine adds a line to the block unless another block of the function has it.
func (f *frame) chargeLine(line int) {
	if f.free || f.charged[line] {
		return
	}
	f.charged[line] = true
	f.block.weight += f.weights[line]
}

func (f *file) line(p token.Pos) int { return f.tok.PositionFor(p, false).Line }

// operations are the operations of the source between two places, which count
// where weights are unknown.
func operations(n ast.Node, from, to token.Pos) int {
	ops := 0
	ast.Inspect(n, func(m ast.Node) bool {
		if m == nil {
			return false
		}
		if _, ok := m.(*ast.FuncLit); ok && m != n {
			return false
		}
		if m.Pos() < from || m.Pos() >= to {
			return m.Pos() < from
		}
		switch m.(type) {
		case *ast.BinaryExpr, *ast.IndexExpr, *ast.CallExpr, *ast.SelectorExpr, *ast.AssignStmt, *ast.IncDecStmt,
			*ast.StarExpr, *ast.ReturnStmt, *ast.BranchStmt, *ast.SliceExpr, *ast.TypeAssertExpr:
			ops++
		}
		return true
	})
	return ops
}
