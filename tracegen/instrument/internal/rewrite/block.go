package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
)

// block is a group of statements that are counted together.
type block struct {
	weight  int // instructions
	outside int // instructions of functions that are not instrumented
	words   int // words on the tape in each execution of the block
	// more has the instructions of each instance of a generic function, less weight.
	more []int
	// trips is an expression for the number of executions, or "". It is valid if condition is true. The block is
	// then counted before its loop. In a recording, only a block without words is counted there.
	trips, condition string
	// continues is the block that this one continues, after a loop.
	continues *block
}

// share returns the part of the block's instructions that its word i carries.
func (b *block) share(i int) int {
	n := max(0, b.weight) - b.rest()
	return n*(i+1)/b.words - n*i/b.words
}

// rest returns the instructions that no word of the block carries.
func (b *block) rest() int { return max(0, b.weight-b.words*maxShare) }

// maxShare is the maximum number of instructions of its own block in a word, and maxCarry that of earlier blocks.
// Their sum is at most maxInstr of package tape.
const (
	maxShare = 255
	maxCarry = 256
)

// begin starts a block here.
func (f *frame) begin() string { return f.beginAs(&block{}) }

// beginAs starts block b here.
func (f *frame) beginAs(b *block) string {
	b.continues = f.continued
	f.block, f.split, f.continued = b, false, nil
	f.blocks = append(f.blocks, b)
	f.count = &countState{block: b, from: []*countState{f.count}}
	return f.deferText(func() string {
		n, s := f.counts(b), ""
		if b.outside > 0 {
			s = f.add(f.name.t+".Outside", b.outside, "")
		}
		if b.trips == "" {
			s += f.addInstance(b)
		}
		switch {
		case b.trips != "":
			return s
		case f.isNegative(b):
			return s + f.add(f.name.t+".N", b.weight, "")
		case n == 0:
			return s
		}
		return s + f.add(f.counter(), n, "")
	})
}

// beforeLoop returns code before a loop that counts block b, the first block of its body.
func (f *frame) beforeLoop(b *block, condition, trips string) string {
	b.trips, b.condition = trips, condition
	return f.deferText(func() string {
		n, counter := f.counts(b), f.counter()
		if f.isNegative(b) {
			n, counter = b.weight, f.name.t+".N"
		}
		if b.trips == "" {
			return ""
		}
		s := f.addInstance(b)
		if n != 0 {
			s += f.add(counter, n, b.trips)
		}
		if s == "" {
			return ""
		}
		if b.condition != "" {
			s = "if " + b.condition + " { " + s + "}; "
		}
		return s
	})
}

// isNegative reports whether block b of a recording has a negative weight. Words cannot hold it, so the tape counts
// it.
func (f *frame) isNegative(b *block) bool { return f.Mode == Trace && b.weight < 0 }

// add returns code that adds n instructions to a counter, times the expression times if it is not "". Weights of
// lines may be negative, if other lines count too much.
func (f *frame) add(counter string, n int, times string) string {
	operator := "+="
	if n < 0 {
		operator, n = "-=", -n
	}
	switch amount := strconv.Itoa(n); {
	case times == "":
		times = amount
	case n > 1:
		times = amount + "*" + times
	}
	return fmt.Sprintf("%s %s %s; ", counter, operator, times)
}

// counts returns the instructions that block b adds to the counter. In a recording, these are the instructions that
// its words do not carry.
func (f *frame) counts(b *block) int {
	if f.Mode == Trace {
		return b.rest()
	}
	return b.weight
}

// counter returns the name of the counter: the local one or that of the tape.
func (f *frame) counter() string {
	if f.countsOnTape {
		return f.name.t + ".N"
	}
	return f.name.n
}

// resumeBlock continues block b after inner blocks of the same statement.
func (f *frame) resumeBlock(b *block, split bool) {
	f.block, f.split, f.continued = b, split || f.split && f.continued == nil, nil
}

// moveNegative moves negative weights, which words cannot hold, to the blocks that these blocks continue.
func (f *frame) moveNegative() {
	for i := len(f.blocks) - 1; i >= 0 && f.Mode == Trace; i-- {
		if b := f.blocks[i]; b.weight < 0 && b.continues != nil {
			b.continues.weight, b.weight = b.continues.weight+b.weight, 0
		}
	}
}

// beginIfSplit starts a block here if the last one has ended.
func (f *frame) beginIfSplit() string {
	if !f.split {
		return ""
	}
	return f.begin()
}

// charge adds the lines of n to the block. It omits lines of function literals in n and lines of other blocks of
// the function.
func (f *frame) charge(n ast.Node) {
	if n != nil {
		f.chargeSpan(n, n.Pos(), n.End())
	}
}

// chargeSpan adds the lines of the source between two positions within n.
func (f *frame) chargeSpan(n ast.Node, from, to token.Pos) {
	if f.uncounted {
		return
	}
	if f.Weights == nil {
		f.block.weight += f.operations(n, from, to)
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

// chargeLine adds a line to the block unless it belongs to another block of the function.
func (f *frame) chargeLine(line int) {
	if f.uncounted || f.charged[line] {
		return
	}
	f.charged[line] = true
	f.block.weight += f.weights[line]
	f.generic.charge(f.block, line)
	f.block.outside += f.Outside[f.tok.Name()][line]
}

func (f *file) line(p token.Pos) int { return f.tok.PositionFor(p, false).Line }

// operations returns the number of operations between two positions that belong to no other block. It is the weight
// if weights are unknown.
func (f *frame) operations(n ast.Node, from, to token.Pos) int {
	ops := 0
	ast.Inspect(n, func(m ast.Node) bool {
		if m == nil || f.nodes[m] {
			return false
		}
		if _, ok := m.(*ast.FuncLit); ok && m != n {
			return false
		}
		if m.Pos() < from || m.Pos() >= to {
			return m.Pos() < from
		}
		if isOperation(m) {
			ops++
		}
		return true
	})
	f.nodes[n] = true
	return ops
}

func isOperation(n ast.Node) bool {
	switch n.(type) {
	case *ast.BinaryExpr, *ast.IndexExpr, *ast.CallExpr, *ast.SelectorExpr, *ast.AssignStmt, *ast.IncDecStmt,
		*ast.StarExpr, *ast.ReturnStmt, *ast.BranchStmt, *ast.SliceExpr, *ast.TypeAssertExpr:
		return true
	}
	return false
}

// countedSeparately reports whether the right operand of a conditional operator has lines, and so a count, of its
// own.
func (f *frame) countedSeparately(e *ast.BinaryExpr) bool {
	if f.uncounted {
		return false
	}
	if f.Weights == nil {
		return true
	}
	for l := f.line(e.Y.Pos()); l <= f.line(e.Y.End()); l++ {
		if f.weights[l] != 0 && !f.charged[l] {
			return f.line(e.Y.Pos()) > f.line(e.X.End())
		}
	}
	return false
}
