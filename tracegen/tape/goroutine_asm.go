//go:build amd64 || arm64

package tape

// goroutine identifies the calling goroutine among those that are alive.
func goroutine() uintptr
