//go:build !linux

package spmd

// bind does nothing: only on Linux can a thread be kept on a processor.
func bind(int) {}
