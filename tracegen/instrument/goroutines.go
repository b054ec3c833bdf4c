package instrument

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// callsOnSameGoroutine lists packages whose functions call their arguments on the calling goroutine: String and
// Less methods, callbacks, readers and writers.
var callsOnSameGoroutine = map[string]bool{
	"bufio": true, "bytes": true, "cmp": true, "container/heap": true, "container/list": true, "container/ring": true,
	"encoding/binary": true, "encoding/csv": true, "encoding/hex": true, "encoding/json": true, "errors": true,
	"flag": true, "fmt": true, "hash": true, "hash/crc32": true, "hash/fnv": true, "io": true, "iter": true, "log": true,
	"maps": true, "math": true, "math/big": true, "math/bits": true, "math/cmplx": true, "math/rand": true,
	"math/rand/v2": true, "os": true, "path": true, "path/filepath": true, "reflect": true, "regexp": true,
	"runtime": true, "slices": true, "sort": true, "strconv": true, "strings": true, "sync": true, "sync/atomic": true,
	"text/tabwriter": true, "text/template": true, "time": true, "unicode": true, "unicode/utf8": true, "unsafe": true,
	spmdPath: true,
}

// callsOnOtherGoroutine lists functions and methods of those packages that call their arguments on another
// goroutine, by their full names in go/types.
var callsOnOtherGoroutine = map[string]bool{
	"iter.Pull": true, "iter.Pull2": true, "io.Pipe": true,
	"(*sync.WaitGroup).Go": true,
	"time.AfterFunc":       true,
	"runtime.SetFinalizer": true, "runtime.AddCleanup": true,
}

// onlyRankGoroutines reports whether instrumented code runs only on the goroutines of ranks. That is so if no
// package starts a goroutine or passes a function to code that might run it on one. Then instrumented code can
// write to the tape of the running rank without checking its goroutine.
func onlyRankGoroutines(all []*packages.Package) bool {
	instrumented := map[string]bool{}
	for _, p := range all {
		instrumented[p.PkgPath] = true
	}
	for _, p := range all {
		for path := range p.Imports {
			if !instrumented[path] && !callsOnSameGoroutine[path] {
				return false
			}
		}
		if len(goroutineStarts(p)) > 0 {
			return false
		}
	}
	return true
}

// goroutineStarts returns the positions in p that start goroutines, in any order. The work of these goroutines is
// not recorded.
func goroutineStarts(p *packages.Package) (starts []token.Pos) {
	for name, used := range p.TypesInfo.Uses {
		if f, ok := used.(*types.Func); ok && callsOnOtherGoroutine[f.Origin().FullName()] {
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
