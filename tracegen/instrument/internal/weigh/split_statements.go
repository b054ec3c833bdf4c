package weigh

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// SplitStatements adds line breaks to src, the Go source of the file called name. Each part that can have an
// execution count of its own then begins on its own line: statements; conditions, post statements and range
// clauses; else-ifs; case clauses and their expressions; right operands of && and ||; function literals; and braces
// that end blocks.
//
// It adds only line breaks and removes nothing, with one exception. The word line of //line and /*line directives
// becomes Line. So lines of the file are also the lines in the compiler's line tables.
//
// The result parses to the same syntax tree. [NewLineMap] maps each of its lines to the original line. The error is
// the parser's.
func SplitStatements(name string, src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("splitting lines: %w", err)
	}
	file := fset.File(f.FileStart)
	b := lineBreaks{afterReturn: map[token.Pos]bool{}}
	for _, d := range f.Decls {
		b.add(d.Pos())
	}
	ast.Inspect(f, b.visit)
	slices.Sort(b.positions)
	var out bytes.Buffer
	text := hideDirectives(file, f, src)
	last := 0
	for _, p := range slices.Compact(b.positions) {
		at := file.Offset(p)
		out.Write(text[last:at])
		last = at
		if startsLine(src[:at]) {
			continue
		}
		out.WriteByte('\n')
	}
	out.Write(text[last:])
	return out.Bytes(), nil
}

// startsLine reports whether the last line of text has only blanks.
func startsLine(text []byte) bool {
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	return len(bytes.TrimSpace(line)) == 0
}

// hideDirectives returns src without line directives. Lines of the line table must be lines of the file.
func hideDirectives(file *token.File, f *ast.File, src []byte) []byte {
	text := bytes.Clone(src)
	for _, group := range f.Comments {
		for _, c := range group.List {
			at := file.Offset(c.Pos()) + len("//")
			if bytes.HasPrefix(text[at:], []byte("line ")) {
				text[at] = 'L'
			}
		}
	}
	return text
}

// lineBreaks collects the positions before which a line break is added. The break must not make the scanner insert
// a semicolon, except where the grammar has one or, before a closing brace, allows one.
type lineBreaks struct {
	positions   []token.Pos
	afterReturn map[token.Pos]bool // directly after return
}

func (b *lineBreaks) add(p token.Pos) { b.positions = append(b.positions, p) }

func (b *lineBreaks) list(l []ast.Stmt) {
	for _, s := range l {
		b.statement(s)
	}
}

// statement adds the start of s, unless s is an empty statement without source text.
func (b *lineBreaks) statement(s ast.Stmt) {
	if e, ok := s.(*ast.EmptyStmt); ok && e.Implicit {
		return
	}
	b.add(s.Pos())
}

func (b *lineBreaks) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		b.list(n.List)
		if len(n.List) > 0 {
			b.add(n.Rbrace)
		}
	case *ast.IfStmt:
		if n.Init != nil {
			b.add(n.Cond.Pos())
		}
		if e, ok := n.Else.(*ast.IfStmt); ok {
			b.add(e.Pos())
		}
	case *ast.FuncLit:
		if !b.afterReturn[n.Pos()] {
			b.add(n.Pos())
		}
	case *ast.ReturnStmt:
		if len(n.Results) > 0 {
			b.afterReturn[n.Results[0].Pos()] = true
		}
	default:
		b.visitLoops(n)
		b.visitCases(n)
	}
	return true
}

func (b *lineBreaks) visitLoops(n ast.Node) {
	switch n := n.(type) {
	case *ast.ForStmt:
		if n.Cond != nil {
			b.add(n.Cond.Pos())
		}
		if n.Post != nil {
			b.add(n.Post.Pos())
		}
	case *ast.RangeStmt:
		if n.Key != nil {
			b.add(n.Key.Pos())
		} else {
			b.add(n.Range)
		}
	}
}

func (b *lineBreaks) visitCases(n ast.Node) {
	switch n := n.(type) {
	case *ast.SwitchStmt:
		if n.Init != nil && n.Tag != nil {
			b.add(n.Tag.Pos())
		}
	case *ast.TypeSwitchStmt:
		if n.Init != nil {
			b.add(n.Assign.Pos())
		}
	case *ast.CaseClause:
		b.add(n.Pos())
		for i, e := range n.List {
			if i > 0 {
				b.add(e.Pos())
			}
		}
		b.list(n.Body)
	case *ast.CommClause:
		b.add(n.Pos())
		b.list(n.Body)
	case *ast.LabeledStmt:
		b.statement(n.Stmt)
	case *ast.BinaryExpr:
		if n.Op == token.LAND || n.Op == token.LOR {
			b.add(n.Y.Pos())
		}
	}
}

// A LineMap maps the lines of a split file to those of the original file. Element i is the original line of line
// i+1.
type LineMap []int

// NewLineMap returns the map of split, which [SplitStatements] made of src.
func NewLineMap(src, split []byte) LineMap {
	m := LineMap{1}
	line, i := 1, 0
	for _, c := range split {
		if c == '\n' {
			if i < len(src) && src[i] == '\n' {
				line, i = line+1, i+1
			}
			m = append(m, line)
			continue
		}
		i++
	}
	return m
}

// Original returns the original line that contains the start of the given line, or line itself if there is none.
func (m LineMap) Original(line int) int {
	if line < 1 || line > len(m) {
		return line
	}
	return m[line-1]
}
