package sharing

// kindKey identifies lines of the same kind of sharing.
type kindKey struct {
	region         int32 // the first, if several
	kind           pattern
	users, writers int32
}

type kindCounts struct{ lines, uses, trues, falses uint64 }

// pattern is a kind of sharing.
type pattern uint8

// The kinds, in the order of the table.
const (
	private pattern = iota
	readOnly
	initialised
	producerConsumer
	migratory
	readWrite
	endKind
)

var kindNames = [endKind]string{private: "private", readOnly: "read-only", initialised: "initialised",
	producerConsumer: "producer-consumer", migratory: "migratory", readWrite: "read-write"}

// addKindOf counts a line under its kind.
func (s *simulation) addKindOf(l *line) {
	var key kindKey
	sum := kindCounts{lines: 1}
	for id := l.sharers; id != 0; id = s.sharers[id].next {
		n := s.copies.uses(id)
		if n[0]+n[1] == 0 { // the processor only prefetched it
			continue
		}
		key.users++
		if n[1] > 0 {
			key.writers++
		}
		sum.uses += n[0] + n[1]
	}
	if key.users == 0 {
		return
	}
	base := l.number << s.lineShift
	key.region = s.regions.first(base, base+uint64(s.line)-1)
	shared := s.shared[l.shared] // no counts if it is private
	key.kind = kindOf(key.users, key.writers, &shared)
	sum.trues, sum.falses = shared.trues, shared.falses
	s.addKind(key, sum)
}

func (s *simulation) addKind(key kindKey, n kindCounts) {
	old := s.kinds[key]
	s.kinds[key] = kindCounts{old.lines + n.lines, old.uses + n.uses, old.trues + n.trues, old.falses + n.falses}
}

func kindOf(users, writers int32, l *sharedLine) pattern {
	switch {
	case users == 1:
		return private
	case writers == 0:
		return readOnly
	case l.sameWriter+l.fromOther+l.otherStores == 0:
		return initialised
	case l.sameWriter > l.fromOther+l.otherStores:
		return producerConsumer
	case l.fromOther > l.sameWriter+l.otherStores:
		return migratory
	}
	return readWrite
}
