//go:build linux || darwin

package slurm

import (
	"os"
	"syscall"
)

// lock waits until no process has a locked file open that inherited it.
func lock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != syscall.EINTR {
			return err
		}
	}
}
