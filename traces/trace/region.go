package trace

// Region is the address range of a named array of the program.
type Region struct {
	Name  string
	Owner Proc // the only processor that uses it, or Everyone
	Base  uint64
	Bytes uint64
	Home  Home
}

// Everyone is the owner of regions that all processors share.
const Everyone Proc = -1

// Home assigns the parts of a shared array to the memories of processors, on machines
// whose memory is distributed. The zero Home leaves the placement to the machine.
type Home struct {
	Kind  HomeKind
	Bytes uint64 // CyclicHome: size of a part
	Procs []Proc // ExplicitHome: the processor of each part; the parts have equal size
}

// HomeKind is a way to distribute a shared array over processors.
type HomeKind uint8

// The kinds of homes.
const (
	AnyHome      HomeKind = iota // left to the machine
	BlockHome                    // contiguous parts of equal size, part i to processor i
	CyclicHome                   // parts of Bytes bytes, assigned round robin
	ExplicitHome                 // contiguous parts of equal size, part i to Procs[i]
	endHomeKind
)

var homeNames = [...]string{AnyHome: "any", BlockHome: "block", CyclicHome: "cyclic", ExplicitHome: "explicit"}

// String returns the name that files use.
func (k HomeKind) String() string {
	if k >= endHomeKind {
		return "invalid"
	}
	return homeNames[k]
}

// ParseHomeKind returns the kind with the given name; false means that there is none.
func ParseHomeKind(name string) (HomeKind, bool) {
	for k := AnyHome; k < endHomeKind; k++ {
		if homeNames[k] == name {
			return k, true
		}
	}
	return 0, false
}

// Of returns the processor whose memory holds the byte at offset, in an array of bytes
// bytes on procs processors. It returns false if the machine decides.
func (h Home) Of(offset, bytes uint64, procs int) (Proc, bool) {
	if offset >= bytes || procs < 1 {
		return 0, false
	}
	switch h.Kind {
	case BlockHome:
		return Proc(part(offset, bytes, procs)), true
	case CyclicHome:
		if h.Bytes == 0 {
			return 0, false
		}
		return Proc(offset / h.Bytes % uint64(procs)), true
	case ExplicitHome:
		if len(h.Procs) == 0 {
			return 0, false
		}
		return h.Procs[part(offset, bytes, len(h.Procs))], true
	}
	return 0, false
}

// part returns the number of the part that holds an offset. There are n contiguous
// parts of ceil(bytes/n) bytes; the last ones may be smaller.
func part(offset, bytes uint64, n int) int {
	size := bytes / uint64(n)
	if bytes%uint64(n) > 0 {
		size++
	}
	return int(offset / size)
}
