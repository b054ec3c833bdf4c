package store

import "spoor/traces/store/zcolumn"

// sampleRows is how many elements of a long buffer of a trace decide between the compressors.
const sampleRows = 1 << 14

// compressor appends a column, or declines.
type compressor func(e *zcolumn.Encoder, dst, column []byte, width int) ([]byte, bool)

// candidate is a compressor of columns of traces.
type candidate struct {
	append     compressor
	goodRatio  int // a ratio at which trying the general one is a waste of time
	maxPercent int // percent of the size that the general one makes of a sample
}

var traceCandidates = []candidate{
	{(*zcolumn.Encoder).Append, 32, 100},
	{(*zcolumn.Encoder).AppendWide, 12, 90}, // which gains less from what lies between
}

// compress appends b by the compressor that makes less of it, or of a sample: then no other sees the rest.
func (e *encoder) compress(dst, b []byte, width int) []byte {
	if e.candidates == nil {
		return e.compressTable(dst, b, width)
	}
	sample := e.sampled(b, width)
	whole := len(sample) == len(b)
	general := 0 // what the other makes of the sample, once that is known
	for _, w := range e.candidates {
		most := w.maxPercent
		if whole {
			most = 100
		}
		var ok bool
		if e.special, ok = w.append(e.few, e.special[:0], sample, width); !ok {
			continue
		}
		if size := len(e.special); size*w.goodRatio > len(sample) {
			if general == 0 {
				general = e.generalSize(sample)
			}
			if size*100 > general*most {
				continue
			}
		}
		if whole {
			return append(dst, e.special...)
		}
		if out, ok := w.append(e.few, dst, b, width); ok {
			return out
		}
	}
	if general > 0 && whole {
		return append(dst, e.general...)
	}
	return e.z.EncodeAll(b, dst)
}

// compressTable is compress for tables, which are to be written in little time. Their numbers of eight bytes are mostly sorted, or of
// a small range and in no order; of others there are few, but for texts.
func (e *encoder) compressTable(dst, b []byte, width int) []byte {
	if len(b) < smallBuffer {
		return e.z.EncodeAll(b, dst)
	}
	if out, ok := e.few.AppendConstant(dst, b, width); ok {
		return out
	}
	sample := e.sampled(b, width)
	special, size := e.compressNumbers(sample, width)
	if special != nil && (size*goodTableRatio <= len(sample) || size <= e.generalSize(sample)) {
		if out, ok := special(e.few, dst, b, width); ok {
			return out
		}
	}
	return e.z.EncodeAll(b, dst)
}

// compressNumbers is the special compressor that makes less of a sample of numbers of eight bytes, if it is one, and the size.
func (e *encoder) compressNumbers(sample []byte, width int) (special compressor, size int) {
	var ok bool
	if e.special, ok = e.few.AppendWide(e.special[:0], sample, width); !ok {
		return nil, 0
	}
	wide := len(e.special)
	e.special, _ = e.few.AppendLow(e.special[:0], sample, width)
	if low := len(e.special); low*100 < wide*lowGain {
		return (*zcolumn.Encoder).AppendLow, low
	}
	return (*zcolumn.Encoder).AppendWide, wide
}

// generalSize is what the general compressor makes of a sample.
func (e *encoder) generalSize(sample []byte) int {
	e.general = e.z.EncodeAll(sample, e.general[:0])
	return len(e.general)
}

const (
	// smallBuffer is the bytes that the general compressor takes for less time than it takes to find out which does best.
	smallBuffer = 1 << 12
	// goodTableRatio is way.clear for tables: lower, for the general compressor takes half as long again as the others.
	goodTableRatio = 4
	// lowGain is what percent of the size by AppendWide that by AppendLow must be: a sample does not show all runs that repeat.
	lowGain = 95
)

// sampled is b, or pieces of it if it is long: one from the middle, or more at equal distances from its beginning to its end.
func (e *encoder) sampled(b []byte, width int) []byte {
	rows := len(b) / width
	if rows <= 2*e.sampleRows { // to see fewer twice would not pay
		return b
	}
	if e.pieces == 1 {
		return b[(rows-e.sampleRows)/2*width:][:e.sampleRows*width]
	}
	piece := e.sampleRows / e.pieces
	e.sample = e.sample[:0]
	for i := range e.pieces {
		from := i * (rows - piece) / (e.pieces - 1) * width
		e.sample = append(e.sample, b[from:from+piece*width]...)
	}
	return e.sample
}
