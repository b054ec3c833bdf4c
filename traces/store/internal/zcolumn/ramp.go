package zcolumn

// A ramp is a column of four-byte numbers that never fall, such as the offsets of lists: no number comes twice, so that there are no runs
// to find. But three of the four bytes of a number are nearly always known:
//
//   - the three high bytes are those of the number before, or
//   - where the steps repeat with a period, a number is that of some periods before plus a multiple of 256. So its low byte and
//     the two highest are known. The other one is a literal, which changes slowly, so that short blocks have few different ones.

const (
	rampWidth   = 4
	rampBlock   = 512 // rows of a block of a ramp with a period
	periodRows  = 512 // on which a period is tested
	mostPeriods = 64  // that are tested
)

// AppendRamp is Append for a column of four-byte numbers that never fall.
func (e *Encoder) AppendRamp(dst, column []byte, width int) ([]byte, bool) {
	if width != rampWidth || len(column) > maxInput || len(column)%width != 0 || !rises(column) {
		return dst, false
	}
	period, rows := period(column)*rampWidth, blockSize/rampWidth
	if period > 0 {
		rows = rampBlock
	}
	recent := distances{}
	return e.appendBlocks(dst, column, width, rows, &recent, func(from, to int) {
		recent.ramp(e.block, column, from*width, to*width, period)
	}), true
}

// rises reports whether no number is less than the one before.
func rises(column []byte) bool {
	last := uint32(0)
	for i := 0; i < len(column); i += rampWidth {
		v := rampAt(column, i)
		if v < last {
			return false
		}
		last = v
	}
	return true
}

func rampAt(column []byte, i int) uint32 {
	return uint32(column[i]) | uint32(column[i+1])<<8 | uint32(column[i+2])<<16 | uint32(column[i+3])<<24
}

// period returns the number of rows after which the low bytes repeat, in the middle of the column; 0 if there is none.
func period(column []byte) int {
	n := len(column) / rampWidth
	low := func(i int) byte { return column[i*rampWidth] }
	at := n / 2
	if n < 2*periodRows {
		return 0
	}
	tested := 0
	for d := 1; d < at && tested < mostPeriods; d++ {
		if low(at-d) != low(at) || low(at-d+1) != low(at+1) || low(at-d+2) != low(at+2) {
			continue
		}
		tested++
		same := 0
		for i := at; i < at+periodRows; i++ {
			if low(i) == low(i-d) {
				same++
			}
		}
		if same > periodRows*7/8 {
			return d
		}
	}
	return 0
}

// ramp fills b with bytes from to end of a column. far is the distance of a period, or 0.
func (d *distances) ramp(b *block, column []byte, from, end, far int) {
	next := from // first byte not yet in b
	same := func(at, distance int) int {
		if distance == 0 || at < distance {
			return 0
		}
		n := 0
		for at+n < end && column[at+n] == column[at+n-distance] {
			n++
		}
		return n
	}
	for at := from; at < end; {
		distance, n := far, same(at, far)
		if n < minMatch && (far == 0 || at < far || same(at+1, far) < minMatch) {
			distance, n = rampWidth, same(at, rampWidth)
		}
		if n < minMatch {
			at++
			continue
		}
		b.literals = append(b.literals, column[next:at]...)
		d.match(b, at-next, distance, n)
		at += n
		next = at
	}
	b.literals = append(b.literals, column[next:end]...)
}
