package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
)

// cursor is what is known, at a place of the text, about the local copy of the
// tape's cursor.
type cursor struct {
	pending int  // words written beyond the offset
	room    int  // words that are sure to fit beyond the offset
	closed  bool // the tape has the offset, the local copy is stale
	gone    bool // control does not come here
	carry   *carry
}

// gone is the cursor where control does not come.
var gone = cursor{gone: true}

// join is what is known where control comes from two places, which agree on
// whether the cursor is closed and have nothing pending.
func join(a, b cursor) cursor {
	switch {
	case a.gone:
		return b
	case b.gone:
		return a
	}
	return cursor{room: min(a.room, b.room), closed: a.closed, carry: both(a.carry, b.carry)}
}

// margin is the words that fit after a check: tape.Margin. Markers of blocks bring
// checks of their own.
const margin = 256

const wordBytes = 8

// whenUsed is text that is needed only if the frame has a cursor.
func (f *frame) whenUsed(text string) string {
	return f.late(func() string {
		if f.uses.cursor {
			return text
		}
		return ""
	})
}

// commit moves the offset behind what is written.
func (f *frame) commit() string {
	if f.pending == 0 {
		return ""
	}
	s := fmt.Sprintf("%s += %d; ", f.name.off, wordBytes*f.pending)
	f.room -= f.pending
	f.pending = 0
	return s
}

// ready makes the local copy exact: what all that joins or parts here agrees on.
func (f *frame) ready() string {
	s := f.commit()
	if f.closed {
		f.closed, f.room = false, 0
		s += f.whenUsed(fmt.Sprintf("%s = %s.Off(); ", f.name.off, f.name.t))
	}
	return s
}

// close brings the cursor to the tape, for others to write on.
func (f *frame) close() string {
	if f.closed {
		return f.unload()
	}
	s, off := f.unload(), f.offset(f.pending)
	f.cursor = cursor{closed: true}
	return s + f.whenUsed(fmt.Sprintf("%s.Close(%s); ", f.name.t, off))
}

// dead says that control does not come here.
func (f *frame) dead() { f.cursor = gone }

// offset is the local offset so many words on.
func (f *frame) offset(words int) string {
	if words == 0 {
		return f.name.off
	}
	return fmt.Sprintf("%s+%d", f.name.off, wordBytes*words)
}

// need makes room for n words.
func (f *frame) need(n int) string {
	if !f.closed && f.room >= f.pending+n {
		return ""
	}
	s := f.ready()
	f.room = margin
	return s + f.checkText(0) + "; "
}

// checkText hands the tape over if it is full, so many words being pending.
func (f *frame) checkText(pending int) string {
	back := ""
	if pending > 0 {
		back = fmt.Sprintf(" - %d", wordBytes*pending)
	}
	at := f.offset(pending)
	return fmt.Sprintf("if %s >= %s { %s = %s.Full(%s)%s }", at, f.name.lim, f.name.off, f.name.t, at, back)
}

// put writes a word: a reference to what pointer points to, the value of e, of type
// t.
func (f *frame) put(pointer string, e ast.Expr, t types.Type, store bool) string {
	if parametric(t) {
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

// putWord writes a word of a kind, which takes its share of the block's
// instructions.
func (f *frame) putWord(pointer, kind string) string {
	s := f.need(1)
	f.site()
	f.uses.cursor, f.file.uses.unsafe = true, true
	b, i, c, pending := f.block, f.block.words, f.carry, f.pending
	b.words, f.carry, f.pending = b.words+1, nil, f.pending+1
	return s + f.late(func() string {
		before, with, after := f.carried(c, b, i, pending)
		return before + fmt.Sprintf("%s.Put(%s, %s, %s.Pointer(%s), %s%s); ",
			f.name.tape, f.name.base, f.offset(pending), f.name.unsafe, pointer, kind, with) + after
	})
}

// putSized writes a reference of a size that is known when type parameters are.
func (f *frame) putSized(pointer, size string, store bool) string {
	s := f.need(1) + f.commit()
	f.site()
	f.room--
	f.uses.cursor, f.file.uses.unsafe, f.file.uses.hooks = true, true, true
	return s + fmt.Sprintf("%s = %s.Sized(%s, %s, %s, %s.Pointer(%s), %s, %t); ",
		f.name.off, f.name.hooks, f.name.t, f.name.base, f.name.off, f.name.unsafe, pointer, size, store)
}

// putRange records memory of more bytes than a word can tell.
func (f *frame) putRange(pointer, bytes string, store bool) string {
	s := f.close()
	f.site()
	f.uses.tape, f.file.uses.unsafe = true, true
	return s + fmt.Sprintf("%s.Range(%s.Pointer(%s), %s, %t); ", f.name.t, f.name.unsafe, pointer, bytes, store)
}

func (f *frame) site() {
	f.result.Sites++
	f.file.uses.tape = true
}

// maxSize is tape.MaxSize, the bytes of a reference of one word.
const maxSize = 64

// kind is the kind of a reference to a value of type t.
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
