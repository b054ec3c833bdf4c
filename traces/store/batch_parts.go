package store

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A batch of events may have rows of several processors, one after the other: those of processors with few rows. The footer says which
// rows are of which processor. For a million processors, that must be small. So it is binary: for each batch of several processors its
// number less that of the previous one and the number of processors; then, for all, the processors less the previous ones, the
// rows, and the instructions. All are varints, compressed by zstd, in base64.

// partsKey is the key of these entries in the footer's metadata. It is absent if each batch has one processor.
const partsKey = "spoor.parts"

// maxParts bounds the memory of an index.
const maxParts = 1 << 24

// sumOf returns the entry of a batch in the index.
func sumOf(parts []batchInfo) (sum batchInfo) {
	sum.proc = parts[0].proc
	for _, p := range parts {
		sum.rows += p.rows
		sum.instr += p.instr
	}
	return sum
}

// several returns parts if there are more than one.
func several(parts []batchInfo) []batchInfo {
	if len(parts) == 1 {
		return nil
	}
	return parts
}

// each returns the entries of the processors of b.
func (b *batchBlock) each() []batchInfo {
	if b.parts == nil {
		return []batchInfo{b.batchInfo}
	}
	return b.parts
}

// packParts returns the entries of all batches of several processors, or "".
func packParts(blocks []batchBlock) string {
	var columns [4][]byte
	last := 0
	put := func(column int, v uint64) { columns[column] = binary.AppendUvarint(columns[column], v) }
	for i := range blocks {
		parts := blocks[i].parts
		if parts == nil {
			continue
		}
		put(0, uint64(i-last))
		put(0, uint64(len(parts)))
		last = i
		before := int32(-1)
		for _, p := range parts {
			put(1, uint64(p.proc-before))
			put(2, p.rows)
			put(3, p.instr)
			before = p.proc
		}
	}
	if len(columns[0]) == 0 {
		return ""
	}
	var all []byte
	for _, c := range columns {
		all = append(binary.AppendUvarint(all, uint64(len(c))), c...)
	}
	return base64.RawStdEncoding.EncodeToString(partsEncoder().EncodeAll(all, nil))
}

var partsEncoder = sync.OnceValue(func() *zstd.Encoder {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
	if err != nil {
		panic(err) // the options are constants
	}
	return z
})

var errParts = errors.New("its footer has a malformed " + partsKey)

// unpackParts sets the entries of batches of several processors.
func unpackParts(text string, blocks []batchBlock) error {
	packed, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return errParts
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(32*maxParts))
	if err != nil {
		return err
	}
	defer z.Close()
	all, err := z.DecodeAll(packed, nil)
	if err != nil {
		return errParts
	}
	r := partsReader{}
	for i := range r.columns {
		n, used := binary.Uvarint(all)
		if used <= 0 || n > uint64(len(all)-used) {
			return errParts
		}
		r.columns[i], all = all[used:used+int(n)], all[used+int(n):]
	}
	return r.read(blocks)
}

// partsReader reads the columns of parts.
type partsReader struct {
	columns [4][]byte
	count   int
	bad     bool
}

func (r *partsReader) next(column int) uint64 {
	v, n := binary.Uvarint(r.columns[column])
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.columns[column] = r.columns[column][n:]
	return v
}

func (r *partsReader) read(blocks []batchBlock) error {
	for at := uint64(0); len(r.columns[0]) > 0; {
		at += r.next(0)
		n := r.next(0)
		if r.bad || at >= uint64(len(blocks)) || n < 2 || n > blocks[at].rows || n > maxParts-uint64(r.count) {
			return errParts
		}
		r.count += int(n)
		parts, err := r.parts(int(n))
		if err != nil {
			return err
		}
		if blocks[at].parts != nil || sumOf(parts) != blocks[at].batchInfo {
			return fmt.Errorf("its footer's index and %s disagree about batch %d", partsKey, at)
		}
		blocks[at].parts = parts
	}
	for _, c := range r.columns {
		if len(c) > 0 {
			return errParts
		}
	}
	return nil
}

// parts reads the entries of one batch.
func (r *partsReader) parts(n int) (parts []batchInfo, err error) {
	proc := int64(-1)
	for range n {
		step, rows, instr := r.next(1), r.next(2), r.next(3)
		if r.bad || step < 1 || step > maxProcs || rows < 1 || rows > batchRows {
			return nil, errParts
		}
		if proc += int64(step); proc >= maxProcs {
			return nil, errParts
		}
		parts = append(parts, batchInfo{int32(proc), rows, instr})
	}
	return parts, nil
}
