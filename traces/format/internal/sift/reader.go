package sift

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// The options of a header.
const (
	siftZlib     = 1 // the data after the header is compressed
	siftPhysical = 8 // some records map logical to physical addresses
	siftOptions  = 15
)

// siftHeaderSize is the size of the fixed part of the header: magic (4), size of the
// extension (4), options (8).
const siftHeaderSize = 16

// siftReader reads records of all types.
type siftReader struct {
	file    string
	in      *input.InputReader
	z       *bufio.Reader // of the zlib stream, or nil
	r       *bufio.Reader // of records
	options uint64
	extra   uint32 // bytes in the extension of the header
	number  int64  // of the latest record, from 0; at the end, the number of records
	offset  int64  // start of the record, in the decompressed data
	after   int64  // end of the record
	ended   bool
	data    [siftCacheOnlySize]byte
}

// siftRecord is a record; its data is valid until the next one.
type siftRecord struct {
	instruction bool
	extended    bool
	branch      bool
	addresses   int    // number of addresses of an instruction
	kind        uint8  // type of another record
	data        []byte // of CacheOnly
}

// openSift reads the header.
func openSift(in *input.Input) (*siftReader, error) {
	head, err := in.Head()
	if err != nil {
		return nil, err
	}
	r := &siftReader{file: in.Name}
	switch {
	case len(head) == 0:
		return nil, r.fail(in.Emptiness()+": no header and no records", "")
	case !bytes.HasPrefix(head, siftMagic):
		return nil, r.fail("the magic is not SIFT: the file begins with "+input.Quote(head[:min(len(head), len(siftMagic))]), "")
	case len(head) < siftHeaderSize:
		return nil, r.fail(fmt.Sprintf("the header is truncated: %d bytes of %d", len(head), siftHeaderSize), "")
	}
	r.extra, r.options = binary.LittleEndian.Uint32(head[4:]), binary.LittleEndian.Uint64(head[8:])
	in.Skip(siftHeaderSize)
	r.in = in.Reader()
	if n, err := io.CopyN(io.Discard, r.in, int64(r.extra)); err != nil {
		r.close()
		return nil, r.cut(err, "header", siftHeaderSize+n, siftHeaderSize+int64(r.extra))
	}
	r.after = siftHeaderSize + int64(r.extra)
	r.number = -1
	var records io.Reader = r.in
	if r.options&siftZlib != 0 {
		r.z = bufio.NewReader(r.in)
		z, err := zlib.NewReader(r.z)
		if err != nil {
			r.close()
			return nil, r.cut(err, "zlib stream", 0, math.MaxInt64)
		}
		records = z
	}
	r.r = bufio.NewReader(records)
	return r, nil
}

func (r *siftReader) close() { r.in.Stop() }

// fail returns an error at the current record, with a reason and advice.
func (r *siftReader) fail(reason, advice string) error {
	if advice != "" {
		reason += "; " + advice
	}
	return &trace.SyntaxError{File: r.file, Record: max(0, r.number), Offset: r.offset, Msg: reason}
}

// cut returns the error for a part that ends with err after n bytes of size.
func (r *siftReader) cut(err error, what string, n, size int64) error {
	var corrupt flate.CorruptInputError
	switch {
	case r.in.Failed != nil:
		return r.in.Failed
	case errors.Is(err, zlib.ErrHeader), errors.Is(err, zlib.ErrChecksum), errors.Is(err, zlib.ErrDictionary), errors.As(err, &corrupt):
		return r.fail("damaged zlib stream: "+err.Error(), "copy the trace again")
	case size == math.MaxInt64:
		return r.fail("the "+what+" is truncated", "make or copy the trace again")
	}
	return r.fail(fmt.Sprintf("the %s is truncated: %d bytes of %d", what, n, size), "make or copy the trace again")
}

// next reads a record; the error is io.EOF at the end of the file.
func (r *siftReader) next() (rec siftRecord, err error) {
	r.number++
	r.offset = r.after
	first, err := r.r.ReadByte()
	switch {
	case err == io.EOF && r.in.Failed == nil:
		return rec, r.atEnd()
	case err != nil:
		return rec, r.cut(err, "zlib stream", 0, math.MaxInt64)
	case r.ended:
		return rec, r.fail("data after the End record", "check whether the file is two joined files")
	}
	r.after++
	if first == 0 {
		return r.other()
	}
	rec.instruction = true
	flags := first >> 4 // number of addresses (2 bits), branch, taken
	skip := int64(0)
	if first&15 == 0 {
		rec.extended = true
		if err := r.read(1, 1+1+8); err != nil {
			return rec, err
		}
		flags, skip = r.data[0], 8
	}
	rec.addresses, rec.branch = int(flags&3), flags&4 != 0
	skip += 8 * int64(rec.addresses)
	return rec, r.skip(skip, r.after-r.offset+skip)
}

// atEnd returns io.EOF, or an error if data follows the zlib stream.
func (r *siftReader) atEnd() error {
	if r.z != nil {
		if _, err := r.z.ReadByte(); err == nil {
			return r.fail("data after the end of the zlib stream", "check whether the file is two joined files")
		}
	}
	return io.EOF
}

// other reads the rest of a record that is not an instruction.
func (r *siftReader) other() (rec siftRecord, err error) {
	const header = 1 + 5
	if err := r.read(5, header); err != nil {
		return rec, err
	}
	rec.kind = r.data[0]
	size := int64(binary.LittleEndian.Uint32(r.data[1:]))
	switch {
	case rec.kind == siftCacheOnly && size != siftCacheOnlySize:
		return rec, r.fail(fmt.Sprintf("CacheOnly record has %d bytes, not %d", size, siftCacheOnlySize), "")
	case rec.kind == siftCacheOnly:
		rec.data = r.data[:]
		return rec, r.read(siftCacheOnlySize, header+size)
	}
	r.ended = rec.kind == siftEnd
	return rec, r.skip(size, header+size)
}

// read fills the first n bytes of data; whole is the size of the record.
func (r *siftReader) read(n int, whole int64) error {
	m, err := io.ReadFull(r.r, r.data[:n])
	r.after += int64(m)
	if err != nil {
		return r.cut(err, "record", r.after-r.offset, whole)
	}
	return nil
}

func (r *siftReader) skip(n, whole int64) error {
	m, err := io.CopyN(io.Discard, r.r, n)
	r.after += m
	if err != nil {
		return r.cut(err, "record", r.after-r.offset, whole)
	}
	return nil
}
