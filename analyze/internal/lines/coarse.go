package lines

import "spoor/traces/trace"

// Coarse finds the numbers of blocks from those of lines. The lines must be so small that all
// neighbours of a line are in its block. Then a page of lines determines the block. The hash table
// is searched only for new blocks, and if lines are scattered.
type Coarse struct {
	table *Table
	of    []blockOf // by page of lines
}

// blockOf is the block of the lines of a page. If the lines are scattered, it is the block of one
// of them.
type blockOf struct {
	number uint64
	place  uint32 // 0: none yet
}

// NewCoarse returns an empty Coarse.
func NewCoarse() *Coarse { return &Coarse{table: NewScattering()} }

// Reach allocates state for n numbers of lines.
func (c *Coarse) Reach(places int) { c.of = Extend(c.of, places>>Neighbours) }

// Places returns how many numbers of blocks there are.
func (c *Coarse) Places() int { return c.table.Places() }

// Place returns the number of a block. The line with the given number is in that block.
func (c *Coarse) Place(line uint32, block uint64) (uint32, error) {
	if place, known := c.known(line, block); known {
		return place, nil
	}
	return c.learn(line, block, 0)
}

// known returns the number of a block if the page determines it.
func (c *Coarse) known(line uint32, block uint64) (place uint32, known bool) {
	of := &c.of[line>>Neighbours]
	return of.place, of.place != 0 && of.number == block
}

// learn finds the number of a block in the table.
func (c *Coarse) learn(line uint32, block uint64, by trace.Proc) (place uint32, err error) {
	place, err = c.table.placeFor(block, by)
	c.of[line>>Neighbours] = blockOf{block, place}
	return place, err
}
