package trace

// Region is where a named array of the program lies.
type Region struct {
	Name  string
	Owner Proc // the processor it is private to, or Everyone
	Base  uint64
	Bytes uint64
	Home  Home
}

// Everyone owns what all processors share.
const Everyone Proc = -1

// Home says which processor's memory holds which part of a shared array, on
// machines whose memory is distributed. The zero Home leaves it to the machine.
type Home struct {
	Kind  HomeKind
	Bytes uint64 // of a cyclic part
	Procs []Proc // of explicit parts of equal size, in order
}

// HomeKind is how a shared array is dealt to processors.
type HomeKind uint8

// The kinds of homes.
const (
	AnyHome      HomeKind = iota // left to the machine
	BlockHome                    // contiguous parts of equal size, part i to processor i
	CyclicHome                   // parts of Bytes bytes, dealt in turn
	ExplicitHome                 // contiguous parts of equal size, part i to Procs[i]
	endHomeKind
)

var homeNames = [...]string{AnyHome: "any", BlockHome: "block", CyclicHome: "cyclic", ExplicitHome: "explicit"}

// String is the name that files use.
func (k HomeKind) String() string {
	if k >= endHomeKind {
		return "invalid"
	}
	return homeNames[k]
}

// ParseHomeKind is the kind of that name.
func ParseHomeKind(name string) (HomeKind, bool) {
	for k := AnyHome; k < endHomeKind; k++ {
		if homeNames[k] == name {
			return k, true
		}
	}
	return 0, false
}

// Of is the processor whose memory holds the byte at offset of an array of bytes
// bytes on procs processors; false if the machine decides.
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

// part is which of n contiguous parts, of ceil(bytes/n) bytes each but the last
// ones, holds an offset.
func part(offset, bytes uint64, n int) int {
	size := bytes / uint64(n)
	if bytes%uint64(n) > 0 {
		size++
	}
	return int(offset / size)
}
