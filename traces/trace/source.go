package trace

import "embed"

// Files holds the files of this package and of those below it. Tracegen builds programs with them.
//
//go:embed *.go internal
var Files embed.FS
