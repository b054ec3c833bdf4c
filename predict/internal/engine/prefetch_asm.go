//go:build amd64 || arm64

package engine

import "unsafe"

// prefetch prefetches cache lines, at least one. The processor does not wait for them. The addresses need not be
// valid.
//
//go:noescape
func prefetch(from unsafe.Pointer, lines int)
