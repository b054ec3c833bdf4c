package stage

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// A process whose memory is limited runs its command in a child. The Go runtime ends a process that gets no memory with a
// stack trace and status 2, and the system kills it. The parent then removes what is unfinished, says so on one line, and
// returns status 1. Without a limit there is no child.

// sameInterrupt is how long an interrupt counts as one, although both parent and terminal send it.
var sameInterrupt time.Duration

// memoryLimit is the memory that a process may use.
type memoryLimit struct {
	bytes uint64
	room  uint64 // what is left of it
	from  string // how it was set
}

// exhausted matches what the Go runtime says when it gets no memory or no thread.
var exhausted = regexp.MustCompile(`out of memory|cannot allocate memory|failed to (reserve|create new OS thread)|pthread_create failed|newosproc`)

// block matches how much the runtime asked for.
var block = regexp.MustCompile(`cannot allocate (\d+)-byte block \((\d+) in use\)`)

// outOfMemory returns the error of a command that got no memory. text is what the runtime said, if it said something.
func (m memoryLimit) outOfMemory(text string) error {
	more := ""
	if b := block.FindStringSubmatch(text); b != nil {
		asked, _ := strconv.ParseUint(b[1], 10, 64) // digits
		used, _ := strconv.ParseUint(b[2], 10, 64)
		more = fmt.Sprintf(" (%s of data when %s more were needed)", megabytes(used), megabytes(asked))
	}
	return fmt.Errorf("out of memory: more than the %s that %s allows are needed%s; raise that limit", megabytes(m.bytes), m.from, more)
}

func megabytes(n uint64) string {
	const million = 1_000_000
	return fmt.Sprintf("%d MB", (n+million-1)/million)
}
