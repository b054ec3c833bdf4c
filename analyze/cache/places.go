package cache

import "spoor/analyze/lines"

// places numbers the lines that some levels of one line size see, so that what a level knows of a line is in an array. A
// line that misses is looked up once for all of them.
type places struct {
	table  *lines.Table
	room   int    // how many there are
	line   uint64 // the latest one
	latest uint32 // its place; 0: there is none
	err    error  // there are too many lines
	some   [lines.Batch]uint64
}

func newPlaces() *places { return &places{table: lines.NewScattering()} }

// of is the place of a line.
func (p *places) of(line uint64) uint32 {
	if p.line == line && p.latest != 0 {
		return p.latest
	}
	at, err := p.table.Place(line)
	if err != nil {
		p.err = err
		return 0 // of no line; the run ends here
	}
	p.line, p.latest = line, at
	p.reach(p.table.Places())
	return at
}

// find is the places of the lines of keys, of those written back only if wanted, in the memory of found if that is enough.
func (p *places) find(keys []key, backs bool, found []uint32) []uint32 {
	if cap(found) < len(keys) {
		found = make([]uint32, 2*len(keys))
	}
	found = found[:len(keys)]
	n, skip := 0, 1
	if backs {
		skip = 0
	}
	for len(keys) > 0 {
		some := 0
		for len(keys) > 0 && some < lines.Batch {
			k := keys[0]
			p.some[some] = k &^ back >> 1
			some += 1 - int(k>>63)&skip
			keys = keys[1:]
		}
		if err := p.table.MakeRoom(); err != nil {
			p.err = err
			clear(found[n:])
			return found
		}
		p.table.Find(p.some[:some], found[n:])
		n += some
	}
	p.reach(p.table.Places())
	return found[:n]
}

// reach says that there are so many at least.
func (p *places) reach(n int) { p.room = max(p.room, n) }
