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

// socketPair returns the ends of a socket for messages.
func socketPair() (ends [2]*os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return ends, fmt.Errorf("making a socket: %w", err)
	}
	if err := unix.SetNonblock(fds[1], false); err != nil {
		return ends, fmt.Errorf("making a socket: %w", err)
	}
	return [2]*os.File{os.NewFile(uintptr(fds[0]), "processes"), os.NewFile(uintptr(fds[1]), "processes")}, nil
}

// descriptors returns the two files that came with a message, or nil for those that did not.
func descriptors(rights []byte) (files [2]*os.File) {
	messages, _ := unix.ParseSocketControlMessage(rights) // of the kernel
	for _, m := range messages {
		fds, _ := unix.ParseUnixRights(&m) // others have no files
		for i, fd := range fds {
			unix.CloseOnExec(fd)
			_ = unix.SetNonblock(fd, true) // memory cannot block
			if i < len(files) {
				files[i] = os.NewFile(uintptr(fd), "process")
			}
		}
	}
	return files
}

// foreground says whether the terminal sends its signals to this process and the program alike.
func foreground() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
