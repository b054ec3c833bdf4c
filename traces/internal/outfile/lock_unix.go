//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package outfile

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks f until f is closed or the process ends. It returns false if f is already
// locked. On a file system without locks it succeeds.
func tryLock(f *os.File) bool {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return !errors.Is(err, syscall.EWOULDBLOCK)
		}
	}
}
