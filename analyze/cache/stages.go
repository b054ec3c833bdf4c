package cache

import "spoor/analyze/internal/lines"

// coupled reports whether levels below may change the contents of the level.
func (l *level) coupled() bool {
	for n := l.next; n != nil; n = n.next {
		if n.description.Inclusion != nonInclusive {
			return true
		}
	}
	return false
}

// stack creates a stage for the requests of each depth if levels can be simulated one after the
// other. For that, every level must be at one depth, have only uses that load lines and
// write-backs, and change nothing in another level.
func (f *feed) stack() {
	depth := map[*level]int{}
	deepest := 0
	for i := range f.ports {
		d := 0
		for l := f.ports[i].level; l != nil; l = l.next {
			if old, ok := depth[l]; ok && old != d || !l.plain || l.inclusive {
				return
			}
			depth[l] = d
			d++
		}
		deepest = max(deepest, d)
	}
	for l := range depth {
		l.swept = true
	}
	for range deepest {
		f.stages = append(f.stages, &batch{})
	}
}

// hand lets levels pass line numbers on to the next level. All levels must use the same numbers and
// be of type classifiedLRU. Otherwise the levels learn the addresses of the lines that are written
// back.
func (f *feed) hand() {
	first := f.ports[0].level
	alike := len(f.ports) == 1 && first.classifiedLRU != nil
	for l := first; l != nil && alike; l = l.next {
		alike = l.classifiedLRU != nil && l.classifiedLRU.places == first.classifiedLRU.places
	}
	if alike {
		for _, b := range f.stages[1:] {
			b.placed = true
		}
		for l := first.next; l != nil; l = l.next {
			l.handed = true
		}
		return
	}
	for i := range f.ports {
		for l := f.ports[i].level; l.next != nil; l = l.next {
			if l.classifiedLRU != nil {
				l.classifiedLRU.names = new(lines.Names)
			}
		}
	}
}
