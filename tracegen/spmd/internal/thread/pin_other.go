//go:build !linux

package thread

// Pin does nothing, because only Linux can pin a thread to a processor.
func Pin(int) {}
