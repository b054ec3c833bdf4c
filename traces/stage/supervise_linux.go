package stage

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"spoor/traces/internal/outfile"
)

// supervisedKey is the environment variable of a child: the descriptors for what the runtime says and for the names of
// unfinished files, and the memory that the child has.
const supervisedKey = "SPOOR_SUPERVISED"

// obey makes a child of supervise tell its parent what it needs to know. Every process keeps its heap within the memory
// that it has.
func obey() {
	isSet := os.Getenv("GOMEMLIMIT") != ""
	if all := physicalMemory(); all > 0 && !isSet {
		debug.SetMemoryLimit(int64(all / 10 * 9)) // the collector then runs more often, before the system kills the process
	}
	var said, files int
	var room int64
	if n, _ := fmt.Sscanf(os.Getenv(supervisedKey), "%d,%d,%d", &said, &files, &room); n != 3 {
		return
	}
	os.Unsetenv(supervisedKey)
	roomAtStart = uint64(max(0, room))
	unix.CloseOnExec(files)
	outfile.RecordUnfinished(os.NewFile(uintptr(files), "unfinished files"))
	if terminal, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 3); err == nil && unix.Dup3(said, 2, 0) == nil {
		os.Stderr = os.NewFile(uintptr(terminal), "/dev/stderr")
	}
	unix.Close(said)
	if !isSet {
		debug.SetMemoryLimit(room / 4 * 3)
	}
	sameInterrupt = 300 * time.Millisecond
}

// controlGroup is the limit at which the system kills a process. At the others it gets no more memory.
const controlGroup = "the control group"

// supervise runs the command in a child if the memory is limited, and reports whether it did.
func supervise(env *Env) (status int, done bool) {
	limit := leastLimit()
	if limit.from == "" || sameInterrupt > 0 {
		return 0, false
	}
	runtime.LockOSThread() // the child gets the signal below when this thread ends
	var said, files string
	saidTo, saidDone := gather(&said)
	filesTo, filesDone := gather(&files)
	if saidTo == nil || filesTo == nil {
		return 0, false
	}
	child := exec.Command("/proc/self/exe", os.Args[1:]...)
	child.Args[0] = os.Args[0]
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	child.Env = append(os.Environ(), fmt.Sprintf("%s=%d,%d,%d", supervisedKey, saidTo.Fd(), filesTo.Fd(), limit.room))
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	err := child.Start()
	saidTo.Close()
	filesTo.Close()
	if err != nil {
		return 0, false
	}
	go func() {
		for s := range signals {
			_ = child.Process.Signal(s) // it may have ended
		}
	}()
	err = child.Wait()
	await(saidDone)
	await(filesDone)
	return limit.ended(env, err, said, files), true
}

// gather returns a pipe that children inherit. What they write is in text when done is closed.
func gather(text *string) (to *os.File, done chan struct{}) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, nil
	}
	if _, err := unix.FcntlInt(to.Fd(), unix.F_SETFD, 0); err != nil {
		return nil, nil
	}
	done = make(chan struct{})
	go func() {
		defer close(done)
		b, _ := io.ReadAll(from) // up to an error
		*text = string(b)
	}()
	return to, done
}

// await waits for done, but not for a grandchild that goes on.
func await(done chan struct{}) {
	select {
	case <-done:
	case <-time.After(time.Second):
	}
}

// ended returns the status of a command whose child ended with err.
func (m memoryLimit) ended(env *Env, err error, said, files string) int {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintf(env.Err, "spoor: %s: running the command in a child: %v\n", filepath.Base(os.Args[0]), err)
		return Failed
	}
	if err == nil {
		fmt.Fprint(env.Err, said)
		return Done
	}
	signal := exit.Sys().(syscall.WaitStatus).Signal()
	killed := signal == syscall.SIGKILL
	exhausted := exhausted.MatchString(said) && exit.ExitCode() != Done && exit.ExitCode() != Failed
	if killed || exhausted {
		outfile.RemoveUnfinished(files)
	}
	if exhausted || killed && m.from == controlGroup {
		fmt.Fprintf(env.Err, "spoor: %s: %s\n", filepath.Base(os.Args[0]), oneLine(m.outOfMemory(said)))
		return Failed
	}
	fmt.Fprint(env.Err, said)
	if exit.ExitCode() < 0 {
		return 128 + int(signal)
	}
	return exit.ExitCode()
}

// leastLimit returns the limit with the least room, or none.
func leastLimit() (least memoryLimit) {
	size, data := inUse()
	consider := func(limit, used uint64, from string) {
		if room := max(limit, used) - used; limit < math.MaxInt64 && (least.from == "" || room < least.room) {
			least = memoryLimit{limit, room, from}
		}
	}
	for _, l := range []struct {
		number int
		used   uint64
		from   string
	}{{unix.RLIMIT_AS, size, "'ulimit -v'"}, {unix.RLIMIT_DATA, data, "'ulimit -d'"}} {
		var r unix.Rlimit
		if unix.Getrlimit(l.number, &r) == nil {
			consider(r.Cur, l.used, l.from)
		}
	}
	if limit := groupLimit(); limit < physicalMemory() {
		consider(limit, 0, controlGroup)
	}
	return least
}

// inUse returns the address space and the data of this process.
func inUse() (size, data uint64) {
	var pages, ignored, private uint64
	text, _ := os.ReadFile("/proc/self/statm")
	_, _ = fmt.Sscan(string(text), &pages, &ignored, &ignored, &ignored, &ignored, &private)
	page := uint64(os.Getpagesize())
	return pages * page, private * page
}

// systemMemory returns the memory that this process and its children may use.
func systemMemory() memoryLimit {
	all := physicalMemory()
	if limit := leastLimit(); limit.from != "" && limit.room < all {
		return limit
	}
	if all == 0 {
		return memoryLimit{}
	}
	return memoryLimit{all, all, host}
}

// physicalMemory returns the memory of the host, or 0.
func physicalMemory() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}

// groupLimit returns the memory of the control group, of version 1 or 2, and of those around it.
func groupLimit() uint64 {
	least := uint64(math.MaxUint64)
	groups, _ := os.ReadFile("/proc/self/cgroup")
	for _, line := range strings.Split(string(groups), "\n") {
		part := strings.SplitN(line, ":", 3)
		if len(part) < 3 || part[1] != "" && part[1] != "memory" {
			continue
		}
		root, file := "/sys/fs/cgroup", "memory.max"
		if part[1] != "" {
			root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		for path := part[2]; ; path = filepath.Dir(path) {
			var limit uint64
			text, _ := os.ReadFile(filepath.Join(root, path, file))
			if n, _ := fmt.Sscan(string(text), &limit); n == 1 {
				least = min(least, limit)
			}
			if path == "/" || path == "." {
				break
			}
		}
	}
	return least
}
