//go:build amd64 || arm64

// Package prefetch brings memory into the caches before it is used.
package prefetch

import "unsafe"

// Lines prefetches cache lines, at least one. The processor does not wait for them. The addresses need not be
// valid.
//
//go:noescape
func Lines(from unsafe.Pointer, lines int)
