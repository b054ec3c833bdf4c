// Package tape is the buffer that instrumented code writes to while it is recorded. It holds one word for each
// memory reference. The recorder of the running rank reads the words when the buffer is full and at each event.
//
// In most recordings only one rank runs at a time. Therefore the tape of the running rank is a package variable, and
// Cur costs one load. Code that may run on goroutines other than ranks calls Mine instead. If several ranks run at the
// same time, each on a Slot, Cur looks for the slot of the calling goroutine.
//
// The functions are so small that the compiler inlines them into instrumented code. They do not check what they
// write; the reader of the tape checks it.
package tape

import (
	"sync/atomic"
	"unsafe"
)

// margin is how many words fit on a tape after Room, or below the limit of Open. A block of code that writes at
// most Margin words needs one check.
const margin = 256

// Tape is the tape of a rank, of another goroutine, or of no goroutine.
type Tape struct {
	N      uint64         // instructions that counting code adds or subtracts, modulo 2^64
	base   unsafe.Pointer // of words
	offset uintptr        // bytes of the words written
	limit  uintptr        // offset at which the tape is full
	words  []uint64
	g      atomic.Uintptr                       // the goroutine of the rank, once bound
	drain  func([]uint64)                       // receives the words written, or nil
	place  func(p unsafe.Pointer, bytes uint64) // gives an allocation its address, or nil

	Outside uint64 // estimate of the instructions of called code that does not count itself
}

// NewTape returns an empty tape with room for the given number of words and Margin more. The tape calls drain with its
// words when it is full, and in Drain; a nil drain discards them. It calls place for every allocation.
func NewTape(words int, drain func([]uint64), place func(p unsafe.Pointer, bytes uint64)) *Tape {
	t := &Tape{words: make([]uint64, words+margin), limit: uintptr(words) * wordBytes, drain: drain, place: place}
	t.base = unsafe.Pointer(&t.words[0])
	return t
}

const wordBytes = 8

// idleWords is small compared with the room after it. While no rank runs, many goroutines may write to the idle
// tape at the same time. Each may write past the limit before another one checks it.
const idleWords = 16 * margin

var (
	idle    = newIdle()
	current unsafe.Pointer // *Tape; not an atomic.Pointer, whose method is too large to be inlined twice
)

func init() { Switch(nil) }

func newIdle() *Tape {
	t := NewTape(2*idleWords, nil, nil)
	t.limit = idleWords * wordBytes
	return t
}

// Cur returns the tape of the running rank. It is never nil: while no rank runs, it is a tape that nobody reads.
func Cur() *Tape {
	if t := (*Tape)(atomic.LoadPointer(&current)); t != nil {
		return t
	}
	return inSlot()
}

// CurAdd adds n instructions to the tape of the running rank, and returns it.
func CurAdd(n uint64) *Tape {
	t := (*Tape)(atomic.LoadPointer(&current))
	if t == nil {
		t = inSlot()
	}
	t.N += n
	return t
}

// Begin returns the tape of the running rank and its cursor.
func Begin() (t *Tape, base unsafe.Pointer, off, lim uintptr) {
	if t = (*Tape)(atomic.LoadPointer(&current)); t == nil {
		t = inSlot()
	}
	return t, t.base, t.offset, t.limit
}

// BeginAt is Begin, and returns n instructions.
func BeginAt(n uint64) (t *Tape, base unsafe.Pointer, off, lim uintptr, count uint64) {
	if t = (*Tape)(atomic.LoadPointer(&current)); t == nil {
		t = inSlot()
	}
	return t, t.base, t.offset, t.limit, n
}

// Switch makes t the tape of the running rank; nil means that no rank runs.
func Switch(t *Tape) {
	if t == nil {
		t = idle
	}
	atomic.StorePointer(&current, unsafe.Pointer(t))
}

// Release makes the idle tape current if t is current. After an interrupt, a rank may compute on and end later. By
// then, another recording may have started, whose tape is current.
func Release(t *Tape) {
	atomic.CompareAndSwapPointer(&current, unsafe.Pointer(t), unsafe.Pointer(idle))
}

// Drain passes on the words written so far.
func (t *Tape) Drain() {
	if t.offset > 0 {
		t.offset = t.Full(t.offset)
	}
}

// Open returns the cursor for code that writes with Put: the address of the words, the offset of the next word, and
// the offset at which Full must be called. Base and limit never change for a tape.
func (t *Tape) Open() (base unsafe.Pointer, off, lim uintptr) { return t.base, t.offset, t.limit }

// Off returns the offset of the next word, after other code may have written.
func (t *Tape) Off() uintptr { return t.offset }

// Close stores the cursor.
func (t *Tape) Close(off uintptr) { t.offset = off }

// Full passes on the words before offset off and returns the offset of the next word.
//
//go:noinline
func (t *Tape) Full(off uintptr) uintptr {
	if t.drain != nil {
		t.drain(t.words[:off/wordBytes])
	}
	t.offset = 0
	return 0
}

// Reserve makes room for Margin words at the local cursor, and returns its offset.
func (t *Tape) Reserve(off, lim uintptr) uintptr {
	if off >= lim {
		return t.Full(off)
	}
	return off
}

// Flush records n instructions without a reference at the local cursor. It returns the new offset.
func (t *Tape) Flush(base unsafe.Pointer, off, lim uintptr, n uint64) uintptr {
	if off >= lim {
		off = t.Full(off)
	}
	*(*uint64)(unsafe.Add(base, off)) = n
	return off + wordBytes
}

// FlushClose is Flush and Close. It returns 0.
func (t *Tape) FlushClose(base unsafe.Pointer, off, lim uintptr, n uint64) uint64 {
	if off >= lim {
		off = t.Full(off)
	}
	*(*uint64)(unsafe.Add(base, off)) = n
	t.offset = off + wordBytes
	return 0
}

// FlushClosed records n instructions, if there are any, after the last word. It returns 0.
func (t *Tape) FlushClosed(n uint64) uint64 {
	if n != 0 {
		t.Work(n)
	}
	return 0
}

// Room makes room for Margin words.
func (t *Tape) Room() {
	if t.offset >= t.limit {
		t.offset = t.Full(t.offset)
	}
}

// Put writes the word of a reference to *p at offset off. The argument k holds its kind and its instructions (I).
func Put(base unsafe.Pointer, off uintptr, p unsafe.Pointer, k uint64) {
	*(*uint64)(unsafe.Add(base, off)) = uint64(uintptr(p)) | k
}

// PutLoad records a load of *p like Put, and returns its value.
func PutLoad[T any](base unsafe.Pointer, off uintptr, p *T, k uint64) T {
	Put(base, off, unsafe.Pointer(p), k)
	return *p
}

// PutLoadClose is PutLoad and Close.
func PutLoadClose[T any](t *Tape, base unsafe.Pointer, off uintptr, p *T, k uint64) T {
	t.PutClose(base, off, unsafe.Pointer(p), k)
	return *p
}

// PutStore records a store to *p like Put, and stores v.
func PutStore[T any](base unsafe.Pointer, off uintptr, p *T, k uint64, v T) {
	Put(base, off, unsafe.Pointer(p), k)
	*p = v
}

// PutStoreClose is PutStore and Close.
func PutStoreClose[T any](t *Tape, base unsafe.Pointer, off uintptr, p *T, k uint64, v T) {
	t.PutClose(base, off, unsafe.Pointer(p), k)
	*p = v
}

// PutStoreNext is PutStore, and returns the offset of the next word.
func PutStoreNext[T any](base unsafe.Pointer, off uintptr, p *T, k uint64, v T) uintptr {
	Put(base, off, unsafe.Pointer(p), k)
	*p = v
	return off + wordBytes
}

// PutClose is Put and Close.
func (t *Tape) PutClose(base unsafe.Pointer, off uintptr, p unsafe.Pointer, k uint64) {
	Put(base, off, p, k)
	t.offset = off + wordBytes
}

// PutCount is Put, and returns 0.
func PutCount(base unsafe.Pointer, off uintptr, p unsafe.Pointer, k uint64) uint64 {
	Put(base, off, p, k)
	return 0
}

// PutNext is Put, and returns the offset of the next word.
func PutNext(base unsafe.Pointer, off uintptr, p unsafe.Pointer, k uint64) uintptr {
	Put(base, off, p, k)
	return off + wordBytes
}

// Work records n instructions without a reference.
func (t *Tape) Work(n uint64) {
	t.Room()
	*(*uint64)(unsafe.Add(t.base, t.offset)) = n & addrMask
	t.offset += wordBytes
}

// Range records a load or a store of the given number of bytes from p, if it is not 0.
func (t *Tape) Range(p unsafe.Pointer, bytes uintptr, store bool) {
	if bytes == 0 {
		return
	}
	t.Room()
	k := uint64(wide) << sizeShift
	if store {
		k |= storeBit
	}
	Put(t.base, t.offset, p, k)
	*(*uint64)(unsafe.Add(t.base, t.offset+wordBytes)) = uint64(bytes)
	t.offset += 2 * wordBytes
}

// Fresh gives an address to a variable that was just allocated.
func Fresh[T any](t *Tape, p *T) *T {
	if t.place != nil {
		t.Drain()
		t.place(unsafe.Pointer(p), uint64(unsafe.Sizeof(*p)))
	}
	return p
}
