package cache

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
	for range deepest {
		f.stages = append(f.stages, &batch{})
	}
}

// hand has levels hand on the places of lines that miss with them, where all that the next one is asked for comes from
// one that numbers lines alike.
func (f *feed) hand() {
	if len(f.ports) > 1 || len(f.stages) == 1 {
		return
	}
	for i, l := 1, f.ports[0].level; l.next != nil; i, l = i+1, l.next {
		f.stages[i].placed = l.classes.finds() && l.next.classes.finds() && l.classes.places == l.next.classes.places
	}
}
