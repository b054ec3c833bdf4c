package locate

const (
	pageBits   = 12
	regionBits = 30
	regionPage = 1 << (regionBits - pageBits)
)

// Pages is the set of pages that a recording touches. A page takes a bit, in regions of 1 GiB that have any.
type Pages struct {
	regions map[uint64]*[regionPage / 64]uint64
	last    *[regionPage / 64]uint64 // of the latest address
	at      uint64
}

// Touch adds the page of an address.
func (p *Pages) Touch(addr uint64) {
	if at := addr >> regionBits; p.last == nil || at != p.at {
		p.enter(at)
	}
	page := addr >> pageBits % regionPage
	p.last[page/64] |= 1 << (page % 64)
}

func (p *Pages) enter(at uint64) {
	if p.regions == nil {
		p.regions = map[uint64]*[regionPage / 64]uint64{}
	}
	if p.regions[at] == nil {
		p.regions[at] = new([regionPage / 64]uint64)
	}
	p.last, p.at = p.regions[at], at
}

// touched reports whether some page of a range is in the set.
func (p *Pages) touched(from, to uint64) bool {
	for addr := from >> pageBits << pageBits; addr < to; addr += 1 << pageBits {
		page := addr >> pageBits % regionPage
		if r := p.regions[addr>>regionBits]; r != nil && r[page/64]&(1<<(page%64)) != 0 {
			return true
		}
	}
	return false
}
