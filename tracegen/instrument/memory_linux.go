package instrument

import (
	"math"

	"golang.org/x/sys/unix"
)

// availableMemory returns the memory of the host, or less if the process is limited.
func availableMemory() uint64 {
	available := uint64(math.MaxInt64)
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		available = uint64(info.Totalram) * uint64(info.Unit)
	}
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) == nil {
		available = min(available, limit.Cur)
	}
	return available
}
