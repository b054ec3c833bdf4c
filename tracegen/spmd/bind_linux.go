package spmd

import (
	"math/bits"
	"runtime"
	"syscall"
	"unsafe"
)

// processors is a set of processors, as the kernel has it.
type processors [16]uint64

// affinity calls one of the two system calls about the processors that the running thread may use.
func (p *processors) affinity(trap uintptr) bool {
	_, _, errno := syscall.RawSyscall(trap, 0, unsafe.Sizeof(*p), uintptr(unsafe.Pointer(p)))
	return errno == 0
}

// bind keeps the running goroutine for the rest of its life on the i-th of the processors that it may use, if there are that
// many. Its thread ends with it.
func bind(i int) {
	var may processors
	if !may.affinity(syscall.SYS_SCHED_GETAFFINITY) {
		return
	}
	for w, word := range may {
		if n := bits.OnesCount64(word); i >= n {
			i -= n
			continue
		}
		for ; i > 0; i-- {
			word &= word - 1
		}
		runtime.LockOSThread()
		one := processors{}
		one[w] = word & -word
		one.affinity(syscall.SYS_SCHED_SETAFFINITY) // if it is refused, the rank runs where it may
		return
	}
}
