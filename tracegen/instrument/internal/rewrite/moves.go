package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"spoor/tracegen/instrument/internal/assembly"
	"spoor/tracegen/instrument/internal/code"
)

// mover is a wrapper of a built-in function that the compiler turns into a call of a routine in assembly, which moves or
// clears memory. The wrapper counts the routine's instructions for its length. NAME, COST, HOOKS and TAPE are replaced.
type mover struct{ name, routine, text string }

var movers = []mover{
	{"copy", "memmove", "func NAME[D ~[]T, S ~[]T, T any](d D, s S) int { t := TAPE; COST(t, s, HOOKS.Shorter(len(d), len(s))); return copy(d, s) }"},
	{"copyText", "memmove", "func NAME[D ~[]byte, S ~string](d D, s S) int { t := TAPE; COST(t, d, HOOKS.Shorter(len(d), len(s))); return copy(d, s) }"},
	{"append", "memmove", "func NAME[S ~[]T, M ~[]T, T any](s S, m M) S { t := TAPE; COST(t, m, len(m)); return append(s, m...) }"},
	{"appendText", "memmove", "func NAME[S ~[]byte, M ~string](s S, m M) S { t := TAPE; COST(t, s, len(m)); return append(s, m...) }"},
	{"clear", "memclrNoHeapPointers", "func NAME[S ~[]T, T any](s S) { t := TAPE; COST(t, s, len(s)); clear(s) }"},
}

// traced replaces a call within the text of a mover where references are recorded.
var traced = strings.NewReplacer("return copy(d, s)", "return HOOKS.COPY(t, d, s)")

// findMoves finds the calls of built-in functions that movers replace.
func (f *file) findMoves() {
	f.moves = map[ast.Node]string{}
	if !f.Assembly {
		return
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Body != nil && unsafeDirective(n.Doc) == ""
		case *ast.CallExpr:
			if name := f.moverOf(n); name != "" {
				f.moves[n] = f.mover(name)
			}
		}
		return true
	})
}

// moverOf returns the name of the mover that replaces a call, or "".
func (f *file) moverOf(call *ast.CallExpr) string {
	if !f.Info.Types[call.Fun].IsBuiltin() {
		return ""
	}
	name := code.BuiltinName(call)
	if name != "copy" && name != "clear" && (name != "append" || !call.Ellipsis.IsValid()) {
		return ""
	}
	if _, ok := code.Core(f.Info.TypeOf(call.Args[0])).(*types.Slice); !ok {
		return ""
	}
	if name == "clear" {
		return name
	}
	switch t := f.Info.TypeOf(call.Args[1]); {
	case code.IsString(t):
		return name + "Text"
	case code.IsSlice(t):
		return name
	}
	return ""
}

// mover returns the name of a mover. Each package declares those that it uses once.
func (f *file) mover(name string) string {
	unique := name + f.name.suffix
	if f.movers[name] {
		return unique
	}
	f.movers[name] = true
	f.uses.tape, f.uses.hooks = true, true
	for _, m := range movers {
		if m.name != name {
			continue
		}
		hook, text := "Copy", m.text
		if name == "copyText" {
			hook = "CopyString"
		}
		if f.Mode == Trace {
			text = strings.ReplaceAll(traced.Replace(text), "COPY", hook)
		}
		var points strings.Builder
		for _, p := range assembly.Find("runtime", m.routine).Points {
			fmt.Fprintf(&points, "{%d, %d}, ", p[0], p[1])
		}
		table := "costs" + unique
		text = strings.NewReplacer("NAME", unique, "COST(t, ", f.name.hooks+".Moved(t, "+table+"[:], ", "HOOKS", f.name.hooks,
			"TAPE", f.name.tape+"."+f.tapeFunction()+"()").Replace(text)
		fmt.Fprintf(&f.wrappers, "\nvar %s = [...][2]int64{%s}\n\n%s\n", table, points.String(), text)
	}
	return unique
}

// moved returns the text of a call that a mover replaces.
func (f *file) moved(call *ast.CallExpr, name string) string {
	var args []string
	for _, a := range call.Args {
		args = append(args, f.text(a))
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}
