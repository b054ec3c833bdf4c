package weigh

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// Explode returns src, the Go source of the file called name, with line breaks
// added so that whatever can be executed another number of times than its
// neighbours begins on a line of its own: statements, conditions, post
// statements and range clauses, else-ifs, case clauses and their expressions,
// right operands of && and ||, function literals, and the braces that end blocks.
//
// Nothing but line breaks is added, and nothing is removed, with one exception:
// the word line of //line and /*line directives becomes Line, so that the lines
// of the file are also the lines that the compiler writes into its line tables.
// The result parses to the same syntax tree, and [NewLineMap] finds the original
// line of each of its lines. The error is the parser's.
func Explode(name string, src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("splitting lines: %w", err)
	}
	file := fset.File(f.FileStart)
	b := breaks{bare: map[token.Pos]bool{}}
	for _, d := range f.Decls {
		b.add(d.Pos())
	}
	ast.Inspect(f, b.visit)
	slices.Sort(b.places)
	var out bytes.Buffer
	text := hideDirectives(file, f, src)
	last := 0
	for _, p := range slices.Compact(b.places) {
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

// startsLine reports whether only blanks stand before the end of text on its
// last line.
func startsLine(text []byte) bool {
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	return len(bytes.TrimSpace(line)) == 0
}

// hideDirectives returns src without line directives. No line directive is ever
// part of a file that is weighed: lines of the line table must be lines of the
// file.
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

// breaks are the places before which a line break is wanted. None of them
// follows a token after which the scanner would insert a semicolon, except
// where the grammar has one already or, before a closing brace, allows one.
type breaks struct {
	places []token.Pos
	bare   map[token.Pos]bool // directly behind return
}

func (b *breaks) add(p token.Pos) { b.places = append(b.places, p) }

func (b *breaks) list(l []ast.Stmt) {
	for _, s := range l {
		b.statement(s)
	}
}

// statement adds the start of s, unless s is an empty statement of which the
// source shows nothing.
func (b *breaks) statement(s ast.Stmt) {
	if e, ok := s.(*ast.EmptyStmt); ok && e.Implicit {
		return
	}
	b.add(s.Pos())
}

func (b *breaks) visit(n ast.Node) bool {
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
		if !b.bare[n.Pos()] {
			b.add(n.Pos())
		}
	case *ast.ReturnStmt:
		if len(n.Results) > 0 {
			b.bare[n.Results[0].Pos()] = true
		}
	default:
		b.visitLoops(n)
		b.visitCases(n)
	}
	return true
}

func (b *breaks) visitLoops(n ast.Node) {
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

func (b *breaks) visitCases(n ast.Node) {
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

// A LineMap leads from the lines of an exploded file to those of its original:
// element i is the original line of line i+1.
type LineMap []int

// NewLineMap returns the map of exploded, which [Explode] made of src.
func NewLineMap(src, exploded []byte) LineMap {
	m := LineMap{1}
	line, i := 1, 0
	for _, c := range exploded {
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

// Original returns the line of the original file that holds the start of the
// exploded file's line, and line itself where there is no such line.
func (m LineMap) Original(line int) int {
	if line < 1 || line > len(m) {
		return line
	}
	return m[line-1]
}
