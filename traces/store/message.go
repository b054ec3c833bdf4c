package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"

	"spoor/traces/store/internal/arrowmeta"
	"spoor/traces/store/internal/zcolumn"
)

// An Arrow file begins with magic and ends with magicTail.
const (
	magic     = "ARROW1\x00\x00"
	magicTail = "ARROW1"
)

// endOfStream ends the messages. A file from its byte 8 on is therefore also an Arrow stream.
var endOfStream = []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}

var padding [alignment]byte

const (
	prefixSize = 8       // continuation mark and length of the metadata
	maxMeta    = 1 << 26 // bytes of metadata of one message
	alignment  = 8       // of messages and buffers
)

// node is Arrow's FieldNode: length and number of nulls of a column, or of the child of a list.
type node struct{ length, nulls int }

// span is the position of a buffer in the body of a message.
type span struct{ offset, length int64 }

// encoder converts columns to record batch messages. Only one goroutine uses it.
type encoder struct {
	few         *zcolumn.Encoder // for columns of few different values, and addresses
	candidates  []candidate      // for what it is used, if for anything
	z           *zstd.Encoder    // for all others
	b           *flatbuffers.Builder
	nodes       []node
	spans       []span
	body        []byte
	msg         []byte
	smallBuffer int // bytes up to which z takes less time than the choice
	// A sample of a column, of so many elements in so many pieces, and as both make it.
	sampleRows, pieces       int
	sample, special, general []byte
	// A column of texts as Arrow has it.
	text    []byte
	offsets []int32
	zeros   usualBytes // for columns of zeros
	nones   usualBytes // for columns without peers, tags and so on

	archive *archiver // if one was needed
}

// newEncoder returns an encoder for traces, which are read more often than written.
func newEncoder() *encoder {
	e := newEncoderAt(zstd.SpeedDefault)
	e.candidates = traceCandidates
	return e
}

// tableEncoders is a pool of encoders for tables. An encoder has a hundred times the memory of most tables.
// A frame does not depend on the frames before it.
var tableEncoders = sync.Pool{New: func() any {
	// The window covers all numbers of a batch, like the default window. Clearing the memory of the default window would take
	// as long as writing a large table.
	e := newEncoderWith(zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithWindowSize(8*batchRows), zstd.WithLowerEncoderMem(true))
	// Tables are sorted, so that no part is typical: the sample has several pieces. Tables have tens of thousands of rows
	// instead of millions. Half of this sample would save less time than wrong choices cost. Twice this sample would take a
	// fifth of the time.
	e.candidates, e.smallBuffer, e.sampleRows, e.pieces = tableCandidates, 1<<12, 1<<11, 4
	return e
}}

// newArchiveEncoder returns a slow encoder for small files. Without special compressors, archives of programs would be
// 2 to 14 % smaller, but those of random addresses would take five times as long.
func newArchiveEncoder() *encoder {
	e := newEncoderAt(zstd.SpeedBestCompression)
	e.candidates = traceCandidates[:2]
	return e
}

// newEncoderAt returns an encoder of frames without checksums, because the digest of the
// message covers them. The checksum (xxhash) would take a tenth of the time to write, and a
// quarter of the time to read.
func newEncoderAt(level zstd.EncoderLevel) *encoder {
	return newEncoderWith(zstd.WithEncoderLevel(level))
}

func newEncoderWith(options ...zstd.EOption) *encoder {
	z, err := zstd.NewWriter(nil, append(options, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))...)
	if err != nil {
		panic(err) // the options are constants
	}
	return &encoder{few: zcolumn.NewEncoder(), z: z, b: flatbuffers.NewBuilder(2048), sampleRows: sampleRows, pieces: 1, nones: usualBytes{value: 0xff}}
}

// begin starts a batch; columns follow in the order of the schema.
func (e *encoder) begin() { e.nodes, e.spans, e.body = e.nodes[:0], e.spans[:0], e.body[:0] }

// column adds the node of a column. Its buffers follow, starting with the validity bitmap.
func (e *encoder) column(length, nulls int) {
	e.nodes = append(e.nodes, node{length, nulls})
}

// buffer adds a buffer with elements of the given width. It is compressed unless that would
// make it larger.
func (e *encoder) buffer(b []byte, width int) {
	start := len(e.body)
	if len(b) > 0 {
		e.body = binary.LittleEndian.AppendUint64(e.body, uint64(len(b)))
		e.body = e.compress(e.body, b, width)
		if len(e.body)-start-8 >= len(b) {
			e.body = binary.LittleEndian.AppendUint64(e.body[:start], math.MaxUint64)
			e.body = append(e.body, b...)
		}
	}
	e.spans = append(e.spans, span{int64(start), int64(len(e.body) - start)})
	e.body = append(e.body, padding[:-len(e.body)&(alignment-1)]...)
}

// finish returns the message of the batch, and the length of its metadata including the
// prefix. The message is valid until the next call.
func (e *encoder) finish(rows int) (msg []byte, meta int) {
	digest := startSealed(e.b)
	header := e.recordBatch(rows)
	e.msg = appendMessage(e.msg[:0], e.b, digest, arrowmeta.FbRecordBatch, header, len(e.body))
	meta = len(e.msg)
	e.msg = append(e.msg, e.body...)
	seal(e.msg, digestAt(meta))
	return e.msg, meta
}

func (e *encoder) recordBatch(rows int) flatbuffers.UOffsetT {
	b := e.b
	b.StartObject(2)
	b.PrependInt8Slot(0, arrowmeta.FbZstd, 0)
	compression := b.EndObject()
	b.StartVector(16, len(e.spans), 8)
	for i := len(e.spans) - 1; i >= 0; i-- {
		b.Prep(8, 16)
		b.PrependInt64(e.spans[i].length)
		b.PrependInt64(e.spans[i].offset)
	}
	buffers := b.EndVector(len(e.spans))
	b.StartVector(16, len(e.nodes), 8)
	for i := len(e.nodes) - 1; i >= 0; i-- {
		b.Prep(8, 16)
		b.PrependInt64(int64(e.nodes[i].nulls))
		b.PrependInt64(int64(e.nodes[i].length))
	}
	nodes := b.EndVector(len(e.nodes))
	b.StartObject(5)
	b.PrependInt64Slot(0, int64(rows), 0)
	b.PrependUOffsetTSlot(1, nodes, 0)
	b.PrependUOffsetTSlot(2, buffers, 0)
	b.PrependUOffsetTSlot(3, compression, 0)
	return b.EndObject()
}

// startSealed empties b and builds custom metadata with a digest of zeros, which will be at
// the end of the buffer. The length of the buffer becomes a multiple of eight bytes.
func startSealed(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	b.Reset()
	b.Prep(alignment, 0)
	digest := b.CreateString(zeroDigest)
	return arrowmeta.BuildPair(b, digestKey, digest)
}

// appendMessage completes the Message in b and appends it with its prefix to dst.
func appendMessage(dst []byte, b *flatbuffers.Builder, digest flatbuffers.UOffsetT, tag byte, header flatbuffers.UOffsetT, body int) []byte {
	meta := arrowmeta.BuildOffsets(b, []flatbuffers.UOffsetT{digest})
	b.StartObject(5)
	b.PrependInt64Slot(3, int64(body), 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependUOffsetTSlot(4, meta, 0)
	b.PrependInt16Slot(0, arrowmeta.FbVersion5, 0)
	b.PrependByteSlot(1, tag, 0)
	b.Finish(b.EndObject())
	m := b.FinishedBytes()
	dst = append(dst, endOfStream[:4]...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(m)))
	return append(dst, m...)
}

// schemaMessage returns the sealed message that begins the stream.
func schemaMessage(s *arrowmeta.Schema) []byte {
	b := flatbuffers.NewBuilder(4096)
	digest := startSealed(b)
	header := arrowmeta.BuildSchema(b, s)
	msg := appendMessage(nil, b, digest, arrowmeta.FbSchema, header, 0)
	seal(msg, digestAt(len(msg)))
	return msg
}

// metaSize returns the length of the metadata in the prefix of a message, including the
// prefix.
func metaSize(prefix []byte) (int, error) {
	n := binary.LittleEndian.Uint32(prefix[4:])
	if binary.LittleEndian.Uint32(prefix) != math.MaxUint32 || n == 0 || n > maxMeta || n%alignment != 0 {
		return 0, fmt.Errorf("no message begins there")
	}
	return prefixSize + int(n), nil
}

// message is the checked part of a Message: its header and the size of its body.
type message struct {
	f      *arrowmeta.Flat
	header arrowmeta.FlatTable
	body   int64
}

// parseMessage reads the metadata of a message (without its prefix).
func parseMessage(meta []byte, tag byte) (message, error) {
	f, root := arrowmeta.FlatRoot(meta)
	header, ok := root.Sub(2)
	m := message{f, header, root.I64(3)}
	if f.Bad || !ok || root.U8(1) != tag || root.I16(0) != arrowmeta.FbVersion5 || m.body < 0 {
		return message{}, arrowmeta.ErrFlat
	}
	return m, nil
}
