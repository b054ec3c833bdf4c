package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
)

// block is a group of statements that run together, as far as counting goes.
type block struct {
	weight int // instructions
	words  int // on the tape, whenever the block runs
	// trips is how often the block runs, in an expression that holds if the
	// condition does: it is counted before its loop. A recording block is only if it
	// has no words.
	trips, condition string
	// after is the block that this one continues, behind a loop.
	after *block
}

// share is the part of the block's instructions that its word i carries.
func (b *block) share(i int) int {
	n := max(0, b.weight) - b.rest()
	return n*(i+1)/b.words - n*i/b.words
}

// rest is the instructions that no word of the block carries.
func (b *block) rest() int { return max(0, b.weight-b.words*maxShare) }

// maxShare is the instructions that a word carries of its own block, and maxCarry
// those of blocks before, so that both together are at most tape.MaxInstr.
const (
	maxShare = 255
	maxCarry = 256
)

// begin starts a block here.
func (f *frame) begin() string { return f.beginAs(&block{}) }

// beginAs starts block b here.
func (f *frame) beginAs(b *block) string {
	b.after = f.after
	f.block, f.split, f.after = b, false, nil
	f.blocks = append(f.blocks, b)
	f.carry = &carry{block: b, from: []*carry{f.carry}}
	return f.late(func() string {
		n := f.counts(b)
		switch {
		case b.trips != "":
			return ""
		case f.owes(b):
			return f.add(f.name.t+".N", b.weight, "")
		case n == 0:
			return ""
		}
		return f.add(f.counter(), n, "")
	})
}

// beforeLoop is what counts block b, the first of a loop's body, ahead of the loop.
func (f *frame) beforeLoop(b *block, condition, trips string) string {
	b.trips, b.condition = trips, condition
	return f.late(func() string {
		n, counter := f.counts(b), f.counter()
		if f.owes(b) {
			n, counter = b.weight, f.name.t+".N"
		}
		if n == 0 || b.trips == "" {
			return ""
		}
		s := f.add(counter, n, b.trips)
		if b.condition != "" {
			s = "if " + b.condition + " { " + s + "}; "
		}
		return s
	})
}

// owes reports whether block b of a recording counts less than nothing: words cannot
// carry that, so that it is left to the tape.
func (f *frame) owes(b *block) bool { return f.Mode == Trace && b.weight < 0 }

// add adds n instructions to a count, as often as times says, if it is not "".
// Weights of lines may be negative, where others count too much.
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

// counts is what block b adds to the count: in a recording, what its words do not
// carry.
func (f *frame) counts(b *block) int {
	if f.Mode == Trace {
		return b.rest()
	}
	return b.weight
}

// counter is what counts: the local count, or the tape's.
func (f *frame) counter() string {
	if f.direct {
		return f.name.t + ".N"
	}
	return f.name.n
}

// rejoin goes on with a block after others within the same statement.
func (f *frame) rejoin(b *block, split bool) {
	f.block, f.split, f.after = b, split || f.split && f.after == nil, nil
}

// repay takes debts, which the words of a recording cannot carry, from the blocks
// that the indebted ones continue.
func (f *frame) repay() {
	for i := len(f.blocks) - 1; i >= 0 && f.Mode == Trace; i-- {
		if b := f.blocks[i]; b.weight < 0 && b.after != nil {
			b.after.weight, b.weight = b.after.weight+b.weight, 0
		}
	}
}

// resume starts a block here if the last one has ended.
func (f *frame) resume() string {
	if !f.split {
		return ""
	}
	return f.begin()
}

// charge adds the lines of a part of the source to the block, without those of
// function literals in it and those that another block of the function has.
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

// chargeLine adds a line to the block unless another block of the function has it.
func (f *frame) chargeLine(line int) {
	if f.free || f.charged[line] {
		return
	}
	f.charged[line] = true
	f.block.weight += f.weights[line]
}

func (f *file) line(p token.Pos) int { return f.tok.PositionFor(p, false).Line }

// operations are the operations of the source between two places that no other
// block has, which count where weights are unknown.
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

// separate reports whether the right operand of a conditional operator is to be
// counted by itself: if it has lines of its own.
func (f *frame) separate(e *ast.BinaryExpr) bool {
	if f.free {
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
