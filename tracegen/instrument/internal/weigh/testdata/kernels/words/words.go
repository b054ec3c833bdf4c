// Package words hashes strings and counts them in a table with linear probing.
package words

type slot struct {
	word  string
	count int
}

type table struct {
	slots []slot
	used  int
}

// Run counts the words of a text and returns the most frequent count.
func Run() float64 {
	text := text(30000)
	t := &table{slots: make([]slot, 1<<14)}
	start := -1
	for i := 0; i < len(text); i++ {
		c := text[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		switch {
		case letter && start < 0:
			start = i
		case !letter && start >= 0:
			t.add(text[start:i])
			start = -1
		}
	}
	most := 0
	for _, s := range t.slots {
		if s.count > most {
			most = s.count
		}
	}
	return float64(most)
}

func text(n int) string {
	b := make([]byte, n)
	x := uint32(3)
	for i := range b {
		x = x*1103515245 + 12345
		switch d := x >> 16 % 9; {
		case d < 3:
			b[i] = 'a' + byte(d)
		case d < 5:
			b[i] = 'A' + byte(d)
		default:
			b[i] = ' '
		}
	}
	return string(b)
}

func (t *table) add(word string) {
	h := uint32(2166136261)
	for i := 0; i < len(word); i++ {
		h ^= uint32(word[i])
		h *= 16777619
	}
	mask := uint32(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.count == 0 {
			s.word, s.count = word, 1
			t.used++
			return
		}
		if s.word == word {
			s.count++
			return
		}
	}
}
