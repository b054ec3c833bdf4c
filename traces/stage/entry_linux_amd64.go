package stage

// entry is where the commands that make builds begin, by the linker's flag -E. The Go runtime reserves 720 MB of address
// space, or 1.2 GB if it gets them. If 'ulimit -v' allows less than it needs to start, entry says so and ends the process
// with status 1. Else it starts the runtime, which would print a stack trace.
func entry()

var _ = entry
