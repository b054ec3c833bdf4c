//go:build unix

package session

import (
	"os"
	"syscall"
)

// Supported returns nil: this system can start a process with a numbered pipe.
func Supported() error { return nil }

// inheritedPipe returns the pipe that this process was started with. Processes that this one starts do not inherit
// it, so it ends when this process ends.
func inheritedPipe(fd int) (*os.File, error) {
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "recording"), nil
}
