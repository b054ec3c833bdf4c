package rewrite

import "fmt"

// carry is what the local count of recording code may hold at a place of the text:
// the instructions of blocks without words, which the next word takes with it. The
// blocks form a graph, because loops lead back: what comes before a place is known
// when the function is.
type carry struct {
	block *block // adds to the count here, or nil
	from  []*carry
}

// most is the most that the count may hold, and whether that is so at all: it is
// not if the count may grow in a loop.
func (c *carry) most(f *frame) (n int, bounded bool) {
	reachable := map[*carry]bool{}
	c.reach(reachable)
	bounded = true
	for r := range reachable {
		if r.block == nil || f.counts(r.block) == 0 {
			continue
		}
		n += f.counts(r.block)
		bounded = bounded && r.block.trips == "" && !r.repeats()
	}
	return n, bounded
}

// reach adds c and what comes before it.
func (c *carry) reach(seen map[*carry]bool) {
	if c == nil || seen[c] {
		return
	}
	seen[c] = true
	for _, p := range c.from {
		p.reach(seen)
	}
}

// repeats reports whether c comes before itself.
func (c *carry) repeats() bool {
	before := map[*carry]bool{}
	for _, p := range c.from {
		p.reach(before)
	}
	return before[c]
}

// both is the carry where control comes from two places.
func both(a, b *carry) *carry {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	}
	return &carry{from: []*carry{a, b}}
}

// loopHead is the place where control comes from before a loop and from the loop.
type loopHead struct {
	text  string // what comes before the loop
	carry *carry
	entry *carry
	sites int // that were known before the loop
	words bool
	// unloads says that the count is written before the loop, so that the loop,
	// which adds nothing to it, need not look.
	unloads bool
}

// enter starts a loop where the cursor is.
func (f *frame) enter() *loopHead {
	h := &loopHead{entry: f.carry, sites: f.result.Sites}
	h.carry = &carry{from: []*carry{f.carry}}
	f.cursor = cursor{closed: f.closed, carry: h.carry}
	f.heads = append(f.heads, h)
	h.text = f.late(func() string {
		if h.unloads {
			return f.unloadText(0)
		}
		return ""
	})
	return h
}

// afterLoop ends a loop whose body ends where the cursor is and begins with block
// b. A loop that records is not counted before it runs.
func (f *frame) afterLoop(h *loopHead, t *target, b *block) {
	end := join(f.cursor, t.again)
	h.carry.from = append(h.carry.from, end.carry)
	if h.words = f.result.Sites > h.sites; h.words && f.Mode == Trace {
		b.trips = ""
	}
	f.cursor = cursor{closed: t.closed && f.Mode == Trace, carry: both(h.carry, t.exit.carry)}
}

// settleHeads decides where counts are written before loops, inner loops first.
func (f *frame) settleHeads() {
	for i := len(f.heads) - 1; i >= 0; i-- {
		h := f.heads[i]
		whole := h.carry.from
		h.carry.from = whole[1:]
		inside, _ := h.carry.most(f)
		before, _ := h.entry.most(f)
		h.unloads = f.Mode == Trace && h.words && inside == 0 && before > 0
		f.uses.cursor = f.uses.cursor || h.unloads
		if !h.unloads {
			h.carry.from = whole
		}
	}
}

// unloading is a place where the count is written on the tape.
type unloading struct {
	*carry
	closed bool // the cursor
}

// unload writes the count on the tape, as instructions without a reference.
func (f *frame) unload() string {
	u, pending := unloading{f.carry, f.closed}, f.pending
	f.carry = nil
	if f.Mode != Trace || u.carry == nil {
		return ""
	}
	f.unloadings = append(f.unloadings, u)
	return f.late(func() string {
		n, _ := u.most(f)
		switch {
		case n == 0:
			return ""
		case u.closed:
			return fmt.Sprintf("if %s != 0 { %s.Work(%s); %s = 0 }; ", f.name.n, f.name.t, f.name.n, f.name.n)
		}
		return f.unloadText(pending)
	})
}

// unloadText writes the count behind so many pending words.
func (f *frame) unloadText(pending int) string {
	return fmt.Sprintf("if %s != 0 { %s; %s.Work(%s, %s, %s); %s += %d; %s = 0 }; ",
		f.name.n, f.checkText(pending), f.name.hooks, f.name.base, f.offset(pending), f.name.n, f.name.off, wordBytes, f.name.n)
}

// carried is what a word has besides its kind: its share of its block, and the
// count. Before is what must come before the word, after what must come after it.
func (f *frame) carried(c *carry, b *block, i, pending int) (before, with, after string) {
	if n := b.share(i); n > 0 {
		with = fmt.Sprintf("+%d*%s.I", n, f.name.tape)
	}
	switch n, bounded := c.most(f); {
	case n == 0:
	case bounded && n <= maxCarry:
		with += fmt.Sprintf("+%s*%s.I", f.name.n, f.name.tape)
		after = f.name.n + " = 0; "
	default:
		before = f.unloadText(pending)
	}
	return before, with, after
}
