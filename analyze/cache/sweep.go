package cache

import "math/bits"

// sweep serves requests of a level that nothing below can change, and leaves in below what it asks of the next one.
func (l *level) sweep(b *batch, from, to int, below *batch) {
	noneBack := l.classes.begin(b.keys[from:to])
	for from < to {
		used, n := l.array.use(b.keys[from:to], l.out[:])
		switch {
		case noneBack:
			l.causesOfUses(b.keys[from:from+used], l.out[:n])
		case l.classes != nil:
			l.causes(b.keys[from:from+used], l.out[:n])
		}
		l.below(b.keys[from:from+used], b.info[from:from+used], l.out[:n], below)
		from += used
	}
}

// causesOfUses is causes where no line is written back: the uses up to a miss are counted at once.
func (l *level) causesOfUses(keys []key, out []miss) {
	seen := 0
	for i := range out {
		to := out[i].at + 1
		l.blame(l.classes.miss(to-seen, keys[to-1]>>1))
		seen = to
	}
	l.classes.hits(len(keys) - seen)
}

// causes counts the causes of misses among uses, and lines that are written back.
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
	missed := l.countMisses(keys, info, out)
	if l.next == nil {
		return
	}
	asked, why := to.room(2 * len(out))
	n := askFor(keys, info, out, asked, why, uint32(l.shift))
	for o := range ops {
		l.next.Uses[o] += missed[o]
	}
	rescale(asked[:n], l.shift, l.next.shift)
	to.add(l.next, n)
}

// countMisses counts misses, and the lines that they replace. It returns those of each operation.
func (l *level) countMisses(keys []key, info []uint32, out []miss) (missed [ops]uint64) {
	info = info[:len(keys)]
	var evicted, written, split uint64
	var sums uint64 // of misses by operation, missedBits each: in memory one would wait for the other
	last := l.lastUse
	for i := range out {
		m := &out[i]
		what := info[m.at]
		if keys[m.at] >= back {
			l.Passed += 1 << (what & 63)
			continue
		}
		sums += 1 << (what & infoOp * missedBits & 63)
		use := what>>infoShift + 1
		if use == last {
			split++
		}
		last = use
		_, there := bits.Sub64(m.victim, empty, 0) // 1 unless it is empty
		evicted += there
		written += m.victim & there
	}
	l.lastUse = last
	for o := range missed {
		missed[o] = sums >> (o * missedBits) & (1<<missedBits - 1)
		l.Misses[o] += missed[o]
	}
	l.Evictions += evicted
	l.Writebacks += written
	l.Split += split
	return missed
}

const missedBits = 16 // of a sum up to missRoom

// askFor writes what misses ask of the next level, and why, which of a line that is written back is log2 of its bytes. It returns how
// much that is.
func askFor(keys []key, info []uint32, out []miss, asked []key, why []uint32, size uint32) (n int) {
	info, why = info[:len(keys)], why[:len(asked)]
	for i := range out {
		m := &out[i]
		k, what := keys[m.at], info[m.at]
		_, there := bits.Sub64(m.victim, empty, 0) // 1 unless it is empty
		isBack := k >> 63                          // then it stays dirty, and replaces nothing
		asked[n], why[n] = k&^(1-isBack), what
		n++
		asked[n], why[n] = m.victim|back, size
		n += int(m.victim & there &^ isBack)
	}
	return n
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
