package sharing

// index maps lines to slots, which are 0 at first. Neighbouring lines share a page of slots, one
// cache line: programs that use a line use its neighbours, and the hash table is so
// much smaller.
type index struct {
	pages []page // hash table, a power of two long, linear probing
	shift uint   // 64 - log2(len(pages))
	used  int
	slots []uint32 // by page; the first page is not used
}

type page struct {
	number uint64 // line >> pageShift
	at     uint32 // number of the page in slots; 0: empty
}

const (
	pageShift = 4
	pageLines = 1 << pageShift
)

// slot is where the line's value lies, until the next call.
func (t *index) slot(line uint64) *uint32 {
	number, mask := line>>pageShift, uint64(len(t.pages)-1)
	if t.used > 0 {
		for h := hash(number, t.shift); ; h++ {
			p := &t.pages[h&mask]
			if p.number == number && p.at != 0 {
				return &t.slots[uint64(p.at)<<pageShift|line&(pageLines-1)]
			}
			if p.at == 0 {
				break
			}
		}
	}
	return &t.slots[uint64(t.add(number))<<pageShift|line&(pageLines-1)]
}

// add makes a page.
func (t *index) add(number uint64) uint32 {
	if t.used == 0 {
		const logSize = 6
		t.pages, t.shift = make([]page, 1<<logSize), 64-logSize
		t.slots = make([]uint32, pageLines)
	}
	if t.used++; 8*t.used > 5*len(t.pages) {
		t.grow()
	}
	t.slots = append(t.slots, make([]uint32, pageLines)...)
	p := page{number, uint32(len(t.slots)/pageLines - 1)}
	t.insert(p)
	return p.at
}

func (t *index) grow() {
	old := t.pages
	t.pages = make([]page, 2*len(old))
	t.shift--
	for _, p := range old {
		if p.at != 0 {
			t.insert(p)
		}
	}
}

func (t *index) insert(p page) {
	mask := uint64(len(t.pages) - 1)
	h := hash(p.number, t.shift)
	for t.pages[h&mask].at != 0 {
		h++
	}
	t.pages[h&mask] = p
}

// hash multiplies by 2^64 divided by the golden ratio, twice, so that neither
// neighbours nor strides of powers of two crowd.
func hash(number uint64, shift uint) uint64 {
	const golden = 0x9E3779B97F4A7C15
	number *= golden
	return ((number ^ number>>32) * golden) >> (shift & 63)
}
