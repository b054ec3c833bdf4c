package locate

import (
	"cmp"
	"slices"

	"spoor/traces/symbols"
)

// change is a change of the heap.
type change struct {
	addr, bytes uint64
	site        uint64 // where the call of the allocation returns to
	at          symbols.Moment
}

// block is a block of the heap or a mapping that exists.
type block struct {
	addr, bytes, site uint64
	begin             symbols.Moment
	order             uint64 // among all allocations
}

// heap follows the blocks of memory that exist. It needs memory for these alone.
type heap struct {
	add     func(symbols.Row) error
	changes uint64
	blocks  map[uint64]block
	maps    []block // by address, without overlap
	sites   map[uint64]struct{}
}

func newHeap(add func(symbols.Row) error) heap {
	return heap{add: add, blocks: map[uint64]block{}, sites: map[uint64]struct{}{}}
}

// begin returns the block that a change begins. Its site is in the instruction of the call, which ends where it returns to.
func (h *heap) begin(c change) block {
	h.changes++
	b := block{c.addr, c.bytes, max(c.site, 1) - 1, c.at, h.changes}
	h.sites[b.site] = struct{}{}
	return b
}

// end writes a block. During some, their thread executes nothing: they are of the loader, or inside of calls that are quiet.
func (h *heap) end(kind symbols.Kind, b block, at symbols.Moment) error {
	if b.begin == at {
		return nil
	}
	return h.add(symbols.Row{Kind: kind, Addr: b.addr, Bytes: b.bytes, Site: b.site, Begin: b.begin, End: at})
}

// allocate begins a block. A block of its address whose release was not seen ends.
func (h *heap) allocate(c change) error {
	old, ok := h.blocks[c.addr]
	h.blocks[c.addr] = h.begin(c)
	if !ok {
		return nil
	}
	return h.end(symbols.Heap, old, c.at)
}

// free ends a block, if its allocation was seen.
func (h *heap) free(c change) error {
	b, ok := h.blocks[c.addr]
	if !ok {
		return nil
	}
	delete(h.blocks, c.addr)
	return h.end(symbols.Heap, b, c.at)
}

// mapMemory begins a mapping, which replaces what it overlaps.
func (h *heap) mapMemory(c change) error {
	if err := h.unmap(c); err != nil {
		return err
	}
	h.insert(h.begin(c))
	return nil
}

func (h *heap) insert(b block) {
	if b.bytes == 0 {
		return
	}
	i, _ := h.search(b.addr)
	h.maps = slices.Insert(h.maps, i, b)
}

// search returns where a mapping at an address is or would be.
func (h *heap) search(addr uint64) (int, bool) {
	return slices.BinarySearchFunc(h.maps, addr, func(b block, a uint64) int { return cmp.Compare(b.addr, a) })
}

// unmap ends the mappings that overlap the range of a change. What of them is outside goes on as mappings that begin now.
func (h *heap) unmap(c change) error {
	i, found := h.search(c.addr)
	if !found && i > 0 && c.addr-h.maps[i-1].addr < h.maps[i-1].bytes {
		i--
	}
	end := c.addr + c.bytes
	for i < len(h.maps) && h.maps[i].addr < end {
		b := h.maps[i]
		h.maps = slices.Delete(h.maps, i, i+1)
		if err := h.end(symbols.Mapping, b, c.at); err != nil {
			return err
		}
		for _, rest := range [][2]uint64{{b.addr, max(b.addr, c.addr)}, {min(end, b.addr+b.bytes), b.addr + b.bytes}} {
			if rest[0] < rest[1] {
				h.changes++
				h.insert(block{rest[0], rest[1] - rest[0], b.site, c.at, h.changes})
				i++
			}
		}
	}
	return nil
}

// finish writes the blocks that exist at the end.
func (h *heap) finish() error {
	blocks := make([]block, 0, len(h.blocks))
	for _, b := range h.blocks {
		blocks = append(blocks, b)
	}
	slices.SortFunc(blocks, func(a, b block) int { return cmp.Compare(a.order, b.order) })
	for _, b := range blocks {
		if err := h.end(symbols.Heap, b, symbols.Never); err != nil {
			return err
		}
	}
	for _, b := range h.maps {
		if err := h.end(symbols.Mapping, b, symbols.Never); err != nil {
			return err
		}
	}
	return nil
}
