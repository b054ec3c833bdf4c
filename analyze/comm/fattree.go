package comm

import "fmt"

// fatTree is a k-ary n-tree, n its height.
type fatTree struct {
	procs, arity, height int
	switches             int // of a level: arity^(height-1)
}

// FatTree is a k-ary n-tree of the least height that has enough processors. k is its arity, at
// least 2. It has n levels of k^(n-1) switches. Each switch has k links up and k down, so that
// every level can carry all that the level below sends.
//
// Digits are those of numbers to base k; digit 0 is the lowest. Processor p is at switch p/k of
// level 0. Switch w of level i is linked to the switches of level i+1 whose numbers differ from w
// at most in digit i.
//
// A message climbs to the lowest level that has switches above both ends. At level i it takes the
// switch whose digit i is that of the receiver's switch (d-mod-k routing). It descends the only
// possible way.
func FatTree(procs, arity int) Topology {
	t := fatTree{procs: procs, arity: arity, height: 1, switches: 1}
	for t.switches*arity < procs {
		t.switches *= arity
		t.height++
	}
	return t
}

func (t fatTree) Name() string { return fmt.Sprintf("fattree %d-ary", t.arity) }
func (t fatTree) Procs() int   { return t.procs }

// Links: two of each processor, then two of each switch and upward port.
func (t fatTree) Links() int64 {
	return 2*int64(t.procs) + 2*int64(t.height-1)*int64(t.switches)*int64(t.arity)
}

// Bisection: every half can send all that its processors can send.
func (t fatTree) Bisection() int64 { return 2 * int64(t.procs/2) }

// between is the link between a switch and one of the level above, by digit.
func (t fatTree) between(level, number, digit int, downward bool) Link {
	l := 2 * (Link(t.procs) + (Link(level)*Link(t.switches)+Link(number))*Link(t.arity) + Link(digit))
	if downward {
		l++
	}
	return l
}

func (t fatTree) Ends(l Link) (from, to int, ok bool) {
	if l < 0 || int64(l) >= t.Links() {
		return 0, 0, false
	}
	at := int(l / 2)
	if at < t.procs {
		from, to = at, t.procs+at/t.arity
	} else {
		at -= t.procs
		digit, level, number := at%t.arity, at/t.arity/t.switches, at/t.arity%t.switches
		from = t.procs + level*t.switches + number
		to = t.procs + (level+1)*t.switches + t.with(number, level, digit)
	}
	if l%2 == 1 {
		from, to = to, from
	}
	return from, to, true
}

// digit is the i-th of a number.
func (t fatTree) digit(number, i int) int {
	for range i {
		number /= t.arity
	}
	return number % t.arity
}

// with is a number with another i-th digit.
func (t fatTree) with(number, i, digit int) int {
	unit := 1
	for range i {
		unit *= t.arity
	}
	return number + (digit-number/unit%t.arity)*unit
}

func (t fatTree) Route(from, to int, into []Link) []Link {
	if from == to {
		return into
	}
	into = append(into, Link(2*from))
	at, end, top := from/t.arity, to/t.arity, 0
	for a, b := at, end; a != b; top++ {
		a, b = a/t.arity, b/t.arity
	}
	for level := range top {
		digit := t.digit(to, level)
		into = append(into, t.between(level, at, digit, false))
		at = t.with(at, level, digit)
	}
	for level := top - 1; level >= 0; level-- {
		digit := t.digit(at, level)
		at = t.with(at, level, t.digit(end, level))
		into = append(into, t.between(level, at, digit, true))
	}
	return append(into, Link(2*to+1))
}
