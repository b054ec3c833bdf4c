//go:build !amd64 && !arm64

package engine

import "unsafe"

// prefetch does nothing: this architecture has no instruction for it here.
func prefetch(unsafe.Pointer, int) {}
