package tape

// A word has these parts, from the lowest bit: 47 bits of address, 1 bit for a store, 7 bits of size, and 9 bits of
// instructions. The instructions are those since the previous word, including the reference's own.
const (
	addrBits   = 47
	addrMask   = 1<<addrBits - 1
	storeBit   = 1 << addrBits
	sizeShift  = addrBits + 1
	sizeMask   = 1<<7 - 1
	instrShift = sizeShift + 7
)

// I is one instruction in the word of a reference.
const I = 1 << instrShift

// maxInstr is the maximum number of instructions in the word of a reference. Work writes more.
const maxInstr = 1<<9 - 1

// maxSize is the maximum number of bytes of a reference of one word. Range writes more.
const maxSize = 64

// Values of the size besides 1 to MaxSize.
const (
	work  = 0 // instructions without a reference: the address holds their number
	pair8 = 120
	pair4 = 121
	wide  = 127 // the next word is the number of bytes
)

// Kinds of references of one word: a load or store of the given bytes, or of a pair of such values (the parts of a
// complex number, the real part first).
const (
	L1  = 1 << sizeShift
	L2  = 2 << sizeShift
	L4  = 4 << sizeShift
	L8  = 8 << sizeShift
	L16 = 16 << sizeShift
	L24 = 24 << sizeShift
	LP8 = pair8 << sizeShift
	LP4 = pair4 << sizeShift
	S1  = L1 | storeBit
	S2  = L2 | storeBit
	S4  = L4 | storeBit
	S8  = L8 | storeBit
	S16 = L16 | storeBit
	S24 = L24 | storeBit
	SP8 = LP8 | storeBit
	SP4 = LP4 | storeBit
)

// Kind returns the kind of a reference of size bytes, 1 to MaxSize.
func Kind(store bool, size uintptr) uint64 {
	if store {
		return uint64(size)<<sizeShift | storeBit
	}
	return uint64(size) << sizeShift
}

// Ref is a decoded reference, or instructions without a reference.
type Ref struct {
	Addr  uint64 // 0 without a reference
	Size  uint64 // bytes; 0 without a reference
	Parts int    // number of references of Size bytes, at consecutive addresses
	Store bool
	Instr uint64 // since the previous reference, including its own
}

// Next decodes the first reference of words, and returns how many words it takes. The words are those that a tape
// passed on.
func Next(words []uint64) (r Ref, n int) {
	w := words[0]
	r = Ref{Addr: w & addrMask, Size: w >> sizeShift & sizeMask, Parts: 1, Store: w&storeBit != 0, Instr: w >> instrShift}
	switch r.Size {
	case work:
		r.Addr, r.Instr = 0, w&addrMask
	case pair8:
		r.Size, r.Parts = 8, 2
	case pair4:
		r.Size, r.Parts = 4, 2
	case wide:
		r.Size = words[1]
		return r, 2
	}
	return r, 1
}

// Simple decodes a word that is complete in itself. For a reference of up to MaxSize bytes parts is 1, and for a
// pair it is 2. For instructions without a reference parts is 0, and addr is their number. For any other word parts
// is -1.
func Simple(w uint64) (addr uint64, size uint16, parts int) {
	addr, size = w&addrMask, uint16(w>>sizeShift&sizeMask)
	switch {
	case size-1 < maxSize:
		parts = 1
	case size == pair8:
		size, parts = 8, 2
	case size == pair4:
		size, parts = 4, 2
	case size != work:
		parts = -1
	}
	return addr, size, parts
}

// Instr returns the instructions in the word of a reference.
func Instr(w uint64) uint64 { return w >> instrShift }

// Store returns 1 for a store and 0 for a load.
func Store(w uint64) uint64 { return w >> addrBits & 1 }
