package weigh

import (
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"spoor/traces/testsize"
)

// shape writes a syntax tree without positions.
func shape(t *testing.T, name string, src []byte) string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var write func(v reflect.Value)
	write = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface, reflect.Pointer:
			if v.IsNil() {
				b.WriteString("nil ")
				return
			}
			write(v.Elem())
		case reflect.Struct:
			b.WriteString(v.Type().Name() + "{")
			for i := range v.NumField() {
				switch v.Type().Field(i).Name {
				case "Comments", "Doc", "Comment", "FileStart", "FileEnd", "Obj", "Scope", "Unresolved":
				default:
					write(v.Field(i))
				}
			}
			b.WriteString("}")
		case reflect.Slice:
			b.WriteString("[")
			for i := range v.Len() {
				write(v.Index(i))
			}
			b.WriteString("]")
		case reflect.String:
			b.WriteString(v.String() + " ")
		case reflect.Int:
			if v.Type() == reflect.TypeFor[token.Pos]() {
				if v.Int() != 0 { // whether there is one tells f(a...) from f(a)
					b.WriteString("@")
				}
				return
			}
			b.WriteString(v.String())
			b.WriteString(token.Token(v.Int()).String() + " ")
		case reflect.Bool:
			if v.Bool() {
				b.WriteString("true ")
			}
		}
	}
	write(reflect.ValueOf(f))
	for _, group := range f.Comments {
		for _, c := range group.List {
			b.WriteString(c.Text)
		}
	}
	return b.String()
}

func TestExplodeKeepsTheSyntaxTree(t *testing.T) {
	root := filepath.Join(build.Default.GOROOT, "src")
	n := 0
	dirs := []string{"sort", "go/parser", "math/big", "strconv", "net/http", "runtime", "text/template"}
	for _, dir := range dirs[:testsize.Cases(len(dirs), 3)] {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.Contains(path, "testdata") {
				return err
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			got, err := SplitStatements(path, src)
			if err != nil {
				return err
			}
			if !strings.Contains(string(src), "line ") && shape(t, path, src) != shape(t, path, got) {
				t.Errorf("%s parses to another tree", path)
			}
			checkMap(t, path, src, got)
			n++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < testsize.Cases(300, 30) {
		t.Errorf("only %d files tried", n)
	}
}

// checkMap holds that each exploded line is a piece of its original line.
func checkMap(t *testing.T, name string, src, exploded []byte) {
	t.Helper()
	m := NewLineMap(src, exploded)
	from := strings.Split(string(src), "\n")
	for i, line := range strings.Split(string(exploded), "\n") {
		line = strings.ReplaceAll(line, "//Line ", "//line ")
		line = strings.ReplaceAll(line, "/*Line ", "/*line ")
		if o := m.Original(i + 1); o > len(from) || !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(from[o-1], "//Line ", "//line "), "/*Line ", "/*line "), line) {
			t.Fatalf("%s: line %d is said to come from line %d", name, i+1, o)
		}
	}
}

func TestExplodeSplits(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"statements", "func f() { a(); b() }", "func f() { \na(); \nb() \n}"},
		{"for", "func f() { for i := 0; i < n; i++ { a() } }", "func f() { \nfor i := 0; \ni < n; \ni++ { \na() \n} \n}"},
		{"while", "func f() { for a < b { } }", "func f() { \nfor \na < b { } \n}"},
		{"range", "func f() { for i := range a { } }", "func f() { \nfor \ni := range a { } \n}"},
		{"bare range", "func f() { for range a { } }", "func f() { \nfor \nrange a { } \n}"},
		{"else if", "func f() { if a {} else if b := c; b {} }", "func f() { \nif a {} else \nif b := c; \nb {} \n}"},
		{"operands", "func f() bool { return a && b || !c }", "func f() bool { \nreturn a && \nb || \n!c \n}"},
		{"cases", "func f() { switch a { case 1, 2: b(); default: } }", "func f() { \nswitch a { \ncase 1, \n2: \nb(); \ndefault: \n} \n}"},
		{"literal", "var a = func() int { return 1 }()", "var a = \nfunc() int { \nreturn 1 \n}()"},
		{"returned literal", "func f() func() { return func() { a() } }", "func f() func() { \nreturn func() { \na() \n} \n}"},
		{"literals", "func f() { go func() { a() }(); b(func() {}) }", "func f() { \ngo \nfunc() { \na() \n}(); \nb(\nfunc() {}) \n}"},
		{"label", "func f() { L: for { break L } }", "func f() { \nL: \nfor { \nbreak L \n} \n}"},
		{"empty label", "func f() { goto L; L: }", "func f() { \ngoto L; \nL: \n}"},
		{"comments", "func f() { a() /* x */; b() // y\n}", "func f() { \na() /* x */; \nb() // y\n}"},
		{"raw string", "func f() { a(`{\n;}`); b() }", "func f() { \na(`{\n;}`); \nb() \n}"},
		{"line directive", "//line x.y:7\nfunc f() { /*line z:8*/a() }", "//Line x.y:7\nfunc f() { /*Line z:8*/\na() \n}"},
		{"declarations", "func f() {}; func g() {}", "func f() {}; \nfunc g() {}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := SplitStatements("x.go", []byte("package p\n"+c.in))
			if err != nil {
				t.Errorf("%v", err)
				return
			}
			if want := "package p\n" + c.want; string(got) != want {
				t.Errorf("%s:\n got %q\nwant %q", c.name, got, want)
			}
		})
	}
}

func TestExplodeKeepsDirectives(t *testing.T) {
	const src = "//go:build linux\n\npackage p\n\nimport _ \"embed\"\n\n//go:embed x.txt\nvar s string\n\n//go:noinline\nfunc f() {\n\ta()\n}\n"
	got, err := SplitStatements("x.go", []byte(src))
	if err != nil || string(got) != src {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestExplodeNamesSyntaxErrors(t *testing.T) {
	_, err := SplitStatements("x.go", []byte("package p\nfunc f() { a( }\n"))
	if err == nil || !strings.Contains(err.Error(), "x.go:2:") {
		t.Errorf("got %v, want the parser's error with its place", err)
	}
}

func FuzzExplode(f *testing.F) {
	f.Add("package p; func f() { if a && b { c() } else if d { } }")
	f.Add("package p\nfunc f() { select { case <-c: default: x() } }")
	f.Fuzz(func(t *testing.T, src string) {
		if _, err := parser.ParseFile(token.NewFileSet(), "x.go", src, parser.SkipObjectResolution); err != nil {
			return
		}
		got, err := SplitStatements("x.go", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if shape(t, "x.go", []byte(src)) != shape(t, "x.go", got) && !strings.Contains(src, "line ") {
			t.Errorf("%q becomes %q, another tree", src, got)
		}
	})
}
