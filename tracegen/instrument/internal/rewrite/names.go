package rewrite

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"spoor/tracegen/instrument/internal/code"
)

// names are the identifiers of generated code. They end in a suffix that no identifier of the package has. So none
// shadows or is shadowed.
type names struct {
	suffix string
	tape   string // package tape
	unsafe string // package unsafe
	hooks  string // package tape: its functions for what one word cannot hold
	t      string // the tape
	base   string // parts of its cursor
	off    string
	lim    string
	n      string // instructions that are counted but not yet on the tape
	w      string // what the blocks of this instance of a generic function count in addition to the mean
}

func freeNames(p *code.Package) names {
	suffix := "__"
	for !free(p, suffix) {
		suffix += "_"
	}
	return names{
		suffix: suffix, tape: "tape" + suffix, unsafe: "unsafe" + suffix, hooks: "hooks" + suffix,
		t: "t" + suffix, base: "b" + suffix, off: "o" + suffix, lim: "l" + suffix, n: "n" + suffix, w: "w" + suffix,
	}
}

// free reports whether no identifier of the package ends in suffix.
func free(p *code.Package, suffix string) bool {
	ok := true
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if id, is := n.(*ast.Ident); is && strings.HasSuffix(id.Name, suffix) {
				ok = false
			}
			return ok
		})
	}
	return ok
}

// temp returns a new name for a value.
func (f *file) temp() string {
	f.temps++
	return "v" + strconv.Itoa(f.temps) + f.name.suffix
}

// newLabel returns a new label.
func (f *file) newLabel() string {
	f.temps++
	return "c" + strconv.Itoa(f.temps) + f.name.suffix
}

// universe reports whether a predeclared name has its usual meaning at the node.
func (f *file) universe(n ast.Node, name string) bool {
	scope := f.Types.Scope().Innermost(n.Pos())
	if scope == nil {
		scope = f.Types.Scope()
	}
	_, obj := scope.LookupParent(name, n.Pos())
	return obj == types.Universe.Lookup(name)
}
