package tape

import "embed"

// Files holds the files of this package. Tracegen builds programs with them.
//
//go:embed *.go *.s
var Files embed.FS
