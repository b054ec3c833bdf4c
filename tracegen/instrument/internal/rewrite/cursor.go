package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"

	"spoor/tracegen/instrument/internal/code"
)

// cursor describes the local copy of the tape's cursor at a point of the code.
type cursor struct {
	pending     int  // words written after the offset
	room        int  // words that are certain to fit after the offset
	closed      bool // the tape has the current offset; the local copy is out of date
	unreachable bool // control does not reach this point
	count       *countState
}

// unreachableCursor is the cursor at a point that control does not reach.
var unreachableCursor = cursor{unreachable: true}

// join returns the cursor at a point that control reaches from two points. The two must agree on closed and have no
// pending words.
func join(a, b cursor) cursor {
	switch {
	case a.unreachable:
		return b
	case b.unreachable:
		return a
	}
	return cursor{room: min(a.room, b.room), closed: a.closed, count: mergeCounts(a.count, b.count)}
}

// margin is the number of words that fit after a check, as in package tape. Writing a count includes its own check.
const margin = 256

const wordBytes = 8

// ifCursorUsed returns text that is inserted only if the frame uses a cursor.
func (f *frame) ifCursorUsed(text string) string {
	return f.deferText(func() string {
		if f.uses.cursor {
			return text
		}
		return ""
	})
}

// commitWords returns code that moves the offset after the pending words.
func (f *frame) commitWords() string {
	if f.pending == 0 {
		return ""
	}
	s := fmt.Sprintf("%s += %d; ", f.name.off, wordBytes*f.pending)
	f.room -= f.pending
	f.pending = 0
	return s
}

// syncCursor returns code that makes the local copy exact, for points where control flow joins or splits.
func (f *frame) syncCursor() string {
	s := f.commitWords()
	if f.closed {
		f.closed, f.room = false, 0
		s += f.ifCursorUsed(fmt.Sprintf("%s = %s.Off(); ", f.name.off, f.name.t))
	}
	return s
}

// closeCursor returns code that stores the cursor in the tape, so that other code can write to the tape.
func (f *frame) closeCursor() string {
	if f.closed {
		return f.writeCount()
	}
	s, off := f.writeCount(), f.offset(f.pending)
	f.cursor = cursor{closed: true}
	return s + f.ifCursorUsed(fmt.Sprintf("%s.Close(%s); ", f.name.t, off))
}

// setUnreachable says that control does not reach this point.
func (f *frame) setUnreachable() { f.cursor = unreachableCursor }

// offset returns the local offset plus the given number of words.
func (f *frame) offset(words int) string {
	if words == 0 {
		return f.name.off
	}
	return fmt.Sprintf("%s+%d", f.name.off, wordBytes*words)
}

// reserve returns code that makes room for n words.
func (f *frame) reserve(n int) string {
	if !f.closed && f.room >= f.pending+n {
		return ""
	}
	s := f.syncCursor()
	f.room = margin
	return s + f.checkText(0) + "; "
}

// checkText returns code that drains the tape if it is full. The given number of words is pending.
func (f *frame) checkText(pending int) string {
	back := ""
	if pending > 0 {
		back = fmt.Sprintf(" - %d", wordBytes*pending)
	}
	at := f.offset(pending)
	return fmt.Sprintf("if %s >= %s { %s = %s.Full(%s)%s }", at, f.name.lim, f.name.off, f.name.t, at, back)
}

// put returns code that writes the word of a reference to *pointer, the value of e, with type t.
func (f *frame) put(pointer string, e ast.Expr, t types.Type, store bool) string {
	if code.Parametric(t) {
		return f.putSized(pointer, f.name.unsafe+".Sizeof("+f.text(e)+")", store)
	}
	size := f.sizes.Sizeof(t)
	switch {
	case size == 0:
		return ""
	case size > maxSize && !isComplex(t):
		return f.putRange(pointer, fmt.Sprint(size), store)
	}
	return f.putWord(pointer, f.kind(t, size, store))
}

// putWord returns code that writes a word of a kind. The word carries its share of the block's instructions.
func (f *frame) putWord(pointer, kind string) string {
	s := f.reserve(1)
	f.countSite()
	f.uses.cursor, f.file.uses.unsafe = true, true
	b, i, c, pending := f.block, f.block.words, f.count, f.pending
	b.words, f.count, f.pending = b.words+1, nil, f.pending+1
	return s + f.deferText(func() string {
		before, with, after := f.wordParts(c, b, i, pending)
		return before + fmt.Sprintf("%s.Put(%s, %s, %s.Pointer(%s), %s%s); ",
			f.name.tape, f.name.base, f.offset(pending), f.name.unsafe, pointer, kind, with) + after
	})
}

// putSized returns code that writes a reference whose size depends on type parameters.
func (f *frame) putSized(pointer, size string, store bool) string {
	s := f.reserve(1) + f.commitWords()
	f.countSite()
	f.room--
	f.uses.cursor, f.file.uses.unsafe, f.file.uses.hooks = true, true, true
	return s + fmt.Sprintf("%s = %s.Sized(%s, %s, %s, %s.Pointer(%s), %s, %t); ",
		f.name.off, f.name.hooks, f.name.t, f.name.base, f.name.off, f.name.unsafe, pointer, size, store)
}

// putRange returns code that records a reference of more bytes than a word can hold.
func (f *frame) putRange(pointer, bytes string, store bool) string {
	s := f.closeCursor()
	f.countSite()
	f.uses.tape, f.file.uses.unsafe = true, true
	return s + fmt.Sprintf("%s.Range(%s.Pointer(%s), %s, %t); ", f.name.t, f.name.unsafe, pointer, bytes, store)
}

func (f *frame) countSite() {
	f.result.Sites++
	f.file.uses.tape = true
}

// maxSize is, as in package tape, the maximum size of a reference of one word.
const maxSize = 64

// kind returns the kind of a reference to a value of type t.
func (f *frame) kind(t types.Type, size int64, store bool) string {
	letter := "L"
	if store {
		letter = "S"
	}
	if isComplex(t) {
		return fmt.Sprintf("%s.%sP%d", f.name.tape, letter, size/2)
	}
	switch size {
	case 1, 2, 4, 8, 16, 24:
		return fmt.Sprintf("%s.%s%d", f.name.tape, letter, size)
	}
	return fmt.Sprintf("%s.Kind(%t, %d)", f.name.tape, store, size)
}

func isComplex(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsComplex != 0
}
