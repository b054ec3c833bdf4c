//go:build amd64 || arm64

package tape

// goroutine returns a value that is unique among living goroutines.
func goroutine() uintptr
