package smallmap

import "embed"

// Files holds the files of this package. Tracegen builds programs with them.
//
//go:embed *.go
var Files embed.FS
