package cache

import "math/bits"

// sweep serves requests of a level that nothing below can change, and leaves in below what it asks of the next one.
func (l *level) sweep(b *batch, from, to int, below *batch) {
	if l.aged != nil {
		l.sweepAged(b, from, to, below)
		return
	}
	l.classes.begin(b, from, to)
	for from < to {
		used, n := l.array.use(b.keys[from:to], l.out[:])
		if l.classes != nil {
			l.classes.causes(b.keys[from:from+used], l.out[:n], &l.Counts)
		}
		l.below(b.keys[from:from+used], b.info[from:from+used], l.out[:n], b.crossed, below)
		from += used
	}
}

// sweepAged is sweep of lines whose ages are known.
func (l *level) sweepAged(b *batch, from, to int, below *batch) {
	places := l.aged.placesOf(b, from, to)
	for from < to {
		used, n := l.aged.use(b.keys[from:to], places, l.out[:], &l.Counts)
		if below.placed && l.next != nil {
			l.aged.hand(places, l.out[:n], below)
		}
		l.below(b.keys[from:from+used], b.info[from:from+used], l.out[:n], b.crossed, below)
		from, places = from+used, places[used:]
	}
}

// below counts misses and what they replace, and puts into the batch what the next level is asked for: the lines that missed, and
// behind each the dirty one that left for it. Crossed says whether any reference uses several lines.
func (l *level) below(keys []key, info []uint32, out []miss, crossed bool, to *batch) {
	if crossed {
		l.countSplit(keys, info, out)
	}
	var missed [ops]uint64
	if l.next == nil {
		missed = l.countMisses(keys, info, out)
	} else {
		asked, why := to.room(2 * len(out))
		var n int
		missed, n = l.askFor(keys, info, out, asked, why)
		rescale(asked[:n], l.shift, l.next.shift)
		to.add(l.next, n)
		for o := range ops {
			l.next.Uses[o] += missed[o]
		}
	}
	l.countEvictions(out, total(missed))
	for o := range ops {
		l.Misses[o] += missed[o]
	}
}

// countMisses counts misses, and the dirty lines that they replace. It returns those of each operation.
func (l *level) countMisses(keys []key, info []uint32, out []miss) (missed [ops]uint64) {
	info = info[:len(keys)]
	var sums, written uint64
	for i := range out {
		m := &out[i]
		what := info[m.at]
		if keys[m.at] >= back {
			l.Passed += 1 << (what & 63)
			continue
		}
		sums += oneOf(what)
		written += m.victim & 1
	}
	l.Writebacks += written
	return byOp(sums)
}

// oneOf is one miss by operation, missedBits each: in memory one sum would wait for the other.
func oneOf(info uint32) uint64 { return 1 << (info & infoOp * missedBits & 63) }

// byOp is a sum of oneOf, of missRoom misses at most.
func byOp(sums uint64) (missed [ops]uint64) {
	for o := range missed {
		missed[o] = sums >> (o * missedBits) & (1<<missedBits - 1)
	}
	return missed
}

const missedBits = 16 // of a sum up to missRoom

// countEvictions counts the lines that misses replace, of which so many bring lines: all of them once the level is full.
func (l *level) countEvictions(out []miss, bring uint64) {
	if total(l.Misses)-l.Evictions == uint64(l.description.Sets*l.description.Ways) {
		l.Evictions += bring
		return
	}
	for i := range out {
		_, there := bits.Sub64(out[i].victim, empty, 0) // 1 unless it is empty
		l.Evictions += there
	}
}

// countSplit counts misses beyond the first of their reference.
func (l *level) countSplit(keys []key, info []uint32, out []miss) {
	for i := range out {
		at := out[i].at
		if keys[at] >= back {
			continue
		}
		use := info[at]>>infoShift + 1
		if use == l.lastUse {
			l.Split++
		}
		l.lastUse = use
	}
}

// askFor writes what misses ask of the next level, and why, which of a line that is written back is log2 of its bytes. It returns how
// many of them bring lines, by operation, and how much is asked for.
func (l *level) askFor(keys []key, info []uint32, out []miss, asked []key, why []uint32) (missed [ops]uint64, n int) {
	info, why = info[:len(keys)], why[:len(asked)]
	size := uint32(l.shift)
	var sums uint64
	for i := range out {
		m := &out[i]
		k, what := keys[m.at], info[m.at]
		if k >= back { // it stays dirty, and replaces nothing
			l.Passed += 1 << (what & 63)
			asked[n], why[n] = k, what
			n++
			continue
		}
		sums += oneOf(what)
		asked[n], why[n] = k&^1, what
		n++
		asked[n], why[n] = m.victim|back, size
		n += int(m.victim & 1)
	}
	l.Writebacks += uint64(n - len(out))
	return byOp(sums), n
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
