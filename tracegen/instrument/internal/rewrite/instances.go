package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// instances are the instances of a generic function with weights of their own. A block counts the mean of all
// instances. It then adds what its instance has more, from a table with a row for each instance. The function selects
// the row when it begins, by the sizes and kinds of its type arguments.
type instances struct {
	params  []string // names of the type parameters
	keys    []uint64 // of the rows, after a row of zeros for unknown instances
	weights []map[int]int
	mean    map[int]int
	blocks  []*block // columns of the table
	table   string   // its name
}

// instancesOf returns the instances of a function whose weights differ, or nil.
func (f *file) instancesOf(fn *types.Func, d *ast.FuncDecl) *instances {
	if fn == nil || len(f.Instances) == 0 {
		return nil
	}
	g := &instances{params: typeParameters(fn), mean: f.Weights[f.tok.Name()]}
	if len(g.params) == 0 {
		return nil
	}
	from, to := f.line(d.Pos()), f.line(d.End())
	for _, text := range slices.Sorted(maps.Keys(f.Instances)) {
		key, ok := instanceKey(text, len(g.params))
		weights := f.Instances[text][f.tok.Name()]
		if ok && !slices.Contains(g.keys, key) && g.differs(weights, from, to) {
			g.keys, g.weights = append(g.keys, key), append(g.weights, weights)
		}
	}
	if len(g.keys) == 0 {
		return nil
	}
	return g
}

// typeParameters returns the names of the type parameters of a function, or nil if one of them has no name.
func typeParameters(fn *types.Func) (names []string) {
	for _, list := range []*types.TypeParamList{fn.Signature().RecvTypeParams(), fn.Signature().TypeParams()} {
		for p := range list.TypeParams() {
			if p.Obj().Name() == "_" {
				return nil
			}
			names = append(names, p.Obj().Name())
		}
	}
	return names
}

// differs reports whether an instance has weights of its own in a range of lines.
func (g *instances) differs(weights map[int]int, from, to int) bool {
	has, other := false, false
	for l := from; l <= to; l++ {
		_, ok := weights[l]
		has = has || ok
		other = other || weights[l] != g.mean[l]
	}
	return has && other
}

// keyFactor is the factor by which the keys of several type parameters are joined. Package tape returns single keys.
const keyFactor = 1_000_003

// instanceKey returns the number of a key of package weigh: size and kind of each of n type arguments.
func instanceKey(text string, n int) (key uint64, ok bool) {
	args := strings.Split(text, ",")
	for _, a := range args {
		var size, kind uint64
		if _, err := fmt.Sscanf(a, "%d:%d", &size, &kind); err != nil {
			return 0, false
		}
		key = key*keyFactor + size<<5 + kind
	}
	return key, len(args) == n
}

// charge adds the weight of a line to a block.
func (g *instances) charge(b *block, line int) {
	if g == nil {
		return
	}
	if b.more == nil {
		b.more = make([]int, len(g.keys))
	}
	for i, w := range g.weights {
		b.more[i] += w[line] - g.mean[line]
	}
}

// differs reports whether the weight of a block depends on the instance.
func (b *block) differs() bool {
	return slices.ContainsFunc(b.more, func(n int) bool { return n != 0 })
}

// useInstance makes the body use what the weight of b needs.
func (f *frame) useInstance(b *block) {
	if !b.differs() {
		return
	}
	f.uses.instance, f.uses.tape = true, true
	f.uses.count = f.uses.count || f.Mode == Count && !f.countsOnTape
	if f.outer != nil {
		f.outer.uses.instance = true
	}
}

// addInstance returns code that adds what block b has more in this instance.
func (f *frame) addInstance(b *block) string {
	if !b.differs() {
		return ""
	}
	counter, times := f.counter(), ""
	if f.Mode == Trace {
		counter = f.name.t + ".N"
	}
	if b.trips != "" {
		times = "*uint64(" + b.trips + ")"
	}
	f.generic.blocks = append(f.generic.blocks, b)
	return fmt.Sprintf("%s += %s[%d]%s; ", counter, f.name.w, len(f.generic.blocks)-1, times)
}

// selectInstance returns code that selects the row of this instance.
func (f *frame) selectInstance() string {
	g := f.generic
	if g.table == "" {
		f.tables = append(f.tables, g)
		g.table = "w" + strconv.Itoa(len(f.tables)) + "_" + strconv.Itoa(f.line(f.node.Pos())) + f.fileSuffix() + f.name.suffix
	}
	f.file.uses.hooks = true
	key := ""
	for i, p := range g.params {
		shape := fmt.Sprintf("%s.Shape[%s]()", f.name.hooks, p)
		if i > 0 {
			shape = fmt.Sprintf("(%s)*%d+%s", key, keyFactor, shape)
		}
		key = shape
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s := &%s[0]; switch %s { ", f.name.w, g.table, key)
	for i, k := range g.keys {
		fmt.Fprintf(&b, "case %d: %s = &%s[%d]; ", k, f.name.w, g.table, i+1)
	}
	return b.String() + "}; "
}

// fileSuffix returns a part of a name that no other file of the package uses.
func (f *file) fileSuffix() string {
	for i, a := range f.Files {
		if a == f.ast {
			return "_" + strconv.Itoa(i)
		}
	}
	return ""
}

// instanceTables returns the declarations of the tables of the file.
func (f *file) instanceTables() string {
	var b strings.Builder
	for _, g := range f.tables {
		fmt.Fprintf(&b, "\nvar %s = [...][%d]uint64{{}", g.table, len(g.blocks))
		for i := range g.keys {
			b.WriteString(", {")
			for _, c := range g.blocks {
				fmt.Fprintf(&b, "%d, ", uint64(c.more[i]))
			}
			b.WriteString("}")
		}
		b.WriteString("}\n")
	}
	return b.String()
}
