package recorder

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// sharedMemory returns a file without a name in memory, which QEMU shares.
func sharedMemory() (*os.File, error) {
	fd, err := unix.MemfdCreate("spoor", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("making shared memory: %w", err)
	}
	return os.NewFile(uintptr(fd), "buffers"), nil
}
