// Package weigh tells how many machine instructions each line of a program costs
// in the build that is not instrumented.
package weigh

import (
	"go/ast"
	"go/token"
)

// A Source is a package whose instructions are charged to lines.
type Source struct {
	// Path is the package's import path, "main" of a main package: what the names
	// of its functions begin with in the binary.
	Path string
	// Files are the package's exploded files, with the names they had when the
	// binary was built. A name matches by its last element, because -trimpath and
	// -overlay change what is before it.
	Files []*ast.File
	// Fset has the positions of Files.
	Fset *token.FileSet
}

// Lines are instructions by file, as named in Source, and line.
type Lines map[string]map[int]int
