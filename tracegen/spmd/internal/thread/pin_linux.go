package thread

import (
	"math/bits"
	"runtime"
	"syscall"
	"unsafe"
)

// processors is a set of processors in the layout of the Linux kernel.
type processors [16]uint64

// affinity calls one of the two system calls for the processors that the running thread may use. It reports
// success.
func (p *processors) affinity(trap uintptr) bool {
	_, _, errno := syscall.RawSyscall(trap, 0, unsafe.Sizeof(*p), uintptr(unsafe.Pointer(p)))
	return errno == 0
}

// Pin keeps the running goroutine on the i-th of the processors that it may use, for the rest of its life. It does
// nothing if there are fewer processors. The thread ends with the goroutine.
func Pin(i int) {
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
		one.affinity(syscall.SYS_SCHED_SETAFFINITY) // if it fails, the rank may run on any processor
		return
	}
}
