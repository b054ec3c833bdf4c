//go:build unix

package wire

import (
	"os"
	"syscall"
)

// Supported is nil: a process can be started with a pipe under a number.
func Supported() error { return nil }

// inherited is the pipe that this process was started with. It ends when this process does, whatever that started.
func inherited(fd int) (*os.File, error) {
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "recording"), nil
}
