package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// frame is the state of rewriting what one activation executes: the body of a
// function, of a function literal, or of a range over a function.
type frame struct {
	*file
	node    ast.Node
	outer   *frame            // of the function that a range over a function stands in
	results bool              // control cannot reach the end of the body
	free    bool              // whoever calls counts
	direct  bool              // counts go to the tape at once
	charged map[int]bool      // lines that a block has
	nodes   map[ast.Node]bool // likewise parts of the source, where lines have no weights
	weights map[int]int
	blocks  []*block
	block   *block
	split   bool   // the block has ended
	after   *block // likewise, behind a loop: the next one continues it
	cursor
	targets    []*target
	heads      []*loopHead
	unloadings []unloading
	uses       struct{ tape, cursor, count bool }
}

// function is the rewritten body of a function.
func (f *file) function(d *ast.FuncDecl) string {
	fn, _ := f.Info.Defs[d.Name].(*types.Func)
	fr := f.newFrame(d.Body, d.Type)
	fr.free = f.inlined[fn]
	return fr.body(d, d.Body)
}

// literal is a rewritten function literal.
func (f *file) literal(lit *ast.FuncLit) string {
	fr := f.newFrame(lit.Body, lit.Type)
	return f.between(lit.Pos(), lit.Body.Pos()) + fr.body(lit, lit.Body)
}

func (f *file) newFrame(body *ast.BlockStmt, t *ast.FuncType) *frame {
	fr := &frame{file: f, node: body, charged: map[int]bool{}, nodes: map[ast.Node]bool{}, weights: f.Weights[f.tok.Name()]}
	fr.results = t.Results != nil && len(t.Results.List) > 0
	fr.direct = f.Mode == Count && defers(body)
	return fr
}

// defers reports whether a function has a defer statement of its own.
func defers(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			found = true
		}
		return !found
	})
	return found
}

// body is the text of a whole body, braces included. The line of a declaration
// belongs to its first block; that of a literal to the statement around it.
func (f *frame) body(n ast.Node, body *ast.BlockStmt) string {
	start := f.begin()
	if _, ok := n.(*ast.FuncDecl); ok {
		f.chargeLine(f.line(n.Pos()))
	}
	list := f.list(body.List, body.Lbrace+1, body.Rbrace)
	end := ""
	if !f.results {
		end = f.leave()
	}
	f.settle()
	prologue := f.late(f.prologue)
	return f.raw(body.Lbrace, body.Lbrace+1) + prologue + start + then(list, end) + f.raw(body.Rbrace, body.End())
}

// orNothing is separator and text, or nothing if there is no text.
func orNothing(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}

// prologue declares what the body uses.
func (f *frame) prologue() string {
	var b strings.Builder
	if f.outer == nil && (f.uses.tape || f.uses.cursor || f.uses.count) {
		fmt.Fprintf(&b, " %s := %s.%s(); ", f.name.t, f.name.tape, f.source())
	}
	if f.uses.cursor {
		fmt.Fprintf(&b, "%s, %s, %s := %s.Open(); ", f.name.base, f.name.off, f.name.lim, f.name.t)
	}
	if f.uses.count && !f.direct {
		fmt.Fprintf(&b, "%s := %s.None; ", f.name.n, f.name.hooks)
	}
	return b.String()
}

// source is the function of package tape that tells the tape.
func (f *file) source() string {
	if f.Goroutines {
		return "Mine"
	}
	return "Cur"
}

// settle decides what the body uses, now that its blocks are known.
func (f *frame) settle() {
	f.repay()
	f.settleHeads()
	for _, b := range f.blocks {
		f.uses.count = f.uses.count || f.counts(b) != 0
		f.uses.tape = f.uses.tape || f.owes(b)
	}
	for _, u := range f.unloadings {
		n, _ := u.most(f)
		f.uses.cursor = f.uses.cursor || n > 0 && !u.closed
	}
	f.file.uses.hooks = f.file.uses.hooks || f.uses.count && !f.direct
	if f.uses.tape || f.uses.cursor || f.uses.count {
		f.file.uses.tape = true
		if f.outer != nil {
			f.outer.uses.tape = true
		}
	}
}

// leave is what comes before control leaves the frame.
func (f *frame) leave() string {
	s := ""
	switch {
	case f.gone:
	case f.Mode == Trace:
		s = f.close()
	default:
		s = f.flush(false)
	}
	f.dead()
	return s
}

// flush is what brings the count to the tape; again says that the body counts on.
func (f *frame) flush(again bool) string {
	if f.carry == nil {
		return "" // nothing was counted since the last time
	}
	f.carry = nil
	return f.late(func() string {
		if !f.uses.count || f.direct {
			return ""
		}
		s := fmt.Sprintf("%s.N += %s; ", f.name.t, f.name.n)
		if again {
			s += fmt.Sprintf("%s = 0; ", f.name.n)
		}
		return s
	})
}
