package goal

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"strconv"
)

// goalLabels numbers the labels of one rank in the order of their first use. A schedule
// names three labels for each operation, so a map of strings would take most of the
// time. Most schedules number their labels, such as l1, l2 and so on: these are in a table by
// that number. Others are in a hash table with linear probing in one piece of memory. A new
// rank empties both at no cost.
type goalLabels struct {
	seed  maphash.Seed
	slots []goalSlot
	names []byte
	all   []goalLabel
	rank  uint32 // slots and entries of another rank are empty

	prefix   []byte // of numbered labels: that of the first one of the rank
	word     uint64 // prefix as a number, and the mask of its bytes
	mask     uint64
	numbered []goalEntry // by their number
	stem     []byte      // the last other name without its last character
	hash     uint64      // of stem
}

type goalSlot struct {
	rank, number uint32
	hash         uint64
}

// goalEntry is the number in all of a numbered label.
type goalEntry struct{ rank, number uint32 }

type goalLabel struct {
	from int   // in names, or the number of a numbered label
	size int32 // of the name, or goalNumbered
	op   int32 // operation of the label, or -1 if it is not defined yet
}

const (
	goalSlots = 1 << 10 // initial size, a power of two

	goalNumbered   = -1
	goalPrefix     = 8       // most characters of the prefix
	goalMostNumber = 1 << 20 // numbers from here on are in the hash table
	goalDigits     = 7       // of the numbers below
)

// reset removes all labels.
func (l *goalLabels) reset() {
	if l.slots == nil {
		l.seed, l.slots = maphash.MakeSeed(), make([]goalSlot, goalSlots)
	}
	l.rank++
	l.names, l.all, l.prefix = l.names[:0], l.all[:0], l.prefix[:0]
}

// number returns the number of the label called name.
func (l *goalLabels) number(name []byte) int32 {
	if n, is := l.numberIn(name); is {
		return l.ofNumber(n)
	}
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
// most schedules use near ones together. The processor's cache then has their slots.
func (l *goalLabels) hashOf(name []byte) uint64 {
	end := len(name) - 1
	if string(name[:end]) != string(l.stem) || end == 0 {
		l.stem = append(l.stem[:0], name[:end]...)
		l.hash = maphash.Bytes(l.seed, l.stem)
	}
	return l.hash + uint64(name[end])
}

// numberIn returns the number in the name of a numbered label. The first such name of a rank determines the prefix.
func (l *goalLabels) numberIn(name []byte) (n int, is bool) {
	from := len(name)
	for from > 0 && name[from-1]-'0' <= 9 {
		from--
	}
	digits := name[from:]
	if from == 0 || from > goalPrefix || len(digits) == 0 || len(digits) > goalDigits || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	for _, c := range digits {
		n = 10*n + int(c-'0')
	}
	if n >= goalMostNumber {
		return 0, false
	}
	if len(l.prefix) == 0 {
		l.setPrefix(name[:from])
	}
	return n, string(l.prefix) == string(name[:from])
}

func (l *goalLabels) setPrefix(prefix []byte) {
	var word [goalPrefix]byte
	copy(word[:], prefix)
	l.prefix = append(l.prefix, prefix...)
	l.word, l.mask = binary.LittleEndian.Uint64(word[:]), math.MaxUint64>>(8*(goalPrefix-len(prefix)))
}

// ofNumber returns the number in all of the numbered label n.
func (l *goalLabels) ofNumber(n int) int32 {
	if n < len(l.numbered) {
		if e := l.numbered[n]; e.rank == l.rank {
			return int32(e.number)
		}
	} else {
		l.numbered = append(l.numbered, make([]goalEntry, max(goalSlots, n+1, 2*len(l.numbered))-len(l.numbered))...)
	}
	l.numbered[n] = goalEntry{l.rank, uint32(len(l.all))}
	l.all = append(l.all, goalLabel{n, goalNumbered, -1})
	return int32(len(l.all) - 1)
}

// read returns the number of the numbered label at b[i:], and where it ends. end is i if there is none, or one with too many digits. b
// must have 16 bytes from i on.
func (l *goalLabels) read(b []byte, i int) (number int32, end int) {
	at := i + len(l.prefix)
	if at == i || binary.LittleEndian.Uint64(b[i:])&l.mask != l.word {
		return 0, i
	}
	n, first := 0, at
	for ; at < first+goalDigits && b[at]-'0' <= 9; at++ {
		n = 10*n + int(b[at]-'0')
	}
	if at == first || n >= goalMostNumber || b[first] == '0' && at > first+1 || goalIdent[b[at]] {
		return 0, i
	}
	return l.ofNumber(n), at
}

func (l *goalLabels) add(name []byte) int32 {
	from := len(l.names)
	l.names = append(l.names, name...)
	l.all = append(l.all, goalLabel{from, int32(len(name)), -1})
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
	label := &l.all[number]
	if label.size == goalNumbered {
		return strconv.AppendInt(bytes.Clone(l.prefix), int64(label.from), 10)
	}
	return l.names[label.from:][:label.size]
}

// operation returns the operation of a label, or less than 0 if it is not defined yet; see goalText.resolve.
func (l *goalLabels) operation(number int32) int32 {
	if op := l.all[number].op; op >= 0 {
		return op
	}
	return ^number
}
