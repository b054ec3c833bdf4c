package objects

import (
	"encoding/binary"
	"fmt"
	"math"

	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// OracleGeneral is libCacheSim's binary trace of object requests: packed little-endian
// records of 24 bytes. A record has a time in seconds (u32), the number of the object
// (u64), its size (u32), and the number of the next request for it (i64, from 1). The
// latter is -1 or the largest number if there is none. The variant opns has 27 bytes,
// with an operation and a namespace (u8, u16) before the last field.
//
// The importer checks that each next request is after its record. It notes if the
// numbers of objects and of records without a next request differ, because they are
// equal in a complete trace.
type OracleGeneral struct{}

var (
	_ format.Importer = OracleGeneral{}
	_ format.Exporter = OracleGeneral{}
)

// Info describes the format.
func (OracleGeneral) Info() format.Info {
	return format.Info{
		Name:  "oracleGeneral",
		Doc:   "libCacheSim: requests for objects with the next request for each, binary",
		Magic: "none; guessed from times that never decrease and next requests after their records",
		Example: `  $ traces import data/sample/tiny.log -o tiny
  $ traces export tiny --to oracleGeneral -o tiny.oracle
  $ traces import tiny.oracle --from oracleGeneral -o back`,
		Parts: []format.Part{{Name: "record", Doc: "packed, little endian: time in seconds (4 bytes), object (8), its size (4), number of the next request for it (8), from 1, or -1"},
			{Name: "operation (opns)", Doc: "1, 2 and 12 load; 9 flush; 0 none; others up to 14 store; 1 byte, then 2 bytes of namespace, both before the last field"}},
		Settings: []format.Setting{settingBlock,
			{Name: "variant", Default: "general", Doc: "when read: general (records of 24 bytes) or opns (27 bytes, with operation and namespace)"},
			{Name: "rate", Default: "1e9", Doc: "when written: instructions per second of the time column"}},
		Loses: "operations, sizes other than a block, instructions below a second, events, instruction fetches and prefetches, all processors except one, pc",
	}
}

const (
	oracleRecord     = 24
	oracleRecordOpNS = 27
	oracleNever      = -1
	oracleSniff      = 64 // records that Sniff checks
)

// Sniff is Likely if the times of the first records do not decrease, and their next
// requests come later and are for the same object. It is Nearly if a next request is
// after the end, or if the last record is incomplete.
func (OracleGeneral) Sniff(head []byte) format.Verdict {
	all := len(head) / oracleRecord
	v := format.Verdict{Confidence: format.Likely, Why: fmt.Sprintf("%d records of 24 bytes with increasing times and next requests for the same object", min(all, oracleSniff))}
	whole := len(head) < input.HeadBytes
	if whole && len(head)%oracleRecord != 0 {
		v.Confidence = format.Nearly
	}
	id := func(i int64) uint64 { return binary.LittleEndian.Uint64(head[i*oracleRecord+4:]) }
	var last uint32
	for i := range int64(min(all, oracleSniff)) {
		r := head[i*oracleRecord:]
		now, size, next := binary.LittleEndian.Uint32(r), binary.LittleEndian.Uint32(r[12:]), int64(binary.LittleEndian.Uint64(r[16:]))
		never := next == oracleNever || next == math.MaxInt64
		switch {
		case now < last || size > 1<<31, !never && (next <= i+1 || next > 1<<48):
			return sniff.Foreign
		case !never && next <= int64(all) && id(next-1) != id(i):
			return sniff.Foreign
		case !never && next > int64(all) && whole:
			v.Confidence = format.Nearly
		}
		last = now
	}
	if all < 2 {
		return sniff.Foreign
	}
	return v
}

// Import parses all of in.
func (f OracleGeneral) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	p := oracleParser{Records: input.Records{Size: oracleRecord}}
	switch v := o.Setting(f, "variant"); v {
	case "general":
	case "opns":
		p.Records.Size, p.op = oracleRecordOpNS, 16
	default:
		return format.Result{}, format.BadSetting("variant=%s: choose general or opns", v)
	}
	var err error
	if p.Objects, err = newObjects(sink, o, f); err != nil {
		return format.Result{}, err
	}
	if err := p.Records.Blocks(in, p.block); err != nil {
		return format.Result{}, err
	}
	if err := p.Finish(); err != nil {
		return format.Result{}, err
	}
	return format.Result{Procs: 1, Lines: uint64(p.Before), Notes: p.notes(), Counts: []format.Count{
		{Name: "requests", N: uint64(p.Before)}, {Name: "bytes", N: p.bytes}, {Name: "last requests", N: p.lasts}}}, nil
}

type oracleParser struct {
	input.Records
	Objects
	op       int // offset of the operation in a record, or 0
	time     uint32
	bytes    uint64
	lasts    uint64 // requests without a next one
	backward uint64
	at       int64 // first record with an earlier time than the previous one
}

func (p *oracleParser) block(b []byte) error {
	size := p.Records.Size
	for i := 0; i*size < len(b); i++ {
		r := b[i*size : (i+1)*size]
		bytes, next := uint64(binary.LittleEndian.Uint32(r[12:])), int64(binary.LittleEndian.Uint64(r[size-8:]))
		if err := p.next(i, next); err != nil {
			return err
		}
		op := trace.Load
		if p.op > 0 {
			var known bool
			if op, known = oracleOp(r[p.op]); !known {
				return p.Fail(i, p.op, fmt.Sprintf("unknown operation %d", r[p.op]), "check that this is an oracleGeneralOpNS trace")
			}
		}
		p.clock(i, binary.LittleEndian.Uint32(r))
		p.bytes += bytes
		if op != 0 {
			p.request(binary.LittleEndian.Uint64(r[4:]), bytes, op)
		}
	}
	return p.Stream.Err
}

// next checks the number of the next request, which counts from 1.
func (p *oracleParser) next(i int, next int64) error {
	switch {
	case next == oracleNever || next == math.MaxInt64:
		p.lasts++
	case next <= p.Before+int64(i)+1:
		return p.Fail(i, p.Records.Size-8, fmt.Sprintf("next_access_vtime %d is not after this record, which is number %d", next, p.Before+int64(i)+1),
			"check that this is an oracleGeneral trace; --set variant=opns reads records of 27 bytes")
	}
	return nil
}

func (p *oracleParser) clock(i int, now uint32) {
	if now < p.time {
		if p.backward == 0 {
			p.at = p.Before + int64(i)
		}
		p.backward++
	}
	p.time = now
}

// oracleOp returns the operation of libCacheSim's number; 0 does nothing.
func oracleOp(n byte) (trace.Op, bool) {
	switch {
	case n == 0:
		return 0, true
	case n == 1 || n == 2 || n == 12: // get, gets, read
		return trace.Load, true
	case n == 9: // delete
		return trace.Flush, true
	case n <= 14: // set, add, cas, replace, append, prepend, incr, decr, write, update
		return trace.Store, true
	}
	return 0, false
}

func (p *oracleParser) notes() []string {
	all := p.Objects.notes()
	if p.backward > 0 {
		all = append(all, fmt.Sprintf("record %d, offset %d: time goes backwards (in %s); requests stay in the order of the file",
			p.at, p.at*int64(p.Records.Size), input.Plural(int(p.backward), "record")))
	}
	return all
}
