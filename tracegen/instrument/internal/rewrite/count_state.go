package rewrite

import "fmt"

// countState describes the possible value of the local counter at a point of the code. The counter holds the
// instructions of blocks without words; the next word carries them. The states form a graph with cycles, because of
// loops. Therefore the states before a point are known only at the end of the function.
type countState struct {
	block *block // is added to the counter here, or nil
	from  []*countState
}

// maxCount returns the maximum of the counter, and whether there is one. There is none if the counter may grow in a
// loop.
func (c *countState) maxCount(f *frame) (n int, bounded bool) {
	reachable := map[*countState]bool{}
	c.reach(reachable)
	bounded = true
	for r := range reachable {
		if r.block == nil || f.counts(r.block) == 0 {
			continue
		}
		n += f.counts(r.block)
		bounded = bounded && r.block.trips == "" && !r.inCycle()
	}
	return n, bounded
}

// reach adds c and all states before it.
func (c *countState) reach(seen map[*countState]bool) {
	if c == nil || seen[c] {
		return
	}
	seen[c] = true
	for _, p := range c.from {
		p.reach(seen)
	}
}

// inCycle reports whether c is before itself.
func (c *countState) inCycle() bool {
	before := map[*countState]bool{}
	for _, p := range c.from {
		p.reach(before)
	}
	return before[c]
}

// mergeCounts returns the state at a point that control reaches from two points.
func mergeCounts(a, b *countState) *countState {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	}
	return &countState{from: []*countState{a, b}}
}

// loopHead is the point that control reaches from before a loop and from the end of its body.
type loopHead struct {
	text  string // code before the loop
	count *countState
	entry *countState
	sites int // number of sites before the loop
	words bool
	// writesCount says that the count is written before the loop. The loop adds nothing to it, so it need not check
	// it.
	writesCount bool
}

// beginLoop starts a loop at the cursor.
func (f *frame) beginLoop() *loopHead {
	h := &loopHead{entry: f.count, sites: f.result.Sites}
	h.count = &countState{from: []*countState{f.count}}
	f.cursor = cursor{closed: f.closed, count: h.count}
	f.heads = append(f.heads, h)
	h.text = f.deferText(func() string {
		if h.writesCount {
			return f.writeCountText(0)
		}
		return ""
	})
	return h
}

// endLoop ends a loop. Its body begins with block b and ends at the cursor. A loop that records is not counted in
// advance.
func (f *frame) endLoop(h *loopHead, t *target, b *block) {
	end := join(f.cursor, t.continueCursor)
	h.count.from = append(h.count.from, end.count)
	if h.words = f.result.Sites > h.sites; h.words && f.Mode == Trace {
		b.trips = ""
	}
	f.cursor = cursor{closed: t.closed && f.Mode == Trace, count: mergeCounts(h.count, t.breakCursor.count)}
}

// decideHeads decides which loops have the count written before them, inner loops first.
func (f *frame) decideHeads() {
	for i := len(f.heads) - 1; i >= 0; i-- {
		h := f.heads[i]
		whole := h.count.from
		h.count.from = whole[1:]
		inside, _ := h.count.maxCount(f)
		before, _ := h.entry.maxCount(f)
		h.writesCount = f.Mode == Trace && h.words && inside == 0 && before > 0
		f.uses.cursor = f.uses.cursor || h.writesCount
		if !h.writesCount {
			h.count.from = whole
		}
	}
}

// countWrite is a point at which the count is written to the tape.
type countWrite struct {
	*countState
	closed bool // state of the cursor
}

// writeCount returns code that writes the count to the tape, as instructions without a reference.
func (f *frame) writeCount() string {
	u, pending := countWrite{f.count, f.closed}, f.pending
	f.count = nil
	if f.Mode != Trace || u.countState == nil {
		return ""
	}
	f.countWrites = append(f.countWrites, u)
	return f.deferText(func() string {
		n, _ := u.maxCount(f)
		switch {
		case n == 0:
			return ""
		case u.closed:
			return fmt.Sprintf("if %s != 0 { %s.Work(%s); %s = 0 }; ", f.name.n, f.name.t, f.name.n, f.name.n)
		}
		return f.writeCountText(pending)
	})
}

// writeCountText returns code that writes the count after the given number of pending words.
func (f *frame) writeCountText(pending int) string {
	return fmt.Sprintf("if %s != 0 { %s; %s.Work(%s, %s, %s); %s += %d; %s = 0 }; ",
		f.name.n, f.checkText(pending), f.name.hooks, f.name.base, f.offset(pending), f.name.n, f.name.off, wordBytes, f.name.n)
}

// wordParts returns what a word carries in addition to its kind: its share of its block, and the count. It also
// returns the code before and after the word.
func (f *frame) wordParts(c *countState, b *block, i, pending int) (before, with, after string) {
	if n := b.share(i); n > 0 {
		with = fmt.Sprintf("+%d*%s.I", n, f.name.tape)
	}
	switch n, bounded := c.maxCount(f); {
	case n == 0:
	case bounded && n <= maxCarry:
		with += fmt.Sprintf("+%s*%s.I", f.name.n, f.name.tape)
		after = f.name.n + " = 0; "
	default:
		before = f.writeCountText(pending)
	}
	return before, with, after
}
