package instrument

import (
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"spoor/tracegen/instrument/internal/rewrite"
)

// The standard library has three parts in a recorded program:
//
//   - Packages that the program's packages import, directly or not, are instrumented in place. Types and links to the
//     runtime stay as they are.
//   - Packages that the tape or the system needs run unchanged. Some of them have copies for the program, which are
//     instrumented; see programCopies.
//   - The recorder uses unchanged copies of instrumented packages. So it does not record itself.

// Prefixes of the paths of copies. The overlay adds them to the standard library.
const (
	programPrefix  = "spoor/program/"
	recorderPrefix = "spoor/recorder/"
)

// programCopies are packages that the runtime needs, and that instrumented packages use in an instrumented copy.
var programCopies = map[string]bool{"internal/strconv": true, "internal/byteorder": true, "internal/stringslite": true}

// unchanged are packages of the standard library that are not instrumented, with those below them: they are part of
// the system, of the language, or of the recorder.
var unchanged = []string{
	"context", "crypto", "debug", "embed", "errors", "hash/maphash", "internal", "io/fs", "iter", "log/syslog", "net", "os",
	"plugin", "reflect", "runtime", "structs", "sync", "syscall", "testing", "time", "unique", "unsafe", "vendor", "weak",
}

// instrumentedInternal are packages below internal that are instrumented nevertheless.
var instrumentedInternal = map[string]bool{"internal/fmtsort": true, "internal/lazyregexp": true, "internal/saferio": true}

// countedOnly are packages of functions without effect. Their instructions are counted, but their few references to
// tables are not recorded.
var countedOnly = map[string]bool{"math": true, "math/bits": true, "math/cmplx": true}

// recorderOriginals are instrumented packages that the recorder uses as they are, because a copy would have other
// types, or no assembly. The recorder uses little of them.
var recorderOriginals = map[string]bool{"io": true}

// library selects the parts of the standard library.
type library struct {
	root     string // sources of the standard library
	active   bool   // packages of the standard library are instrumented
	byPath   map[string]listedPackage
	reached  map[string]bool   // by the program, including packages of the program
	program  map[string]string // paths of copies for the program, by the path of the original
	recorder map[string]string // paths of copies for the recorder
}

func newLibrary(root string, all []listedPackage, active bool, user func(listedPackage) bool) *library {
	l := &library{root: root, active: active, byPath: map[string]listedPackage{}, reached: map[string]bool{},
		program: map[string]string{}, recorder: map[string]string{}}
	for _, p := range all {
		l.byPath[p.ImportPath] = p
	}
	for _, p := range all {
		if user(p) {
			l.reach(p.ImportPath)
		}
	}
	seen := map[string]bool{}
	for _, p := range supplied {
		l.record(p.path, seen)
	}
	return l
}

// reach marks the packages that the program reaches by imports.
func (l *library) reach(path string) {
	if l.reached[path] || isRecorder(path) {
		return
	}
	l.reached[path] = true
	if l.active && programCopies[path] {
		l.program[path] = copyPath(programPrefix, path)
	} else if p := l.byPath[path]; p.Standard && !l.instruments(path) {
		return
	}
	for _, to := range l.byPath[path].Imports {
		l.reach(to)
	}
}

// instruments reports whether a package of the standard library is instrumented in place.
func (l *library) instruments(path string) bool {
	p := l.byPath[path]
	return l.active && l.reached[path] && p.Standard && len(p.CgoFiles) == 0 && len(p.ImportMap) == 0 &&
		(instrumentedInternal[path] || !slices.ContainsFunc(unchanged, func(prefix string) bool { return isBelow(path, prefix) }))
}

// record finds the instrumented packages that the package of the recorder at path needs.
func (l *library) record(path string, seen map[string]bool) {
	if seen[path] {
		return
	}
	seen[path] = true
	if l.instruments(path) {
		if recorderOriginals[path] || len(l.byPath[path].SFiles) > 0 {
			return
		}
		l.recorder[path] = copyPath(recorderPrefix, path)
	} else if !isRecorder(path) {
		return // it uses the originals
	}
	for _, to := range l.byPath[path].Imports {
		l.record(to, seen)
	}
}

func copyPath(prefix, path string) string {
	return prefix + strings.ReplaceAll(path, "internal/", "inner/")
}

// copyOf returns a package that is a copy of another one.
func (l *library) copyOf(path, as string) listedPackage {
	p := l.byPath[path]
	p.original, p.ImportPath = p.Dir, as
	p.Dir = filepath.Join(l.root, filepath.FromSlash(as))
	return p
}

// programPackages returns the instrumented packages of the standard library and the copies for the program, in any
// order.
func (l *library) programPackages() (all []listedPackage) {
	for _, path := range slices.Sorted(maps.Keys(l.byPath)) {
		switch as, ok := l.program[path]; {
		case ok:
			all = append(all, l.copyOf(path, as))
		case l.instruments(path):
			all = append(all, l.byPath[path])
		}
	}
	return all
}

// recorderFiles returns the copies for the recorder, and the supplied packages that use them.
func (l *library) recorderFiles(supply overlay) (overlay, error) {
	o := overlay{}
	if l.active {
		o[filepath.Join(l.root, "sync", "pool.go")] = []byte(pool)
		if err := o.fixRandom(l.root); err != nil {
			return nil, err
		}
	}
	for file, text := range supply {
		o[file] = replaceImports(file, text, l.recorder)
	}
	for path, as := range l.recorder {
		p := l.copyOf(path, as)
		for _, name := range slices.Concat(p.GoFiles, p.SFiles, p.HFiles) {
			text, err := readSource(filepath.Join(p.original, name))
			if err != nil {
				return nil, err
			}
			o[filepath.Join(p.Dir, name)] = replaceImports(name, text, l.recorder)
		}
	}
	return o, nil
}

// replaceImports replaces the paths of imports in a Go file. A file that does not parse stays as it is.
func replaceImports(name string, src []byte, paths map[string]string) []byte {
	if !strings.HasSuffix(name, ".go") {
		return src
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ImportsOnly)
	if err != nil {
		return src
	}
	var out []byte
	last := 0
	for _, s := range f.Imports {
		path, _ := strconv.Unquote(s.Path.Value)
		if to, ok := paths[path]; ok {
			from, end := fset.Position(s.Path.Pos()).Offset, fset.Position(s.Path.End()).Offset
			out = append(append(out, src[last:from]...), strconv.Quote(to)...)
			last = end
		}
	}
	return append(out, src[last:]...)
}

// pool replaces the pools of package sync. Garbage collection never empties these, so that recordings of a program do
// not depend on its time. As each processor has objects of its own in the original, each rank has here.
const pool = `package sync

import "archive"

// Pool holds objects for reuse, by goroutine.
type Pool struct {
	noCopy noCopy
	mu     Mutex
	free   map[uintptr][]any
	New    func() any
}

// Put adds x to the pool.
func (p *Pool) Put(x any) {
	if x == nil {
		return
	}
	p.mu.Lock()
	if p.free == nil {
		p.free = map[uintptr][]any{}
	}
	g := archive.Goroutine()
	p.free[g] = append(p.free[g], x)
	p.mu.Unlock()
}

// Get takes an object from the pool, or makes one.
func (p *Pool) Get() any {
	p.mu.Lock()
	g := archive.Goroutine()
	if free := p.free[g]; len(free) > 0 {
		n := len(free) - 1
		x := free[n]
		free[n] = nil
		p.free[g] = free[:n]
		p.mu.Unlock()
		return x
	}
	p.mu.Unlock()
	if p.New != nil {
		return p.New()
	}
	return nil
}
`

// isRecorder reports whether a package is one of those that record. They cannot record themselves.
func isRecorder(path string) bool {
	return slices.ContainsFunc(recordingPackages, func(prefix string) bool { return isBelow(path, prefix) })
}

// isStandard reports whether an instrumented package is part of the standard library or a copy of such a package.
func (l *library) isStandard(path string) bool {
	return l != nil && (l.byPath[path].Standard || strings.HasPrefix(path, programPrefix))
}

// options returns the options for rewriting a package.
func (l *library) options(path string, o rewrite.Options) rewrite.Options {
	if countedOnly[path] {
		o.Mode = rewrite.Count
	}
	return o
}

// mayRecord reports whether a call of a function of another package may record.
func (l *library) mayRecord(f *types.Func) bool {
	if f.Pkg() == nil {
		return true
	}
	path := f.Pkg().Path()
	return path != "sync/atomic" && !isBelow(path, "internal/goarch") && path != "internal/cpu"
}

// notInstrumented returns the packages that run unchanged, of those that instrumented ones import. It omits those of
// which the compiler replaces all functions by instructions.
func (l *library) notInstrumented() (paths []string) {
	for path := range l.reached {
		switch {
		case !l.byPath[path].Standard || l.instruments(path) || l.program[path] != "" || path == "unsafe" || path == "sync/atomic":
		default:
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// ownPackages returns the instrumented packages that are not part of the standard library.
func (s *Sources) ownPackages() []*packages.Package {
	return slices.DeleteFunc(slices.Clone(s.Packages), func(p *packages.Package) bool { return s.library.isStandard(p.PkgPath) })
}
