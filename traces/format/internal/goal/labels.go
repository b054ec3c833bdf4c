package goal

import (
	"bytes"
	"hash/maphash"
)

// goalLabels numbers the labels of one rank in the order of their first use. A schedule
// names three labels for each operation, so a map of strings would take most of the
// time. This is a hash table with linear probing in one piece of memory. A new rank
// empties it at no cost.
type goalLabels struct {
	seed  maphash.Seed
	slots []goalSlot
	names []byte
	all   []goalLabel
	rank  uint32 // slots of another rank are empty
	stem  []byte // the last name without its last character
	hash  uint64 // of stem
}

type goalSlot struct {
	rank, number uint32
	hash         uint64
}

type goalLabel struct {
	from, to int   // in names
	op       int32 // operation of the label, or -1 if it is not defined yet
}

const goalSlots = 1 << 10 // initial size, a power of two

// reset removes all labels.
func (l *goalLabels) reset() {
	if l.slots == nil {
		l.seed, l.slots = maphash.MakeSeed(), make([]goalSlot, goalSlots)
	}
	l.rank++
	l.names, l.all = l.names[:0], l.all[:0]
}

// number returns the number of the label called name.
func (l *goalLabels) number(name []byte) int32 {
	hash := l.hashOf(name)
	mask := uint64(len(l.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &l.slots[i]
		if s.rank != l.rank {
			*s = goalSlot{l.rank, uint32(len(l.all)), hash}
			return l.add(name)
		}
		if s.hash == hash && bytes.Equal(l.name(int32(s.number)), name) {
			return int32(s.number)
		}
	}
}

// hashOf returns the hash of a name. Those of names that differ only in the last digit are next to each other, because
// most schedules number their labels, and use near ones together. The processor's cache then has their slots.
func (l *goalLabels) hashOf(name []byte) uint64 {
	end := len(name) - 1
	if string(name[:end]) != string(l.stem) || end == 0 {
		l.stem = append(l.stem[:0], name[:end]...)
		l.hash = maphash.Bytes(l.seed, l.stem)
	}
	return l.hash + uint64(name[end])
}

func (l *goalLabels) add(name []byte) int32 {
	from := len(l.names)
	l.names = append(l.names, name...)
	l.all = append(l.all, goalLabel{from, len(l.names), -1})
	if 2*len(l.all) > len(l.slots) {
		l.grow()
	}
	return int32(len(l.all) - 1)
}

func (l *goalLabels) grow() {
	old := l.slots
	l.slots = make([]goalSlot, 2*len(old))
	mask := uint64(len(l.slots) - 1)
	for _, s := range old {
		if s.rank != l.rank {
			continue
		}
		i := s.hash & mask
		for l.slots[i].rank == l.rank {
			i = (i + 1) & mask
		}
		l.slots[i] = s
	}
}

// name returns the name of a label.
func (l *goalLabels) name(number int32) []byte {
	return l.names[l.all[number].from:l.all[number].to]
}
