package reference

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// stages are the folders with Go source, from this package.
var stages = []string{"../../../traces", "../../../tracegen", "../../../analyze", "../../../calibrate", "../../../predict"}

// formats are the format strings of the source, with the place of one use of each.
type formats struct {
	warned map[string]string // of notes and warnings
	all    map[string]string // of all text
}

var (
	warningName = regexp.MustCompile(`(?i)warn|notes?$|^assumed$|^refuse|^untested$|reasons?$|noisy|^known$|tooNoisyError`)
	verb        = regexp.MustCompile(`%[-+# 0]*(?:\[\d+\])?[0-9*]*(?:\.[0-9*]+)?[a-zA-Z%]`)
	words       = regexp.MustCompile(`[A-Za-z]{2}\S*(?:\s+\S+){2}|\S+\s+[A-Za-z]{2}\S*\s+\S+|\S+\s+\S+\s+[A-Za-z]{2}`)
)

// readFormats collects the format strings of all Go files that are not tests.
func readFormats(t *testing.T) *formats {
	t.Helper()
	f := &formats{map[string]string{}, map[string]string{}}
	for _, stage := range stages {
		err := filepath.WalkDir(stage, func(path string, d fs.DirEntry, err error) error {
			if d != nil && d.IsDir() && (d.Name() == "testdata" || d.Name() == "formattest") {
				return filepath.SkipDir
			}
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			return f.addFile(path)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func (f *formats) addFile(path string) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	f.visit(files, file, false)
	return nil
}

// visit collects the texts below n. Those that are given to a function or a variable whose name has "warning" or
// "note" are notes and warnings, and so are those that such a function returns.
func (f *formats) visit(files *token.FileSet, n ast.Node, warns bool) {
	ast.Inspect(n, func(m ast.Node) bool {
		if m == n || m == nil {
			return true
		}
		switch m := m.(type) {
		case *ast.BasicLit:
			f.addText(files, m, warns)
		case *ast.BinaryExpr:
			if text, ok := joined(m); ok {
				f.addText(files, text, warns)
				return false
			}
		case *ast.ImportSpec, *ast.Field, *ast.IndexExpr:
			return false
		case *ast.FuncDecl:
			f.visit(files, m, warns || warningName.MatchString(m.Name.Name))
			return false
		case *ast.CallExpr:
			f.visit(files, m, warns || warningName.MatchString(nameOf(m.Fun)) || appendsTo(m))
			return false
		case *ast.AssignStmt:
			f.visit(files, m, warns || slices.ContainsFunc(m.Lhs, isWarning))
			return false
		case *ast.ValueSpec:
			f.visit(files, m, warns || slices.ContainsFunc(m.Names, func(n *ast.Ident) bool { return isWarning(n) }))
			return false
		case *ast.CompositeLit:
			f.visit(files, m, warns || isErrors(m.Type))
			return false
		case *ast.KeyValueExpr:
			f.visit(files, m, warns || isWarning(m.Key))
			return false
		}
		return true
	})
}

func isWarning(e ast.Expr) bool { return warningName.MatchString(nameOf(e)) }

// appendsTo reports whether a call appends to notes or warnings.
func appendsTo(call *ast.CallExpr) bool {
	return nameOf(call.Fun) == "append" && len(call.Args) > 0 && isWarning(call.Args[0])
}

// isErrors reports whether a type is []error: such literals are lists of warnings.
func isErrors(e ast.Expr) bool {
	list, ok := e.(*ast.ArrayType)
	return ok && list.Len == nil && nameOf(list.Elt) == "error"
}

// nameOf returns the name of a variable, a field or a function.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// joined returns a sum of constant texts as one.
func joined(sum *ast.BinaryExpr) (*ast.BasicLit, bool) {
	if sum.Op != token.ADD {
		return nil, false
	}
	var parts string
	for _, e := range []ast.Expr{sum.X, sum.Y} {
		switch e := e.(type) {
		case *ast.BasicLit:
			text, _ := strconv.Unquote(e.Value)
			parts += text
		case *ast.BinaryExpr:
			inner, ok := joined(e)
			if !ok {
				return nil, false
			}
			text, _ := strconv.Unquote(inner.Value)
			parts += text
		default:
			parts += "%v"
		}
	}
	return &ast.BasicLit{ValuePos: sum.Pos(), Kind: token.STRING, Value: strconv.Quote(parts)}, true
}

func (f *formats) addText(files *token.FileSet, lit *ast.BasicLit, warns bool) {
	text, err := strconv.Unquote(lit.Value)
	if lit.Kind != token.STRING || err != nil {
		return
	}
	text = placeholders(text)
	place := strings.TrimPrefix(files.Position(lit.Pos()).String(), "../../../")
	f.all[text] = place
	if warns && words.MatchString(text) {
		f.warned[text] = place
	}
}

// placeholders returns a format with <> for each of its verbs.
func placeholders(format string) string {
	return strings.TrimSpace(verb.ReplaceAllStringFunc(format, func(v string) string {
		if v == "%%" {
			return "%"
		}
		return "<>"
	}))
}
