package sharing

import "spoor/analyze/internal/lines"

// copies holds the state of all sharers that uses need, in one array: the head of a sharer, its
// blocks, and counters of word accesses. For lines of 8 words this is one line of the host's
// caches, and most uses come to a sharer that is not in these.
type copies struct {
	cells        []uint64
	each         int                 // cells of a sharer
	blocks       int                 // of a sharer
	counters     int                 // index of the first counter: a byte for each word with its own counter
	wordCounters int                 // number of counters
	often        map[uint32][]uint64 // by sharer and word: accesses that do not fit the counters, in units of 256
	counted      []uint64            // see accesses
}

// block is the state of a block of a line that most uses need.
type block [blockCells]uint64

const (
	quiet  = iota // words whose accesses change no state: neither stale nor unread, in a valid copy of a line in one region
	dirty         // words that the owner has stored since it became owner and has not published; none without ownership
	stale         // words stored by others since the last essential miss of the sharer
	unread        // words stored by others since the last access of the sharer, or never accessed
	loads         // loads that began in the block
	stores
	blockCells
)

// state is the state of a copy.
type state uint8

const (
	invalid   state = iota
	flushed         // invalid, because a flush removed it
	pure            // cold, of a line that no processor had stored
	unneeded        // no data of others has been accessed
	essential       // data of others has been accessed
)

// The head of a sharer is the state of its copy, whether its line has parts in several regions, and that line's number.
const (
	mixedBit = 1 << 7
	lineAt   = 8
)

// newCopies creates one sharer that stands for none: no words are quiet.
func newCopies(blocks, wordCounters int) copies {
	counters := 1 + blocks*blockCells
	c := copies{each: counters + (wordCounters+7)/8, blocks: blocks, counters: counters, wordCounters: wordCounters,
		often: map[uint32][]uint64{}, counted: make([]uint64, wordCounters)}
	c.add(0, false)
	return c
}

// add adds a sharer of a line. It has no copy yet.
func (c *copies) add(line uint32, isMixed bool) {
	at := len(c.cells)
	c.cells = lines.Extend(c.cells, at+c.each)
	c.cells[at] = uint64(line) << lineAt
	if isMixed {
		c.cells[at] |= mixedBit
	}
}

func (c *copies) line(id uint32) uint32 { return uint32(c.cells[int(id)*c.each] >> lineAt) }
func (c *copies) state(id uint32) state { return state(c.cells[int(id)*c.each] & (mixedBit - 1)) }

// isValid reports whether a sharer has a copy.
func (c *copies) isValid(id uint32) bool { return c.state(id) > flushed }

func (c *copies) isMixed(id uint32) bool { return c.cells[int(id)*c.each]&mixedBit != 0 }

func (c *copies) setState(id uint32, to state) {
	head := &c.cells[int(id)*c.each]
	*head = *head&^(mixedBit-1) | uint64(to)
}

// block returns a block of a sharer. It is valid until a sharer is added.
func (c *copies) block(id uint32, b int) *block {
	return (*block)(c.cells[int(id)*c.each+1+b*blockCells:])
}

// countQuiet counts a load (0) or store (1) of words if it changes no state, and reports whether it
// does. That is so if no other processor has stored the words since the sharer's last access. A
// store also needs an exclusive copy and an earlier store to the block.
func (b *block) countQuiet(words uint64, store int) bool {
	d, isStore := b[dirty], -uint64(store)
	ours := uint64(int64(d|-d) >> 63) // all ones if any are dirty; a branch on the store would be hard to predict
	if words&^(b[quiet]&(ours|^isStore)) != 0 {
		return false
	}
	b[dirty] = d | words&isStore
	b[loads+store&1]++
	return true
}

// count counts accesses to words w0 to w1.
func (c *copies) count(id uint32, w0, w1 int) {
	counters := c.cells[int(id)*c.each+c.counters:]
	for w := w0; w <= w1; w++ {
		w := w & (c.wordCounters - 1)
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
		often = make([]uint64, c.wordCounters)
		c.often[id] = often
	}
	often[w] += 256
}

// accesses returns the number of accesses of a sharer by word counter. It is valid until the next
// call.
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

// uses returns the loads and stores of a sharer.
func (c *copies) uses(id uint32) (n [2]uint64) {
	for b := range c.blocks {
		of := c.block(id, b)
		n[0] += of[loads]
		n[1] += of[stores]
	}
	return n
}
