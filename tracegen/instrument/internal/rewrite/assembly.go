package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"spoor/tracegen/instrument/internal/assembly"
	"spoor/tracegen/instrument/internal/code"
)

// wrapRoutines replaces the names of routines in assembly by those of wrappers, which count their instructions and
// record what they touch. Each file declares the wrappers that it is the first to use.
func (f *file) wrapRoutines() {
	if !f.Assembly {
		return
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Body != nil && unsafeDirective(n.Doc) == ""
		case *ast.SelectorExpr:
			if fn, ok := f.Info.Uses[n.Sel].(*types.Func); ok {
				f.wrapRoutine(n, fn)
			}
		case *ast.Ident:
			if fn, ok := f.Info.Uses[n].(*types.Func); ok && fn.Pkg() == f.Types {
				f.wrapRoutine(n, fn)
			}
		}
		return true
	})
}

func (f *file) wrapRoutine(n ast.Node, fn *types.Func) {
	r := f.Routine(fn)
	if r == nil || f.subst[n] != "" {
		return
	}
	name := fn.Name() + f.name.suffix
	f.subst[n] = name
	if !f.wrapped[fn] {
		f.wrapped[fn] = true
		f.wrappers.WriteString(f.wrapper(name, f.between(n.Pos(), n.End()), fn.Signature(), r))
	}
}

// wrapper returns the declaration of a wrapper. It calls the routine, and adds the cost for the length of the operands.
func (f *file) wrapper(name, original string, s *types.Signature, r *assembly.Routine) string {
	qualifier := types.RelativeTo(f.Types)
	var params, args []string
	for p := range s.Params().Variables() {
		params = append(params, p.Name()+" "+types.TypeString(p.Type(), qualifier))
		args = append(args, p.Name())
	}
	f.uses.tape, f.uses.hooks = true, true
	length, table := f.length(r), "costs"+name
	var b strings.Builder
	fmt.Fprintf(&b, "\nvar %s = [...][2]int64{", table)
	for _, p := range r.Points {
		fmt.Fprintf(&b, "{%d, %d}, ", p[0], p[1])
	}
	fmt.Fprintf(&b, "}\n\nfunc %s(%s) %s { r%s := %s(%s); %s := %s.%s(); n%s := %s; %s.N += %s.Cost(%s[:], n%s); ",
		name, strings.Join(params, ", "), types.TypeString(s.Results().At(0).Type(), qualifier), f.name.suffix, original,
		strings.Join(args, ", "), f.name.t, f.name.tape, f.tapeFunction(), f.name.suffix, length, f.name.t, f.name.hooks, table, f.name.suffix)
	b.WriteString(f.touched(s, r))
	fmt.Fprintf(&b, "return r%s }\n", f.name.suffix)
	return b.String()
}

// length returns the number of elements that a routine has used when it returns.
func (f *file) length(r *assembly.Routine) string {
	switch {
	case r.Until == "result":
		return fmt.Sprintf("%s.Scanned(len(%s), r%s)", f.name.hooks, r.Length, f.name.suffix)
	case r.Until == "common":
		return f.name.hooks + ".Common(a, b)"
	case r.Length == "":
		return "0"
	}
	return "len(" + r.Length + ")"
}

// touched returns code that records the elements that a routine has read and written.
func (f *file) touched(s *types.Signature, r *assembly.Routine) string {
	if f.Mode != Trace {
		return ""
	}
	text := ""
	for p := range s.Params().Variables() {
		hook := "Elements"
		if code.IsString(p.Type()) {
			hook = "Bytes"
		}
		part := fmt.Sprintf("%s[:%s.Shorter(n%s, len(%s))]", p.Name(), f.name.hooks, f.name.suffix, p.Name())
		if slices.Contains(r.Loads, p.Name()) {
			text += fmt.Sprintf("%s.%s(%s, %s); ", f.name.hooks, hook, f.name.t, part)
		}
		if slices.Contains(r.Stores, p.Name()) {
			text += fmt.Sprintf("%s.Clear(%s, %s); ", f.name.hooks, f.name.t, part)
		}
	}
	return text
}
