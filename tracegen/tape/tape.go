// Package tape is what instrumented code writes to while it is recorded: a buffer
// of words, one for each memory reference, that the recorder of the running rank
// reads whenever the buffer is full or the rank comes to an event.
//
// One rank runs at a time while recording, so the tape of the running rank is a
// package variable, and Cur costs one load. Code that may run on goroutines which
// are no ranks asks for Mine instead.
//
// The functions here are small enough that the compiler puts them into the code
// they instrument; what they write is checked by whoever reads the tape, not here.
package tape

import (
	"sync/atomic"
	"unsafe"
)

// Margin is how many words fit on a tape after Room or below the limit of Open: a
// block of code that writes no more needs one check.
const Margin = 256

// Tape is the record of one rank, of one goroutine, or of nobody.
type Tape struct {
	N     uint64         // instructions that counting code adds, or takes away: modulo 2^64
	base  unsafe.Pointer // of words
	off   uintptr        // bytes of words that are written
	lim   uintptr        // offset from which the tape is full
	words []uint64
	g     uintptr                              // the goroutine it belongs to, once bound
	drain func([]uint64)                       // takes the words written, or nil
	place func(p unsafe.Pointer, bytes uint64) // gives an allocation its place, or nil
}

// New is an empty tape with room for so many words and Margin more. Drain takes
// the words when the tape is full, and by Drain; nil discards them. Place is told
// of every allocation.
func New(words int, drain func([]uint64), place func(p unsafe.Pointer, bytes uint64)) *Tape {
	t := &Tape{words: make([]uint64, words+Margin), lim: uintptr(words) * wordBytes, drain: drain, place: place}
	t.base = unsafe.Pointer(&t.words[0])
	return t
}

const wordBytes = 8

// idleWords is small, and the room beyond it large: what no rank executes may be
// executed by many goroutines at a time, which all write here and overtake each
// other's checks.
const idleWords = 16 * Margin

var (
	idle    = newIdle()
	current atomic.Pointer[Tape]
)

func init() { Switch(nil) }

func newIdle() *Tape {
	t := New(2*idleWords, nil, nil)
	t.lim = idleWords * wordBytes
	return t
}

// Cur is the tape of the rank that runs; never nil: while no rank runs it is one
// that nobody reads.
func Cur() *Tape { return current.Load() }

// Switch makes t the tape of the rank that runs; nil means that none does.
func Switch(t *Tape) {
	if t == nil {
		t = idle
	}
	current.Store(t)
}

// Leave ends the turn of t, if it still has it: a rank that went on to compute after an interrupt may end while
// another one has it, of a recording that began since.
func Leave(t *Tape) { current.CompareAndSwap(t, idle) }

// Drain hands over what is written.
func (t *Tape) Drain() {
	if t.off > 0 {
		t.off = t.Full(t.off)
	}
}

// Open is the cursor of the tape for code that writes through Put: where words
// lie, the offset of the next, and the offset from which Full must be called.
// Base and lim are the same for the life of a tape.
func (t *Tape) Open() (base unsafe.Pointer, off, lim uintptr) { return t.base, t.off, t.lim }

// Off is the offset of the next word, after somebody else may have written.
func (t *Tape) Off() uintptr { return t.off }

// Close writes the cursor back.
func (t *Tape) Close(off uintptr) { t.off = off }

// Full hands over the words before offset off and returns the offset that the
// next word goes to.
//
//go:noinline
func (t *Tape) Full(off uintptr) uintptr {
	if t.drain != nil {
		t.drain(t.words[:off/wordBytes])
	}
	t.off = 0
	return 0
}

// Room makes room for Margin words.
func (t *Tape) Room() {
	if t.off >= t.lim {
		t.off = t.Full(t.off)
	}
}

// Put writes the word of a reference to *p at offset off; k says what it is, and how
// many instructions it took (I).
func Put(base unsafe.Pointer, off uintptr, p unsafe.Pointer, k uint64) {
	*(*uint64)(unsafe.Add(base, off)) = uint64(uintptr(p)) | k
}

// Work records n instructions without a reference.
func (t *Tape) Work(n uint64) {
	t.Room()
	*(*uint64)(unsafe.Add(t.base, t.off)) = n & addrMask
	t.off += wordBytes
}

// Range records a load or a store of bytes bytes from p on, if there are any.
func (t *Tape) Range(p unsafe.Pointer, bytes uintptr, store bool) {
	if bytes == 0 {
		return
	}
	t.Room()
	k := uint64(wide) << sizeShift
	if store {
		k |= storeBit
	}
	Put(t.base, t.off, p, k)
	*(*uint64)(unsafe.Add(t.base, t.off+wordBytes)) = uint64(bytes)
	t.off += 2 * wordBytes
}

// Copy is copy(dst, src), recorded as a load and a store of the elements copied.
func Copy[T any](t *Tape, dst, src []T) int {
	n := min(len(dst), len(src))
	bytes := uintptr(n) * unsafe.Sizeof(*new(T))
	t.Range(unsafe.Pointer(unsafe.SliceData(src)), bytes, false)
	t.Range(unsafe.Pointer(unsafe.SliceData(dst)), bytes, true)
	return copy(dst, src)
}

// Made gives the array of a slice that was just allocated its place.
func Made[T any](t *Tape, s []T) []T {
	if t.place != nil {
		t.Drain()
		t.place(unsafe.Pointer(unsafe.SliceData(s)), uint64(cap(s))*uint64(unsafe.Sizeof(*new(T))))
	}
	return s
}

// Fresh gives a variable that was just allocated its place.
func Fresh[T any](t *Tape, p *T) *T {
	if t.place != nil {
		t.Drain()
		t.place(unsafe.Pointer(p), uint64(unsafe.Sizeof(*p)))
	}
	return p
}
