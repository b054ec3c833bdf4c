package store

import (
	"math"

	"spoor/traces/store/internal/arrowmeta"
	"spoor/traces/store/internal/guess"
	"spoor/traces/trace"
)

// The archive profile of a refs file is for storing and sending traces. Its files are
// several times smaller than plain ones. Every Arrow reader can read them, but their
// columns do not have a row for each reference. Open and Recover read both profiles.
//
// The references of a processor are cut into blocks. A block is a sequence of references
// whose operations, sizes, instruction counts, instruction fetches and pcs repeat, like
// those of straight-line code. Only the addresses of its data references vary.
//
// A batch has up to archiveRows references of one processor. It is complete by itself, so
// that batches are written, read and recovered independently. It has one row with these
// columns, which are lists except for refs:
//
//	refs            number of references
//	block_refs      the dictionary: number of references of each block, in the order
//	                in which blocks first run
//	block_runs      number of runs of each block
//	instr size op   columns of the references of all blocks, block by block
//	fetch           address of each ifetch in this list, minus the end of the ifetch
//	                before it
//	pc              pc of each reference in this list, minus the pc before it
//	next            the block after each run of a block; sorted by block, then by time
//	jump            blocks that next does not guess, in the order of time
//	guess           how the address of each data reference was guessed; sorted by
//	                slot, then by time
//	miss0 to miss7  bytes of the distances (zigzag) that were not guessed, least
//	                significant first, in the order of guess
//
// A slot is a data reference of the code: the same data reference of the same
// instruction, in any block (see slotKey). Guesses are grouped by slot, because some slots
// are predictable and others are not; zstd could not separate them in program order. The
// predictors are among those of [burtscher2005]: a stride, and constant distances to the
// preceding data references. Code uses such distances to address its stack frame, its
// objects and values that it has just loaded. Hashed contexts are not used: they gained
// 2 % on lackey traces of gzip, gcc and python.
//
// Differs: predictor codes are grouped by slot instead of in program order, and
// each names the predictor, so that the reader evaluates no other.

const (
	// archiveRows is the number of references of a full batch. Each batch has its own
	// dictionary: with a quarter of the rows, files were 40 % larger.
	archiveRows = 1 << 20
	// maxArchiveRefs bounds the references in unfinished batches, to about 200 MB.
	maxArchiveRefs = 8 * archiveRows
	missBytes      = 8
)

// Codes of the column next.
const (
	nextAsAfterFour = iota // the block that last followed the last four blocks
	nextAsAfterOne         // the block that last followed this block
	nextIsNew              // the first block that has not run yet
	nextIsListed           // the next block in jump
	nextCodes
)

// Codes of the column guess: the stride, then one for each recent address, then
// one for each number of bytes of a miss.
const (
	guessCodes   = guess.Miss + missBytes + 1
	maxBlockRefs = math.MaxUint8
)

// archiveFields returns the columns of a refs file in the archive profile.
func archiveFields(hasPC bool) []arrowmeta.Field {
	plain := refsFields(hasPC)
	fields := []arrowmeta.Field{
		plain[0],
		{Name: "refs", Type: arrowmeta.TUint32, Meta: []arrowmeta.Pair{{Key: unitKey, Value: "refs"}}},
		{Name: "block_refs", Type: arrowmeta.TUint8s, Meta: []arrowmeta.Pair{{Key: unitKey, Value: "refs"}}},
		{Name: "block_runs", Type: arrowmeta.TUint32s},
		{Name: "instr", Type: arrowmeta.TUint32s, Meta: plain[1].Meta},
		{Name: "size", Type: arrowmeta.TUint16s, Meta: plain[3].Meta},
		{Name: "op", Type: arrowmeta.TUint8s, Meta: plain[4].Meta},
		{Name: "fetch", Type: arrowmeta.TInt64s, Meta: plain[2].Meta},
	}
	if hasPC {
		fields = append(fields, arrowmeta.Field{Name: "pc", Type: arrowmeta.TInt64s})
	}
	fields = append(fields,
		arrowmeta.Field{Name: "next", Type: arrowmeta.TUint8s, Meta: []arrowmeta.Pair{{Key: enumKey, Value: "0=as after four,1=as after one,2=new,3=listed"}}},
		arrowmeta.Field{Name: "jump", Type: arrowmeta.TUint32s},
		arrowmeta.Field{Name: "guess", Type: arrowmeta.TUint8s, Meta: []arrowmeta.Pair{{Key: enumKey,
			Value: "0=stride,1=from the address before,2=from two before,3=from three before,4=from four before,5=miss"}}})
	for i := range missBytes {
		fields = append(fields, arrowmeta.Field{Name: "miss" + string('0'+rune(i)), Type: arrowmeta.TUint8s})
	}
	return fields
}

// archiveColumns are the columns of a batch in the archive profile.
type archiveColumns struct {
	proc      []int32
	refs      []uint32
	blockRefs []uint8
	blockRuns []uint32
	instr     []uint32
	size      []uint16
	op        []trace.Op
	fetch     []int64
	pc        []int64
	next      []uint8
	jump      []uint32
	guess     []uint8
	miss      [missBytes][]uint8
}

// put adds the columns to e.
func (c *archiveColumns) put(e *encoder, hasPC bool) {
	put(e, c.proc)
	put(e, c.refs)
	putList(e, c.blockRefs)
	putList(e, c.blockRuns)
	putList(e, c.instr)
	putList(e, c.size)
	putList(e, c.op)
	putList(e, c.fetch)
	if hasPC {
		putList(e, c.pc)
	}
	putList(e, c.next)
	putList(e, c.jump)
	putList(e, c.guess)
	for _, m := range c.miss {
		putList(e, m)
	}
}

// get reads the columns from d. No list may be longer than the number of references.
func (c *archiveColumns) get(d *decoder, hasPC bool) {
	if d.rows != 1 {
		d.fail("it has %d rows instead of one", d.rows)
		return
	}
	c.proc = get(d, c.proc, 1)
	c.refs = get(d, c.refs, 1)
	most := int(c.refs[0])
	if d.err == nil && (most == 0 || most > archiveRows) {
		d.fail("it has %d references", most)
	}
	c.blockRefs = getList(d, c.blockRefs, most)
	c.blockRuns = getList(d, c.blockRuns, most)
	c.instr = getList(d, c.instr, most)
	c.size = getList(d, c.size, most)
	c.op = getList(d, c.op, most)
	c.fetch = getList(d, c.fetch, most)
	c.pc = c.pc[:0]
	if hasPC {
		c.pc = getList(d, c.pc, most)
	}
	c.next = getList(d, c.next, most)
	c.jump = getList(d, c.jump, most)
	c.guess = getList(d, c.guess, most)
	for i := range c.miss {
		c.miss[i] = getList(d, c.miss[i], most)
	}
}

// reset empties the columns.
func (c *archiveColumns) reset() {
	c.blockRefs, c.blockRuns = c.blockRefs[:0], c.blockRuns[:0]
	c.instr, c.size, c.op = c.instr[:0], c.size[:0], c.op[:0]
	c.fetch, c.pc, c.next, c.jump, c.guess = c.fetch[:0], c.pc[:0], c.next[:0], c.jump[:0], c.guess[:0]
	for i := range c.miss {
		c.miss[i] = c.miss[i][:0]
	}
}
