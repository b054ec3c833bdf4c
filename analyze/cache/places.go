package cache

import "spoor/analyze/internal/lines"

// places numbers the lines of one size that some levels see, so that their state can be in arrays.
// A line that misses is looked up once for all of these levels.
type places struct {
	table  *lines.Table
	room   int    // number of lines
	line   uint64 // the latest one
	latest uint32 // number of line; 0: there is none
	err    error  // too many lines
	some   [lines.Batch]uint64
}

func newPlaces() *places { return &places{table: lines.NewScattering()} }

// of returns the number of a line.
func (p *places) of(line uint64) uint32 {
	if p.line == line && p.latest != 0 {
		return p.latest
	}
	at, err := p.table.Place(line)
	p.reach(p.table.Places()) // also after an error: the run ends after the uses of this chunk
	if err != nil {
		p.err = err
		return 0 // no line
	}
	p.line, p.latest = line, at
	return at
}

// find returns the numbers of the lines of keys. It includes those written back if backs is set. It
// uses the memory of found if that suffices.
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
			p.reach(p.table.Places()) // as in of
			return found
		}
		p.table.Find(p.some[:some], found[n:])
		n += some
	}
	p.reach(p.table.Places())
	return found[:n]
}

// reach sets the minimum number of lines.
func (p *places) reach(n int) { p.room = max(p.room, n) }
