//go:build amd64 || arm64

package engine

import "unsafe"

// fetch has some lines of memory, one at least, come to the processor, which does not wait for them. It touches nothing: they may be anybody's, or nobody's.
//
//go:noescape
func prefetch(from unsafe.Pointer, lines int)
