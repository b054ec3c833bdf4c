package lines

import "math/bits"

// direct has the pages of dense regions of memory in arrays, as the page table of an operating system has them. A
// lookup there is one load, and needs no hash. The hash table has the same pages, and those of other regions.
type direct struct {
	regions [regionSlots]region

	// Lines of a batch that are not in the regions.
	missed [Batch]uint8 // their indices
	lines  [Batch]uint64
	refs   [Batch]uint32
	places [Batch]uint32
}

// region is the pages of 2^regionShift lines.
type region struct {
	number uint64 // line >> regionShift
	pages  *[regionPages]uint32
}

const (
	regionShift = 16
	regionPages = 1 << (regionShift - int(Neighbours))
	regionSlots = 1 << 10         // of two regions with the same slot, only one is direct
	leastPages  = regionPages / 2 // of a direct region, so that it adds at most eight bytes to each page
	noRegion    = 1<<64 - 1       // no line has this number
)

// updateDirect looks for dense regions when there are a quarter more pages. If most pairs have one page, it does not
// pay.
func (t *Table) updateDirect() {
	t.directAt = t.used + t.used/4
	if t.of == Neighbours && len(t.pairs) > nearPairs && 4*t.used >= 5*t.full {
		t.direct = t.makeDirect()
	}
}

// makeDirect returns the dense regions; nil if there are none. A region is tried if it has most pairs of its slot.
func (t *Table) makeDirect() *direct {
	var most [regionSlots]struct {
		number       uint64
		votes, pages int
	}
	for i := range t.pairs {
		if p := &t.pairs[i]; !p.empty() {
			number := p.number << Neighbours << 1 >> regionShift
			m := &most[number%regionSlots]
			if m.votes == 0 {
				m.number = number
			}
			if m.number == number {
				m.votes++
			} else {
				m.votes--
			}
		}
	}
	for i := range t.pairs {
		p := &t.pairs[i]
		number := p.number << Neighbours << 1 >> regionShift
		if m := &most[number%regionSlots]; m.number == number && p.places[0] < isNode {
			m.pages += int(min(p.places[0], 1) + min(p.places[1], 1))
		}
	}
	var d *direct
	for slot := range most {
		if most[slot].pages < leastPages {
			continue
		}
		if d == nil {
			d = new(direct)
			for i := range d.regions {
				d.regions[i].number = noRegion
			}
		}
		d.regions[slot] = region{most[slot].number, new([regionPages]uint32)}
	}
	if d != nil {
		d.fill(t.pairs)
	}
	return d
}

// fill adds the pages of all pairs.
func (d *direct) fill(pairs []pair) {
	for i := range pairs {
		if p := &pairs[i]; p.places[0] < isNode {
			for j, page := range p.places {
				d.add((p.number<<1|uint64(j))<<Neighbours, page)
			}
		}
	}
}

// add adds the page of a line, if its region is dense.
func (d *direct) add(line uint64, page uint32) {
	if r := &d.regions[line>>regionShift%regionSlots]; r.number == line>>regionShift {
		r.pages[line>>Neighbours%regionPages] = page
	}
}

// findDirect is Find where some regions are dense.
func (t *Table) findDirect(lines []uint64, place []uint32, by users) {
	d, n := t.direct, 0
	place = place[:len(lines)]
	for i, l := range lines {
		r, page := &d.regions[l>>regionShift%regionSlots], uint32(0)
		if r.number == l>>regionShift {
			page = r.pages[l>>Neighbours%regionPages]
		}
		place[i] = page<<Neighbours | uint32(l&(1<<Neighbours-1))
		d.missed[n&(Batch-1)] = uint8(i)
		_, missed := bits.Sub32(page, 1, 0) // no branch, because it is hard to predict
		n += int(missed)
	}
	if n == 0 {
		return
	}
	for j, i := range d.missed[:n] {
		d.lines[j] = lines[i]
		if by.of != nil {
			d.refs[j] = by.refs[i]
		}
	}
	t.findFar(d.lines[:n], d.places[:n], users{by.of, d.refs[:n]})
	for j, i := range d.missed[:n] {
		place[i] = d.places[j]
	}
}
