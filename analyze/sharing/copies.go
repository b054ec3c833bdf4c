package sharing

import "spoor/analyze/lines"

// copies is what uses need of each holder, all in one array: its head, its blocks, and counters of the accesses of words. That is one
// line of the host's caches for lines of 8 words, and most uses come to a holder whose are not there.
type copies struct {
	cells    []uint64
	each     int                 // cells of a holder
	blocks   int                 // of a holder
	counters int                 // where they begin: a byte for each word that is counted apart
	apart    int                 // how many those are
	often    map[uint32][]uint64 // by holder and word, accesses that are not in the counters, 256 at a time
	counted  []uint64            // see accesses
}

// block is what most uses of a block of a line need of its holder.
type block [blockCells]uint64

const (
	quiet  = iota // words whose accesses tell nothing new: neither stale nor unread, of a valid copy of a line in one region
	dirty         // words stored by the owner since it became that, and not yet known to others: none if it is not the owner
	stale         // words stored by others since the holder's last essential miss
	unread        // words stored by others, or never accessed, since the holder's last access
	loads         // that began in the block
	stores
	blockCells
)

// state is that of a copy.
type state uint8

const (
	invalid   state = iota
	pure            // cold, of a line that nobody had stored
	unneeded        // nothing that others stored was accessed
	essential       // it was
)

// The head of a holder is the state of its copy, whether its line has parts in several regions, and that line's number.
const (
	mixedBit = 1 << 7
	lineAt   = 8
)

// newCopies has one holder, which is none: no words are quiet.
func newCopies(blocks, apart int) copies {
	counters := 1 + blocks*blockCells
	c := copies{each: counters + (apart+7)/8, blocks: blocks, counters: counters, apart: apart,
		often: map[uint32][]uint64{}, counted: make([]uint64, apart)}
	c.add(0, false)
	return c
}

// add adds a holder of a line, which has no copy.
func (c *copies) add(line uint32, isMixed bool) {
	at := len(c.cells)
	c.cells = lines.Extend(c.cells, at+c.each)
	c.cells[at] = uint64(line) << lineAt
	if isMixed {
		c.cells[at] |= mixedBit
	}
}

func (c *copies) line(id uint32) uint32  { return uint32(c.cells[int(id)*c.each] >> lineAt) }
func (c *copies) state(id uint32) state  { return state(c.cells[int(id)*c.each] & (mixedBit - 1)) }
func (c *copies) isMixed(id uint32) bool { return c.cells[int(id)*c.each]&mixedBit != 0 }

func (c *copies) setState(id uint32, to state) {
	head := &c.cells[int(id)*c.each]
	*head = *head&^(mixedBit-1) | uint64(to)
}

// block is one of a holder. It is valid until a holder is added.
func (c *copies) block(id uint32, b int) *block {
	return (*block)(c.cells[int(id)*c.each+1+b*blockCells:])
}

// again counts a load, or a store if that is 1, of words that tells nothing new, and reports whether it is one: nobody stored the words
// since the holder's last access, and who stores has the copy exclusive, and has stored to the block.
func (b *block) again(words uint64, store int) bool {
	d, isStore := b[dirty], -uint64(store)
	ours := uint64(int64(d|-d) >> 63) // all ones if any are dirty: which of them store is hard to predict
	if words&^(b[quiet]&(ours|^isStore)) != 0 {
		return false
	}
	b[dirty] = d | words&isStore
	b[loads+store&1]++
	return true
}

// count counts accesses of words w0 to w1.
func (c *copies) count(id uint32, w0, w1 int) {
	counters := c.cells[int(id)*c.each+c.counters:]
	for w := w0; w <= w1; w++ {
		w := w & (c.apart - 1)
		cell, shift := &counters[w>>3], uint(w&7*8)
		if *cell>>shift&255 == 255 {
			c.carry(id, w)
			*cell &^= 255 << shift
		} else {
			*cell += 1 << shift
		}
	}
}

//go:noinline
func (c *copies) carry(id uint32, w int) {
	often := c.often[id]
	if often == nil {
		often = make([]uint64, c.apart)
		c.often[id] = often
	}
	often[w] += 256
}

// accesses is how often a holder accessed each word that is counted apart. It is valid until the next call.
func (c *copies) accesses(id uint32) []uint64 {
	counters, often := c.cells[int(id)*c.each+c.counters:], c.often[id]
	for w := range c.counted {
		c.counted[w] = counters[w>>3] >> uint(w&7*8) & 255
		if often != nil {
			c.counted[w] += often[w]
		}
	}
	return c.counted
}

// uses is the loads and stores of a holder.
func (c *copies) uses(id uint32) (n [2]uint64) {
	for b := range c.blocks {
		of := c.block(id, b)
		n[0] += of[loads]
		n[1] += of[stores]
	}
	return n
}
