package rewrite

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// file is the state of rewriting one file. Unfinished text contains marks between NUL bytes, which Go source cannot
// contain. A mark is the source line of the following text, or the number of a deferred text.
type file struct {
	*rewriter
	tok           *token.File
	src           []byte
	ast           *ast.File
	deferredTexts []func() string
	temps         int
	// subst maps a node of the source to its text in the result.
	subst        map[ast.Node]string
	untypedTruth map[ast.Node]bool // substituted truth values without a type
	boxed        map[ast.Node]bool // arguments that gc copies when it evaluates them
	uses         struct{ tape, unsafe, hooks bool }
	generic      *instances // of the function that is rewritten, or nil
	tables       []*instances
	wrappers     strings.Builder     // declarations of wrappers of routines in assembly
	moves        map[ast.Node]string // names of the movers that calls are replaced by
	renamed      map[ast.Node]string // new names
}

const (
	mark      = "\x00"
	lineMark  = 'L'
	laterMark = 'D'
)

// raw returns the source between two positions.
func (f *file) raw(from, to token.Pos) string {
	if from >= to {
		return ""
	}
	text := string(f.src[f.tok.Offset(from):f.tok.Offset(to)])
	line := f.tok.PositionFor(from, false).Line
	var b strings.Builder
	for {
		fmt.Fprintf(&b, mark+"%c%d"+mark, lineMark, line)
		rest := ""
		i := strings.IndexByte(text, '\n')
		if i >= 0 {
			text, rest = text[:i+1], text[i+1:]
		}
		b.WriteString(text)
		if rest == "" {
			return b.String()
		}
		text, line = rest, line+1
	}
}

// deferText returns a mark for text that fill computes when the whole function is known.
func (f *file) deferText(fill func() string) string {
	f.deferredTexts = append(f.deferredTexts, fill)
	return fmt.Sprintf(mark+"%c%d"+mark, laterMark, len(f.deferredTexts)-1)
}

// between returns the source between two positions, with nodes replaced by their texts.
func (f *file) between(from, to token.Pos, nodes ...ast.Node) string {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(f.raw(from, n.Pos()))
		b.WriteString(f.text(n))
		from = n.End()
	}
	b.WriteString(f.raw(from, to))
	return b.String()
}

// text returns the text of a node in the result: its source with substitutions made and function literals
// rewritten.
func (f *file) text(n ast.Node) string {
	if s, ok := f.subst[n]; ok {
		return s
	}
	if lit, ok := n.(*ast.FuncLit); ok {
		s := f.literal(lit)
		f.subst[lit] = s
		return s
	}
	if name := f.renamed[n]; name != "" {
		return name
	}
	if name := f.moves[n]; name != "" {
		return f.moved(n.(*ast.CallExpr), name)
	}
	return f.between(n.Pos(), n.End(), f.replaced(n)...)
}

// replaced returns the outermost nodes within n whose text is not their source.
func (f *file) replaced(n ast.Node) (nodes []ast.Node) {
	ast.Inspect(n, func(m ast.Node) bool {
		if m == nil || m == n {
			return true
		}
		_, ok := f.subst[m]
		if _, lit := m.(*ast.FuncLit); ok || lit || f.moves[m] != "" || f.renamed[m] != "" {
			nodes = append(nodes, m)
			return false
		}
		return true
	})
	slices.SortFunc(nodes, func(a, b ast.Node) int { return int(a.Pos() - b.Pos()) })
	return nodes
}

// resolver replaces marks by text. It adds line directives where the line of the result differs from the user's
// line.
type resolver struct {
	*file
	out  bytes.Buffer
	line int // the user's line at the end of out, as a compiler sees it
}

func (r *resolver) write(text string) {
	for i, s := range strings.Split(text, mark) {
		if i%2 == 0 {
			r.out.WriteString(s)
			r.line += strings.Count(s, "\n")
			continue
		}
		n, _ := strconv.Atoi(s[1:])
		if s[0] == laterMark {
			r.write(r.deferredTexts[n]())
			continue
		}
		if want := r.tok.Position(r.tok.LineStart(n)).Line; want != r.line {
			fmt.Fprintf(&r.out, "/*line :%d:1*/", want)
			r.line = want
		}
	}
}

// endsLine reports whether text ends in a line break, ignoring blanks.
func endsLine(text string) bool {
	for {
		text = strings.TrimRight(text, " \t")
		rest, ok := strings.CutSuffix(text, mark)
		if !ok {
			return strings.HasSuffix(text, "\n")
		}
		text = rest[:strings.LastIndex(rest, mark)]
	}
}

// appendCode returns text followed by code to run after it.
func appendCode(text, after string) string {
	if after == "" || endsLine(text) {
		return text + after
	}
	return text + "; " + after
}

// file returns the rewritten source of one file.
func (w *rewriter) file(a *ast.File) []byte {
	f := &file{rewriter: w, tok: w.Fset.File(a.FileStart), ast: a, subst: map[ast.Node]string{}, untypedTruth: map[ast.Node]bool{}, boxed: map[ast.Node]bool{}}
	f.src = w.Src[f.tok.Name()]
	if f.isCgo() {
		w.report(a.Package, "the file uses cgo, and is not rewritten")
		return f.src
	}
	f.wrapRoutines()
	f.findMoves()
	f.findRenamed()
	var b strings.Builder
	b.WriteString(f.clause())
	at := a.Name.End()
	for _, d := range a.Decls {
		b.WriteString(f.raw(at, d.Pos()))
		b.WriteString(f.declaration(d))
		at = d.End()
	}
	b.WriteString(f.raw(at, a.FileEnd))
	b.WriteString(f.deferText(f.instanceTables))
	b.WriteString(f.wrappers.String())
	r := &resolver{file: f, line: 1}
	r.write(b.String())
	return r.out.Bytes()
}

func (f *file) isCgo() bool {
	return slices.ContainsFunc(f.ast.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` })
}

// clause returns the start of the file up to the package's name, and the imports that generated code needs.
func (f *file) clause() string {
	return f.raw(f.ast.FileStart, f.ast.Name.End()) + f.deferText(func() string {
		s := ""
		if f.uses.tape {
			s += "; import " + f.name.tape + ` "spoor/tracegen/tape"`
		}
		if f.uses.hooks {
			s += "; import " + f.name.hooks + ` "spoor/tracegen/tape"`
		}
		if f.uses.unsafe {
			s += "; import " + f.name.unsafe + ` "unsafe"`
		}
		return s
	})
}

func (f *file) declaration(d ast.Decl) string {
	if f.Skip != nil && f.Skip(d) {
		return f.between(d.Pos(), d.End(), f.renamedIn(d)...)
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body == nil {
			f.report(d.Pos(), "%s has no body in Go, and is not recorded", d.Name.Name)
			break
		}
		if word := unsafeDirective(d.Doc); word != "" {
			f.report(d.Pos(), "%s is %s, and is not rewritten", d.Name.Name, word)
			break
		}
		return f.between(d.Pos(), d.Body.Pos(), f.renamedIn(d.Name)...) + f.function(d)
	case *ast.GenDecl:
		if d.Tok == token.VAR {
			return f.text(d)
		}
	}
	return f.raw(d.Pos(), d.End())
}

// unsafeDirective returns a directive that does not allow added calls in the function, or "".
func unsafeDirective(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	for _, c := range doc.List {
		switch c.Text {
		case "//go:nosplit", "//go:nowritebarrier", "//go:nowritebarrierrec", "//go:systemstack":
			return c.Text[2:]
		}
	}
	return ""
}
