package cache

import "spoor/analyze/lines"

// coupled reports whether what is below may change what the level holds.
func (l *level) coupled() bool {
	for n := l.next; n != nil; n = n.next {
		if n.description.Inclusion != NonInclusive {
			return true
		}
	}
	return false
}

// stack makes a stage for what each depth asks of the next one, if levels can be simulated one after the other: every level is
// at one depth, serves nothing but uses that bring lines and write-backs, and changes nothing in another.
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

// hand has levels hand on the places of lines with them, where all number lines alike and know them by their places. Others are told what lines
// are written back.
func (f *feed) hand() {
	first := f.ports[0].level
	alike := len(f.ports) == 1 && first.aged != nil
	for l := first; l != nil && alike; l = l.next {
		alike = l.aged != nil && l.aged.places == first.aged.places
	}
	if alike {
		for _, b := range f.stages[1:] {
			b.placed = true
		}
		return
	}
	for i := range f.ports {
		for l := f.ports[i].level; l.next != nil; l = l.next {
			if l.aged != nil {
				l.aged.names = new(lines.Names)
			}
		}
	}
}
