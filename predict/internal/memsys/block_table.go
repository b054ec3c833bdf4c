package memsys

import (
	"slices"

	"spoor/predict/internal/memsys/numa"
)

// noNode stands for no node.
const noNode = -1

// block is the directory entry of a block. Its state is exclusive if it has an owner, shared if it has sharers, and
// otherwise uncached.
type block struct {
	home    int
	owner   int   // the node besides its home that may store to it, or noNode
	sharers []int // the nodes besides its home that may only load it, ascending
	dirty   bool  // the copy on its home's disk is stale
}

// allows reports whether node n has b with permission to load, or to store.
func (b *block) allows(n int, store bool) bool {
	if n == b.home {
		return b.owner == noNode && !(store && len(b.sharers) > 0)
	}
	return b.owner == n || !store && b.hasSharer(n)
}

func (b *block) hasSharer(n int) bool {
	_, found := slices.BinarySearch(b.sharers, n)
	return found
}

// add makes n a sharer.
func (b *block) add(n int) {
	if i, found := slices.BinarySearch(b.sharers, n); !found {
		b.sharers = slices.Insert(b.sharers, i, n)
	}
}

// remove makes n neither sharer nor owner.
func (b *block) remove(n int) {
	if b.owner == n {
		b.owner = noNode
	}
	if i, found := slices.BinarySearch(b.sharers, n); found {
		b.sharers = slices.Delete(b.sharers, i, i+1)
	}
}

// blockTable is the directories of all homes: all blocks that were ever used.
type blockTable struct {
	homes *numa.Homes
	at    map[uint64]int32
	all   []block
}

// lookup returns the block with a number, which node n uses. It is fresh at its first use. The pointer is valid until
// the next call.
func (d *blockTable) lookup(number uint64, n int) (b *block, fresh bool) {
	i, ok := d.at[number]
	if !ok {
		i = int32(len(d.all))
		d.at[number] = i
		d.all = append(d.all, block{home: d.homes.Of(number, n), owner: noNode, dirty: true})
	}
	return &d.all[i], !ok
}

// get returns a block that was used before.
func (d *blockTable) get(number uint64) *block { return &d.all[d.at[number]] }
