package cache

// The permission of a processor for a copy of a line: the low bits of the copy's word. The bits of MayLoad are part of
// those of MayStore. So one comparison finds a copy that may be loaded: word|MayStore == the word of the line with
// MayStore.
const (
	MayLoad  = 1
	MayStore = 3

	PermissionBits = 2
	permissionMask = 1<<PermissionBits - 1
)

// Copies is a set-associative LRU cache for simulations of coherence: other processors change the permissions of its
// copies. Invalid ways may be anywhere in a set. An [LRU] has no permissions and hides its sets, so that their form can
// depend on the number of ways.
//
// Lines are numbers below 2^62. A word is line<<PermissionBits | permission, or 0 for an invalid way. The words of a set
// are contiguous, most recently used first.
type Copies struct {
	Words []uint64
	Ways  uint64
	Mask  uint64 // the number of sets, a power of two, less 1
}

// NewCopies returns an empty cache. The number of sets is a power of two.
func NewCopies(sets, ways int64) Copies {
	return Copies{Words: make([]uint64, sets*ways), Ways: uint64(ways), Mask: uint64(sets - 1)}
}

// Set returns the words of the set of a line.
func (c *Copies) Set(line uint64) []uint64 {
	i := (line & c.Mask) * c.Ways
	return c.Words[i : i+c.Ways]
}

// Word returns the word of a line with a permission.
func Word(line, permission uint64) uint64 { return line<<PermissionBits | permission }

// Stores reports whether the copy of a word may be stored to.
func Stores(word uint64) bool { return word&permissionMask == MayStore }

// FindCopy returns the way of set that holds line with any permission, or -1.
func FindCopy(set []uint64, line uint64) int {
	for w, word := range set {
		if word|MayStore == line<<PermissionBits|MayStore && word != 0 {
			return w
		}
	}
	return -1
}

// Victim returns the way for a new line: an invalid one, otherwise the least recently used.
func Victim(set []uint64) int {
	for w := len(set) - 1; w >= 0; w-- {
		if set[w] == 0 {
			return w
		}
	}
	return len(set) - 1
}

// ToFront puts word into set as the most recently used, in place of way w.
func ToFront(set []uint64, w int, word uint64) {
	for ; w > 0; w-- {
		set[w] = set[w-1]
	}
	set[0] = word
}

// Permit sets the permission for line, if c holds it; 0 removes the copy.
func (c *Copies) Permit(line, permission uint64) {
	set := c.Set(line)
	w := FindCopy(set, line)
	switch {
	case w < 0:
	case permission == 0:
		set[w] = 0
	default:
		set[w] = Word(line, permission)
	}
}
