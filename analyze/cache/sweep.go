package cache

import "math/bits"

// sweep serves requests of a level that nothing below can change, and leaves in below what it asks of the next one.
func (l *level) sweep(b *batch, from, to int, below *batch) {
	l.classes.begin(b.keys[from:to])
	for from < to {
		used, n := l.array.use(b.keys[from:to], l.out[:])
		if l.classes != nil {
			l.causes(b.keys[from:from+used], l.out[:n])
		}
		l.below(b.keys[from:from+used], b.info[from:from+used], l.out[:n], below)
		from += used
	}
}

// causes counts the causes of misses among uses.
func (l *level) causes(keys []key, out []miss) {
	hits := 0
	for i, k := range keys {
		missed := len(out) > 0 && out[0].at == i
		if missed {
			out = out[1:]
		}
		switch {
		case k >= back:
		case missed:
			l.blame(l.classes.miss(hits+1, k>>1))
			hits = 0
		default:
			hits++
		}
	}
	l.classes.hits(hits)
}

// below counts misses and what they replace, and puts into the batch what the next level is asked for: the lines that missed, and
// behind each the dirty one that left for it.
func (l *level) below(keys []key, info []uint32, out []miss, to *batch) {
	asked, why := to.room(2 * len(out))
	var missed [ops + 1]uint64
	var evicted, written uint64
	n, last := 0, l.lastUse
	for _, m := range out {
		k, i := keys[m.at], info[m.at]
		asked[n], why[n] = k&^1, i
		n++
		if k >= back {
			asked[n-1] = k
			continue
		}
		missed[i&infoOp]++
		use := i>>infoShift + 1
		if use == last {
			l.Split++
		}
		last = use
		_, there := bits.Sub64(m.victim, empty, 0) // 1 unless it is empty
		dirty := m.victim & there
		evicted += there
		written += dirty
		asked[n], why[n] = m.victim|back, i
		n += int(dirty)
	}
	l.lastUse = last
	for o := range ops {
		l.Misses[o] += missed[o]
	}
	l.Evictions += evicted
	l.Writebacks += written
	if l.next != nil {
		for o := range ops {
			l.next.Uses[o] += missed[o]
		}
		rescale(asked[:n], l.shift, l.next.shift)
		to.add(l.next, n)
	}
}

// rescale turns the keys of lines of 2^from bytes into those of lines of 2^to bytes, which are no shorter.
func rescale(keys []key, from, to uint) {
	if from == to {
		return
	}
	for i, k := range keys {
		keys[i] = k&(back|1) | k&^back>>1<<from>>to<<1
	}
}
