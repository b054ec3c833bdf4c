//go:build !amd64 && !arm64

package engine

import "unsafe"

// fetch has no instruction here.
func prefetch(unsafe.Pointer, int) {}
