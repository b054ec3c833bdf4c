package transport

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// Transport is a way to send messages.
type Transport struct {
	Name, What string
	Variant    bool // of another transport: measured only if it is named
	start      func(b *native) (conn, func() error, error)
	open       func() (Bench, func() error, error) // replaces start, for sides that are other programs
	absent     func() error
}

// Absent returns the reason why a transport cannot be measured here, or nil.
func (t Transport) Absent() error {
	if t.absent == nil {
		return nil
	}
	return t.absent()
}

// All lists the transports, the fastest first.
var All = []Transport{ringTransport, shared, channel, unixSocket, tcp, mpi, openMPI, mpich, unixInC, tcpInC}

var ringTransport = Transport{Name: "ring", What: "a ring buffer in memory that two pinned threads share and poll",
	start: func(b *native) (conn, func() error, error) {
		end, err := thread(b, b.block.ringEnd(false))
		return b.block.ringEnd(true), end, err
	}}

var shared = Transport{Name: "shm", What: "a ring buffer in memory that two pinned processes share and poll", start: func(b *native) (conn, func() error, error) {
	end, err := process(b, nil)
	return b.block.ringEnd(true), end, err
}}

var channel = Transport{Name: "channel", What: "Go channels between two goroutines, which Go's scheduler places",
	start: func(b *native) (conn, func() error, error) {
		here, there := channels()
		gone := make(chan error, 1)
		go func() { gone <- serve(b.block, there) }()
		return here, func() error { return <-gone }, b.Release()
	}}

var unixSocket = Transport{Name: "unix", What: "Unix sockets between two pinned processes that poll", start: func(b *native) (conn, func() error, error) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("a pair of Unix sockets: %w", err)
	}
	return overSocket(b, pair[0], pair[1])
}}

var tcp = Transport{Name: "tcp", What: "TCP over the loopback device between two pinned processes that poll, without Nagle's delay", start: func(b *native) (conn, func() error, error) {
	here, there, err := loopback()
	if err != nil {
		return nil, nil, fmt.Errorf("TCP over the loopback device: %w", err)
	}
	return overSocket(b, here, there)
}}

// loopback connects two sockets.
func loopback() (here, there int, err error) {
	open := func() (int, error) {
		return syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	}
	listener, err := open()
	if err != nil {
		return 0, 0, err
	}
	defer syscall.Close(listener)
	if err := syscall.Bind(listener, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, 0, err
	}
	if err := syscall.Listen(listener, 1); err != nil {
		return 0, 0, err
	}
	address, err := syscall.Getsockname(listener)
	if err != nil {
		return 0, 0, err
	}
	if here, err = open(); err != nil {
		return 0, 0, err
	}
	if err = syscall.Connect(here, address); err == nil {
		there, _, err = syscall.Accept4(listener, syscall.SOCK_CLOEXEC)
	}
	for _, fd := range []int{here, there} {
		if err == nil {
			err = syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
		}
	}
	return here, there, err
}

// overSocket gives one end to another process.
func overSocket(b *native, here, there int) (conn, func() error, error) {
	other := os.NewFile(uintptr(there), "socket")
	defer other.Close()
	wait, err := process(b, other)
	if err != nil {
		return nil, nil, err
	}
	return socketConn(here), func() error {
		defer syscall.Close(here)
		return wait()
	}, nil
}

// socketConn calls the kernel without informing Go's scheduler, which would do other work. It polls, as the other
// transports and MPI do, and never sleeps. The time of waking a processor is a property of the host. On virtual
// machines it varies between launches by more than the time of a message.
type socketConn int

func (c socketConn) send(b []byte) error    { return c.all(syscall.SYS_SENDTO, b) }
func (c socketConn) receive(b []byte) error { return c.all(syscall.SYS_RECVFROM, b) }

func (c socketConn) all(call uintptr, b []byte) error {
	const flags = syscall.MSG_NOSIGNAL | syscall.MSG_DONTWAIT
	for len(b) > 0 {
		var n uintptr
		var e syscall.Errno
		err := until(func() bool {
			n, _, e = syscall.RawSyscall6(call, uintptr(c), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), flags, 0, 0)
			return e != syscall.EAGAIN && e != syscall.EINTR
		})
		switch {
		case err != nil:
			return err
		case e != 0:
			return e
		case n == 0:
			return errSilent
		}
		b = b[n:]
	}
	return nil
}
