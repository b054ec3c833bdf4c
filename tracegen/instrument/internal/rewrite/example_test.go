package rewrite_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"spoor/tracegen/instrument/internal/code"
	"spoor/tracegen/instrument/internal/rewrite"
)

// A loop over two slices, rewritten so that it records: three references and the
// instructions of each iteration. Lines weigh what package weigh found out.
func Example() {
	const src = `package daxpy

func daxpy(y, x []float64, a float64) {
	for i := range y {
		y[i] += a * x[i]
	}
}
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "daxpy.go", src, parser.ParseComments)
	if err != nil {
		panic(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := types.Config{Importer: importer.Default()}
	pkg, err := conf.Check("daxpy", fset, []*ast.File{f}, info)
	if err != nil {
		panic(err)
	}
	p := &code.Package{Fset: fset, Files: []*ast.File{f}, Src: map[string][]byte{"daxpy.go": []byte(src)}, Types: pkg, Info: info}
	result, err := rewrite.Rewrite(p, rewrite.Options{
		Mode: rewrite.Trace, Weights: map[string]map[int]int{"daxpy.go": {4: 2, 5: 7}},
	})
	if err != nil {
		panic(err)
	}
	fmt.Print(strings.ReplaceAll(string(result.Files["daxpy.go"]), " \n", "\n"))
	fmt.Println(result.Sites, "places record")
	// Output:
	// package daxpy; import tape__ "spoor/tracegen/tape"; import hooks__ "spoor/tracegen/tape"; import unsafe__ "unsafe"
	//
	// func daxpy(y, x []float64, a float64) { t__ := tape__.Cur(); b__, o__, l__ := t__.Open(); n__ := hooks__.None; n__ += 2;
	// 	{ v1__ := y; if n__ != 0 { if o__ >= l__ { o__ = t__.Full(o__) }; hooks__.Work(b__, o__, n__); o__ += 8; n__ = 0 }; for i := range v1__ {
	// 		{ if o__ >= l__ { o__ = t__.Full(o__) }; tape__.Put(b__, o__, unsafe__.Pointer(&y[i]), tape__.L8+2*tape__.I); tape__.Put(b__, o__+8, unsafe__.Pointer(&x[i]), tape__.L8+2*tape__.I); v2__ := x[i]; tape__.Put(b__, o__+16, unsafe__.Pointer(&y[i]), tape__.S8+3*tape__.I); y[i] += a * v2__ }
	// 	o__ += 24; } }
	// t__.Close(o__); }
	// 3 places record
}
