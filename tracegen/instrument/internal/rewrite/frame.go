package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// frame is the state of rewriting one body: that of a function, of a function literal, or of a range over a
// function.
type frame struct {
	*file
	node         ast.Node
	outer        *frame            // frame of the function that contains a range over a function
	hasResults   bool              // control cannot reach the end of the body
	uncounted    bool              // the callers count its instructions
	countsOnTape bool              // counts are added to the tape at once
	charged      map[int]bool      // lines that belong to a block
	nodes        map[ast.Node]bool // nodes that belong to a block, if lines have no weights
	weights      map[int]int
	generic      *instances // of the function around the body, or nil
	blocks       []*block
	block        *block
	split        bool   // the block has ended
	continued    *block // the block that ended after a loop; the next block continues it
	cursor
	targets     []*target
	heads       []*loopHead
	countWrites []countWrite
	uses        struct{ tape, cursor, count, instance bool }
}

// function returns the rewritten body of a function.
func (f *file) function(d *ast.FuncDecl) string {
	fn, _ := f.Info.Defs[d.Name].(*types.Func)
	f.generic = f.instancesOf(fn, d)
	defer func() { f.generic = nil }()
	fr := f.newFrame(d.Body, d.Type)
	fr.uncounted = f.Inlined[fn]
	return fr.body(d, d.Body)
}

// literal returns a rewritten function literal.
func (f *file) literal(lit *ast.FuncLit) string {
	fr := f.newFrame(lit.Body, lit.Type)
	return f.between(lit.Pos(), lit.Body.Pos()) + fr.body(lit, lit.Body)
}

func (f *file) newFrame(body *ast.BlockStmt, t *ast.FuncType) *frame {
	fr := &frame{file: f, node: body, charged: map[int]bool{}, nodes: map[ast.Node]bool{}, weights: f.Weights[f.tok.Name()], generic: f.generic}
	fr.hasResults = t.Results != nil && len(t.Results.List) > 0
	fr.countsOnTape = f.Mode == Count && defers(body)
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

// body returns the text of a whole body, including braces. The line of a declaration belongs to its first block.
// The line of a literal belongs to the statement around it.
func (f *frame) body(n ast.Node, body *ast.BlockStmt) string {
	start := f.begin()
	if _, ok := n.(*ast.FuncDecl); ok {
		f.chargeLine(f.line(n.Pos()))
	}
	list := f.list(body.List, body.Lbrace+1, body.Rbrace)
	end := ""
	if !f.hasResults {
		end = f.exitText()
	}
	f.decideUses()
	prologue := f.deferText(f.prologue)
	return f.raw(body.Lbrace, body.Lbrace+1) + prologue + start + appendCode(list, end) + f.raw(body.Rbrace, body.End())
}

// orNothing returns separator and text, or "" if text is empty.
func orNothing(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}

// prologue returns the declarations that the body uses.
func (f *frame) prologue() string {
	var b strings.Builder
	if f.outer == nil && (f.uses.tape || f.uses.cursor || f.uses.count) {
		fmt.Fprintf(&b, " %s := %s.%s(); ", f.name.t, f.name.tape, f.tapeFunction())
	}
	if f.uses.cursor {
		fmt.Fprintf(&b, "%s, %s, %s := %s.Open(); ", f.name.base, f.name.off, f.name.lim, f.name.t)
	}
	if f.outer == nil && f.uses.instance {
		b.WriteString(f.selectInstance())
	}
	if f.uses.count && !f.countsOnTape {
		fmt.Fprintf(&b, "%s := %s.None; ", f.name.n, f.name.hooks)
	}
	return b.String()
}

// tapeFunction returns the function of package tape that returns the tape.
func (f *file) tapeFunction() string {
	if f.Goroutines {
		return "Mine"
	}
	return "Cur"
}

// decideUses decides what the body uses, once its blocks are known.
func (f *frame) decideUses() {
	f.moveNegative()
	f.decideHeads()
	for _, b := range f.blocks {
		f.uses.count = f.uses.count || f.counts(b) != 0
		f.uses.tape = f.uses.tape || f.isNegative(b) || b.outside > 0
		f.useInstance(b)
	}
	for _, u := range f.countWrites {
		n, _ := u.maxCount(f)
		f.uses.cursor = f.uses.cursor || n > 0 && !u.closed
	}
	f.file.uses.hooks = f.file.uses.hooks || f.uses.count && !f.countsOnTape
	if f.uses.tape || f.uses.cursor || f.uses.count {
		f.file.uses.tape = true
		if f.outer != nil {
			f.outer.uses.tape = true
		}
	}
}

// exitText returns the code before control leaves the frame.
func (f *frame) exitText() string {
	s := ""
	switch {
	case f.unreachable:
	case f.Mode == Trace:
		s = f.closeCursor()
	default:
		s = f.flush(false)
	}
	f.setUnreachable()
	return s
}

// flush returns code that adds the count to the tape. If again is set, the body continues to count.
func (f *frame) flush(again bool) string {
	if f.count == nil {
		return "" // nothing was counted since the last flush
	}
	f.count = nil
	return f.deferText(func() string {
		if !f.uses.count || f.countsOnTape {
			return ""
		}
		s := fmt.Sprintf("%s.N += %s; ", f.name.t, f.name.n)
		if again {
			s += fmt.Sprintf("%s = 0; ", f.name.n)
		}
		return s
	})
}
