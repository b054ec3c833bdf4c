//go:build !linux

package spmd

// pin does nothing, because only Linux can pin a thread to a processor.
func pin(int) {}
