package cache

import "math/bits"

// sweep serves requests of a level that no level below can change. It writes the requests to the
// next level into below.
func (l *level) sweep(b *batch, from, to int, below *batch) {
	if l.classifiedLRU != nil {
		l.sweepClassified(b, from, to, below)
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

// sweepClassified is sweep for a classifiedLRU.
func (l *level) sweepClassified(b *batch, from, to int, below *batch) {
	places := l.classifiedLRU.placesOf(b, from, to)
	for from < to {
		used, n := l.classifiedLRU.use(b.keys[from:to], places, l.out[:], &l.Counts)
		if below.placed && l.next != nil {
			l.classifiedLRU.hand(places, l.out[:n], below)
		}
		l.below(b.keys[from:from+used], b.info[from:from+used], l.out[:n], b.crossed, below)
		from, places = from+used, places[used:]
	}
}

// below counts misses and the lines that they replace. It writes the requests to the next level
// into to: each missed line, followed by the dirty line that it replaced. Set crossed if a
// reference uses several lines.
func (l *level) below(keys []key, info []uint32, out []miss, crossed bool, to *batch) {
	if crossed {
		l.countSplit(keys, info, out)
	}
	var missed [ops]uint64
	if l.next == nil {
		missed = l.countMisses(keys, info, out)
	} else {
		requested, why := to.room(2 * len(out))
		var n int
		missed, n = l.writeRequests(keys, info, out, requested, why)
		rescale(requested[:n], l.shift, l.next.shift)
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

// countMisses counts misses and the dirty lines that they replace. It returns the misses by
// operation.
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

// oneOf encodes one miss by operation, in missedBits bits each. Separate sums in memory would wait
// for each other.
func oneOf(info uint32) uint64 { return 1 << (info & infoOp * missedBits & 63) }

// byOp decodes a sum of at most missRoom values of oneOf.
func byOp(sums uint64) (missed [ops]uint64) {
	for o := range missed {
		missed[o] = sums >> (o * missedBits) & (1<<missedBits - 1)
	}
	return missed
}

const missedBits = 16 // holds a sum of missRoom

// countEvictions counts the lines that misses replace. bring is the number of misses that load
// lines. Once the level is full, all of them replace one.
func (l *level) countEvictions(out []miss, bring uint64) {
	if l.held() == uint64(l.description.Sets*l.description.Ways) {
		l.Evictions += bring
		return
	}
	for i := range out {
		_, there := bits.Sub64(out[i].victim, empty, 0) // 1 unless the victim is empty
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

// writeRequests writes the requests of misses to the next level into requested. why holds their
// info, or log2 of the bytes of a written-back line. It returns the number of misses that load
// lines, by operation, and the number of requests.
func (l *level) writeRequests(keys []key, info []uint32, out []miss, requested []key, why []uint32) (missed [ops]uint64, n int) {
	info, why = info[:len(keys)], why[:len(requested)]
	size := uint32(l.shift)
	var sums uint64
	for i := range out {
		m := &out[i]
		k, what := keys[m.at], info[m.at]
		if k >= back { // it stays dirty and replaces nothing
			l.Passed += 1 << (what & 63)
			requested[n], why[n] = k, what
			n++
			continue
		}
		sums += oneOf(what)
		requested[n], why[n] = k&^1, what
		n++
		requested[n], why[n] = m.victim|back, size
		n += int(m.victim & 1)
	}
	l.Writebacks += uint64(n - len(out))
	return byOp(sums), n
}

// rescale converts keys of lines of 2^from bytes into keys of lines of 2^to bytes, which are not
// shorter.
func rescale(keys []key, from, to uint) {
	if from == to {
		return
	}
	for i, k := range keys {
		keys[i] = k&(back|1) | k&^back>>1<<from>>to<<1
	}
}
