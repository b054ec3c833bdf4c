//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package outfile

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// duplicate returns descriptor fd of this process as a file of its own, with the same position.
func duplicate(fd int) (*os.File, error) {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return nil, err
	}
	if flags&unix.O_ACCMODE == unix.O_RDONLY {
		return nil, errors.New("it is open for reading only")
	}
	copied, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(copied), "descriptor "+strconv.Itoa(fd)), nil
}

// mayWrite returns an error if this process may not write path.
func mayWrite(path string) error { return unix.Access(path, unix.W_OK) }
