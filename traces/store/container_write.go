package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"

	"spoor/traces/store/internal/arrowmeta"
)

// batchInfo is the entry of a batch in the footer's index: its first processor, and the sums of its rows. A batch of several
// processors has such an entry for each, too (see partsKey).
type batchInfo struct {
	proc  int32
	rows  uint64
	instr uint64
}

// MarshalJSON returns [processor, rows, instructions].
func (i batchInfo) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "[%d,%d,%d]", i.proc, i.rows, i.instr), nil
}

// UnmarshalJSON reads [processor, rows, instructions].
func (i *batchInfo) UnmarshalJSON(b []byte) error {
	var list []uint64
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	if len(list) != 3 || list[0] >= maxProcs {
		return fmt.Errorf("malformed entry %s", b)
	}
	*i = batchInfo{int32(list[0]), list[1], list[2]}
	return nil
}

// batchBlock is the position of a batch in the file, with its entry in the index.
type batchBlock struct {
	batchInfo
	parts  []batchInfo // of its processors, ascending; nil: one
	offset int64
	meta   int // length of the metadata, prefix included
	body   int64
	digest string
}

// Keys of the footer's metadata, besides digestKey.
const (
	messagesKey = "spoor.messages" // digests of the schema and of each batch
	indexKey    = "spoor.batches"  // [processor, rows, instructions] of each batch
	refsKey     = "spoor.refs"     // in events files: digest of the refs file's footer
)

// maxBatches bounds the size of a footer, because of the limits of FlatBuffers.
const maxBatches = 1 << 22

// container writes the parts of an Arrow file in order.
type container struct {
	w       io.Writer
	pos     int64
	digests []string
	blocks  []batchBlock
}

func (c *container) write(b []byte) error {
	n, err := c.w.Write(b)
	c.pos += int64(n)
	return err
}

// begin writes the magic and a sealed schema message.
func (c *container) begin(msg []byte) error {
	c.digests = append(c.digests, string(msg[digestAt(len(msg)):][:digestSize]))
	return c.write(append([]byte(magic), msg...))
}

// batch writes a sealed record batch message.
func (c *container) batch(msg []byte, meta int, parts ...batchInfo) error {
	if len(c.blocks) == maxBatches {
		return fmt.Errorf("more than %d batches; use fewer processors or more files", maxBatches)
	}
	c.digests = append(c.digests, string(msg[digestAt(meta):][:digestSize]))
	c.blocks = append(c.blocks, batchBlock{batchInfo: sumOf(parts), parts: several(parts), offset: c.pos, meta: meta, body: int64(len(msg) - meta)})
	return c.write(msg)
}

// end writes the end of stream and the footer with schema s, and returns the
// footer's digest, which covers the whole file.
func (c *container) end(s *arrowmeta.Schema, extra ...arrowmeta.Pair) (digest string, err error) {
	footer := c.footer(s, extra)
	at := digestAt(len(footer))
	seal(footer, at)
	b := append(endOfStream[:len(endOfStream):len(endOfStream)], footer...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(footer)))
	return string(footer[at : at+digestSize]), c.write(append(b, magicTail...))
}

func (c *container) footer(s *arrowmeta.Schema, extra []arrowmeta.Pair) []byte {
	b := flatbuffers.NewBuilder(4096 + 256*len(c.blocks))
	pairs := []flatbuffers.UOffsetT{startSealed(b)}
	infos := make([]batchInfo, len(c.blocks))
	for i, block := range c.blocks {
		infos[i] = block.batchInfo
	}
	meta := append([]arrowmeta.Pair{{Key: messagesKey, Value: strings.Join(c.digests, "")}, {Key: indexKey, Value: jsonText(infos)}}, extra...)
	if parts := packParts(c.blocks); parts != "" {
		s = s.With(versionKey, versionOfParts)
		meta = append(meta, arrowmeta.Pair{Key: partsKey, Value: parts})
	}
	for _, p := range meta {
		value := b.CreateString(p.Value)
		pairs = append(pairs, arrowmeta.BuildPair(b, p.Key, value))
	}
	offsets := arrowmeta.BuildOffsets(b, pairs)
	schema := arrowmeta.BuildSchema(b, s)
	b.StartVector(24, 0, 8)
	dictionaries := b.EndVector(0)
	b.StartVector(24, len(c.blocks), 8)
	for i := len(c.blocks) - 1; i >= 0; i-- {
		b.Prep(8, 24)
		b.PrependInt64(c.blocks[i].body)
		b.Pad(4)
		b.PrependInt32(int32(c.blocks[i].meta))
		b.PrependInt64(c.blocks[i].offset)
	}
	batches := b.EndVector(len(c.blocks))
	b.StartObject(5)
	b.PrependUOffsetTSlot(1, schema, 0)
	b.PrependUOffsetTSlot(2, dictionaries, 0)
	b.PrependUOffsetTSlot(3, batches, 0)
	b.PrependUOffsetTSlot(4, offsets, 0)
	b.PrependInt16Slot(0, arrowmeta.FbVersion5, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}
