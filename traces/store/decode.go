package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/klauspost/compress/zstd"

	"spoor/traces/store/internal/arrowmeta"
)

// decoder reads the columns of record batch messages. Only one goroutine uses it. The
// field err has the first error in a batch; after an error, reads return nothing.
type decoder struct {
	msg   []byte // the message to which the other fields refer
	z     *zstd.Decoder
	nodes []node
	spans []span
	body  []byte
	rows  int
	err   error

	scratch []uint64 // see scratch

	archive *unarchiver // if one was needed
}

func newDecoder() *decoder {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return &decoder{z: z}
}

// open starts a complete message with a correct digest. The argument meta is the length of
// its metadata, including the prefix.
func (d *decoder) open(msg []byte, meta int) error {
	d.nodes, d.spans, d.err = d.nodes[:0], d.spans[:0], nil
	m, err := parseMessage(msg[prefixSize:meta], arrowmeta.FbRecordBatch)
	if err != nil {
		return err
	}
	d.body = msg[meta:]
	if m.body != int64(len(d.body)) {
		return errors.New("the lengths of its body disagree")
	}
	rows := m.header.I64(0)
	compression, ok := m.header.Sub(3)
	if !ok || compression.U8(0) != arrowmeta.FbZstd || compression.U8(1) != 0 || rows < 0 || rows > batchRows {
		return arrowmeta.ErrFlat
	}
	d.rows = int(rows)
	pos, n := m.header.Vector(1, 16)
	for i := range n {
		d.nodes = append(d.nodes, node{int(m.f.I64(pos + 16*i)), int(m.f.I64(pos + 16*i + 8))})
	}
	pos, n = m.header.Vector(2, 16)
	for i := range n {
		d.spans = append(d.spans, span{m.f.I64(pos + 16*i), m.f.I64(pos + 16*i + 8)})
	}
	if m.f.Bad {
		return arrowmeta.ErrFlat
	}
	return nil
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

// node returns the length and the number of nulls of the next column.
func (d *decoder) node() (length, nulls int) {
	if len(d.nodes) == 0 {
		d.fail("it has too few columns")
		return 0, 0
	}
	n := d.nodes[0]
	d.nodes = d.nodes[1:]
	return n.length, n.nulls
}

func (d *decoder) span() span {
	if len(d.spans) == 0 {
		d.fail("it has too few buffers")
		return span{}
	}
	s := d.spans[0]
	d.spans = d.spans[1:]
	return s
}

// skipValidity skips the bitmap of a column without nulls, which must be empty.
func (d *decoder) skipValidity() {
	if d.span().length != 0 {
		d.fail("a column that cannot be null has a validity bitmap")
	}
}

// noNulls reads everything before the values of a column of n rows without nulls.
func (d *decoder) noNulls(n int) {
	if length, nulls := d.node(); length != n || nulls != 0 {
		d.fail("a column has %d values and %d nulls in a batch of %d rows", length, nulls, n)
	}
	d.skipValidity()
}

// buffer fills dst from the next buffer, which must have exactly its length.
func (d *decoder) buffer(dst []byte) { d.unpack(dst, d.packed()) }

// packed returns the next buffer as it is stored: empty, or its length and its contents.
func (d *decoder) packed() []byte {
	s := d.span()
	size := int64(len(d.body))
	if d.err != nil || s.length == 0 {
		return nil
	}
	if s.offset < 0 || s.length < 8 || s.offset > size || s.length > size-s.offset {
		d.fail("a buffer lies outside its body")
		return nil
	}
	return d.body[s.offset : s.offset+s.length]
}

// unpack fills dst from a buffer as it is stored.
func (d *decoder) unpack(dst, b []byte) {
	if d.err != nil || (len(b) == 0 && len(dst) == 0) {
		return
	}
	if len(b) == 0 {
		d.fail("a buffer has the wrong length")
		return
	}
	plain := binary.LittleEndian.Uint64(b)
	b = b[8:]
	switch {
	case plain == math.MaxUint64 && len(b) == len(dst):
		copy(dst, b)
	case plain == uint64(len(dst)):
		d.decompress(dst, b)
	default:
		d.fail("a buffer has the wrong length")
	}
}

// decodeSlack is the extra capacity, in bytes, that lets the library copy whole words at the
// end of a column.
const decodeSlack = 16

func (d *decoder) decompress(dst, src []byte) {
	out, err := d.z.DecodeAll(src, dst[:0:min(cap(dst), len(dst)+decodeSlack)])
	switch {
	case err != nil:
		d.fail("a buffer does not decompress: %v", err)
	case len(out) != len(dst):
		d.fail("a buffer decompresses to %d bytes instead of %d", len(out), len(dst))
	}
}

// done returns the first error in the batch, after all its columns have been read.
func (d *decoder) done() error {
	if d.err == nil && (len(d.nodes) > 0 || len(d.spans) > 0) {
		d.fail("it has too many columns or buffers")
	}
	return d.err
}
