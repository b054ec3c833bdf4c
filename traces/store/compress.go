package store

import "spoor/traces/store/internal/zcolumn"

// sampleRows is the number of elements of a long buffer of a trace that decide between the compressors.
const sampleRows = 1 << 14

// compressor appends a column, or returns false if it cannot compress it.
type compressor func(e *zcolumn.Encoder, dst, column []byte, width int) ([]byte, bool)

// candidate is a special compressor.
type candidate struct {
	append     compressor
	goodRatio  int // compression ratio at which the general compressor is not tried
	maxPercent int // accepted size of a sample, in percent of the size by the general compressor
}

var traceCandidates = []candidate{
	{(*zcolumn.Encoder).Append, 32, 100},
	{(*zcolumn.Encoder).AppendRamp, 4, 100},     // is as large by the general compressor as it is plain
	{(*zcolumn.Encoder).AppendWide, 12, 90},     // gains less on the rest of a column than on a sample
	{(*zcolumn.Encoder).AppendLiterals, 8, 110}, // random addresses are read in 0.6 of the time
}

// tableCandidates are for tables, which must be written quickly: the general compressor takes half as long again.
var tableCandidates = []candidate{{(*zcolumn.Encoder).AppendConstant, 4, 100}, {(*zcolumn.Encoder).AppendWide, 4, 100}}

// compress appends b with the compressor that makes b smallest, or a sample of b. In the latter case, only that
// compressor processes all of b.
func (e *encoder) compress(dst, b []byte, width int) []byte {
	if len(b) < e.smallBuffer {
		return e.z.EncodeAll(b, dst)
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

// generalSize returns the size of a sample by the general compressor.
func (e *encoder) generalSize(sample []byte) int {
	e.general = e.z.EncodeAll(sample, e.general[:0])
	return len(e.general)
}

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
