package weigh

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// parsed parses a file that has been exploded.
func parsed(t *testing.T, src string) Source {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return Source{Path: "p", Files: []*ast.File{f}, Fset: fset}
}

// TestRegions numbers the regions in the order of their first lines: each line says
// in a comment which one it is part of, two for what is also part of a loop's body,
// and a star where charges may stand.
func TestRegions(t *testing.T) {
	const src = `package p // -

func f(a, b []int) int { // 1
	for // 1 *
	i := 0; // 1 *
	i < len(a) && // 2
	a[i] > 0; // 3 *
	i++ { // 4
		if a[i] == 1 { // 5 *
			continue // 6 *
		} // 6
		b[i] = 1 // 7 *
	} // 7
	for // 1/8 *
	j := range a { // 1/8
		a[j] = 0 // 8 *
	} // 8
	switch { // 1 *
	case a[0] == 1 || // 1
	b[0] == 2: // 9 *
		return 1 // 10 *
	} // 1
	g( // 11 *
	func() { // 11
		a[1] = 2 // 12 *
	}) // 12
	if b == nil { // 11 *
		a = b // 13 *
	} else // 13
	if a == nil { // 14 *
		b = a // 15 *
	} // 15
	return 0 // 11 *
} // 11
`

	s := parsed(t, src)
	regions := regionsOf(s, s.Files[0])
	number := map[*region]int{}
	name := func(r *region) string {
		if r == nil {
			return "-"
		}
		if number[r] == 0 {
			number[r] = len(number) + 1
		}
		return fmt.Sprint(number[r])
	}
	for i, line := range strings.Split(strings.TrimSpace(src), "\n") {
		_, want, _ := strings.Cut(line, "// ")
		p := regions.at[i+1]
		got := name(p.region)
		if p.loopBody != nil {
			got += "/" + name(p.loopBody)
		}
		if p.chargeable {
			got += " *"
		}
		if line != "" && got != want {
			t.Errorf("line %d: %s: got %s", i+1, line, got)
		}
	}
}

func TestLeaves(t *testing.T) {
	for _, c := range []struct {
		statement string
		want      bool
	}{
		{"if a { return }", true},
		{"if a { b() }", false},
		{"for { break }", false},
		{"for { return }", true},
		{"for { if a { continue }; break }", false},
		{"for { switch { case a: break } }", false},
		{"switch { case a: break }", false},
		{"switch { case a: continue }", true},
		{"select { default: break }", false},
		{"if a { break }", true},
		{"L: for { for { break L } }", false},
		{"for { break M }", true},
		{"if a { goto M }", true},
		{"func() { return }()", false},
		{"a := func() bool { return true }()", false},
	} {
		t.Run(c.statement, func(t *testing.T) {
			s := parsed(t, "package p\nfunc f() { M: for { "+c.statement+"; b() } }")
			loop := s.Files[0].Decls[0].(*ast.FuncDecl).Body.List[0].(*ast.LabeledStmt).Stmt.(*ast.ForStmt)
			if got := canExitEarly(loop.Body.List[0]); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
