package lines

import "spoor/traces/trace"

// Coarse finds the places of blocks from those of lines that are so small that all neighbours of one are in its block: then a
// page of lines tells the block, and no hash table is searched but for new ones, and where lines are scattered.
type Coarse struct {
	table *Table
	of    []blockOf // by page of lines
}

// blockOf is the block of the lines of a page, or, if they are scattered, of one of them.
type blockOf struct {
	number uint64
	place  uint32 // 0: none yet
}

// NewCoarse is of no blocks.
func NewCoarse() *Coarse { return &Coarse{table: NewScattering()} }

// Reach makes room for so many places of lines.
func (c *Coarse) Reach(places int) { c.of = Extend(c.of, places>>Neighbours) }

// Places is how many places of blocks there are.
func (c *Coarse) Places() int { return c.table.Places() }

// Place is the place of a block, in which the line at a place is.
func (c *Coarse) Place(line uint32, block uint64) (uint32, error) {
	if place, known := c.known(line, block); known {
		return place, nil
	}
	return c.learn(line, block, 0)
}

// known is the place of a block if the page tells it.
func (c *Coarse) known(line uint32, block uint64) (place uint32, known bool) {
	of := &c.of[line>>Neighbours]
	return of.place, of.place != 0 && of.number == block
}

// learn finds a block in the table, which somebody uses.
func (c *Coarse) learn(line uint32, block uint64, by trace.Proc) (place uint32, err error) {
	place, err = c.table.placeFor(block, by)
	c.of[line>>Neighbours] = blockOf{block, place}
	return place, err
}
