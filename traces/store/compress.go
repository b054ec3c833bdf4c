package store

import "spoor/traces/store/internal/zcolumn"

// sampleRows is the number of elements of a long buffer of a trace that decide between the compressors.
const sampleRows = 1 << 14

// compressor appends a column, or returns false if it cannot compress it.
type compressor func(e *zcolumn.Encoder, dst, column []byte, width int) ([]byte, bool)

// candidate is a special compressor for columns of traces.
type candidate struct {
	append     compressor
	goodRatio  int // compression ratio at which the general compressor is not tried
	maxPercent int // accepted size of a sample, in percent of the size by the general compressor
}

var traceCandidates = []candidate{
	{(*zcolumn.Encoder).Append, 32, 100},
	{(*zcolumn.Encoder).AppendWide, 12, 90}, // gains less on the rest of a column than on a sample
}

// compress appends b with the compressor that makes b smallest, or a sample of b. In the latter case, only that
// compressor processes all of b.
func (e *encoder) compress(dst, b []byte, width int) []byte {
	if e.candidates == nil {
		return e.compressTable(dst, b, width)
	}
	sample := e.sampled(b, width)
	whole := len(sample) == len(b)
	general := 0 // size of the sample by the general compressor, once it is known
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

// compressTable is compress for tables, which must be written quickly. Most of their columns are texts, or numbers of
// eight bytes that are sorted or have a small range.
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

// compressNumbers returns the special compressor that makes a sample of numbers of eight bytes smaller, and the size. It
// returns nil for other columns.
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

// generalSize returns the size of a sample by the general compressor.
func (e *encoder) generalSize(sample []byte) int {
	e.general = e.z.EncodeAll(sample, e.general[:0])
	return len(e.general)
}

const (
	// smallBuffer is the size in bytes up to which the general compressor takes less time than the choice.
	smallBuffer = 1 << 12
	// goodTableRatio is way.clear for tables: lower, for the general compressor takes half as long again as the others.
	goodTableRatio = 4
	// lowGain is the size by AppendLow at which it is chosen, in percent of the size by AppendWide: a sample does not show
	// all repeated runs.
	lowGain = 95
)

// sampled returns b, or a sample if b is long: one piece from the middle, or several pieces at equal distances.
func (e *encoder) sampled(b []byte, width int) []byte {
	rows := len(b) / width
	if rows <= 2*e.sampleRows { // compressing a sample first would take too long
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
