package instrument

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// sameGoroutine are packages whose functions call what they are given (String and
// Less methods, callbacks, readers and writers) on the goroutine that called them.
var sameGoroutine = map[string]bool{
	"bufio": true, "bytes": true, "cmp": true, "container/heap": true, "container/list": true, "container/ring": true,
	"encoding/binary": true, "encoding/csv": true, "encoding/hex": true, "encoding/json": true, "errors": true,
	"flag": true, "fmt": true, "hash": true, "hash/crc32": true, "hash/fnv": true, "io": true, "iter": true, "log": true,
	"maps": true, "math": true, "math/big": true, "math/bits": true, "math/cmplx": true, "math/rand": true,
	"math/rand/v2": true, "os": true, "path": true, "path/filepath": true, "reflect": true, "regexp": true,
	"runtime": true, "slices": true, "sort": true, "strconv": true, "strings": true, "sync": true, "sync/atomic": true,
	"text/tabwriter": true, "text/template": true, "time": true, "unicode": true, "unicode/utf8": true, "unsafe": true,
	spmdPath: true,
}

// otherGoroutine are functions and methods of those packages that run what they are
// given on another goroutine, by the full names that go/types gives them.
var otherGoroutine = map[string]bool{
	"iter.Pull": true, "iter.Pull2": true, "io.Pipe": true,
	"(*sync.WaitGroup).Go": true,
	"time.AfterFunc":       true,
	"runtime.SetFinalizer": true, "runtime.AddCleanup": true,
}

// ownGoroutineOnly reports whether instrumented code runs on the goroutines of ranks
// alone: no package starts a goroutine, or hands a function to code that might run
// it on one. Then the tape of the running rank is the one to write to, and nobody
// need ask which goroutine it is.
func ownGoroutineOnly(all []*packages.Package) bool {
	instrumented := map[string]bool{}
	for _, p := range all {
		instrumented[p.PkgPath] = true
	}
	for _, p := range all {
		for path := range p.Imports {
			if !instrumented[path] && !sameGoroutine[path] {
				return false
			}
		}
		if len(goroutineStarts(p)) > 0 {
			return false
		}
	}
	return true
}

// goroutineStarts are the places of p that start goroutines, in no order. What these execute is not recorded.
func goroutineStarts(p *packages.Package) (starts []token.Pos) {
	for name, used := range p.TypesInfo.Uses {
		if f, ok := used.(*types.Func); ok && otherGoroutine[f.Origin().FullName()] {
			starts = append(starts, name.Pos())
		}
	}
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.GoStmt); ok {
				starts = append(starts, s.Pos())
			}
			return true
		})
	}
	return starts
}
