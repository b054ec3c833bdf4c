package host

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"spoor/traces/unit"
)

// KernelCache is a cache as the kernel reports it.
type KernelCache struct {
	Level      int
	Size, Line unit.Bytes
	Ways       int
	Shared     int // processors that share it
}

// KernelCaches returns the data caches of processor cpu, nearest first. root is /sys/devices/system/cpu. Many
// virtual machines report no caches.
func KernelCaches(root fs.FS, cpu int) (list []KernelCache) {
	dirs, _ := fs.Glob(root, fmt.Sprintf("cpu%d/cache/index*", cpu)) // only a bad pattern is an error
	for _, dir := range dirs {
		read := func(name string) string {
			text, _ := fs.ReadFile(root, path.Join(dir, name)) // absent is empty
			return strings.TrimSpace(string(text))
		}
		if kind := read("type"); kind != "Data" && kind != "Unified" {
			continue
		}
		var c KernelCache
		c.Level, _ = strconv.Atoi(read("level"))
		c.Ways, _ = strconv.Atoi(read("ways_of_associativity"))
		line, _ := strconv.Atoi(read("coherency_line_size"))
		c.Line = unit.Bytes(line)
		c.Size, _ = unit.ParseBytes(strings.TrimSuffix(read("size"), "K") + "KiB")
		c.Shared = len(cpuList(read("shared_cpu_list")))
		if c.Level > 0 && c.Size > 0 {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b KernelCache) int { return a.Level - b.Level })
	return list
}

// maxCPUs bounds the numbers in lists of processors.
const maxCPUs = 1 << 16

// cpuList parses a list such as "0-3,8".
func cpuList(text string) (list []int) {
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		a, errA := strconv.Atoi(first)
		b, errB := strconv.Atoi(last)
		if errA != nil || errB != nil || a < 0 || b >= maxCPUs {
			continue
		}
		for cpu := a; cpu <= b; cpu++ {
			list = append(list, cpu)
		}
	}
	return list
}

// Memory returns the size of the memory, and of its free part, from /proc/meminfo; 0: not known. proc is /proc.
func Memory(proc fs.FS) (total, available unit.Bytes) {
	text, err := fs.ReadFile(proc, "meminfo")
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		var name string
		var kib int64
		if n, _ := fmt.Sscanf(line, "%s %d kB", &name, &kib); n != 2 {
			continue
		}
		switch name {
		case "MemTotal:":
			total = unit.Bytes(kib) << 10
		case "MemAvailable:":
			available = unit.Bytes(kib) << 10
		}
	}
	return total, available
}
