// Package sift reads Sniper's SIFT traces of instructions.
package sift

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// Sift is the instruction trace of Sniper, a file for each thread. Its instruction
// records have addresses, but do not say whether the instruction reads or writes there.
// Therefore only files of CacheOnly records can be imported: the references of Sniper's
// warmup. Source: Sniper 900a80c, sift/sift_format.h and sift_writer.cc;
// common/trace_frontend/trace_thread.cc for the meaning of CacheOnly.
type Sift struct{}

var (
	_ format.Importer = Sift{}
)

// Info describes the format.
func (Sift) Info() format.Info {
	return format.Info{
		Name:  "sift",
		Doc:   "Sniper's SIFT, binary; only CacheOnly records, because instructions do not tell reads from writes",
		Magic: "SIFT at the start",
		Use:   "traces import trace.sift -o PREFIX",
		PC:    true,
	}
}

var siftMagic = []byte("SIFT")

// Sniff is Certain of the magic.
func (Sift) Sniff(head []byte) format.Verdict {
	if bytes.HasPrefix(head, siftMagic) {
		return format.Verdict{Confidence: format.Certain, Why: "the magic SIFT"}
	}
	return sniff.Foreign
}

// Import parses all of in.
func (Sift) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	r, err := openSift(in)
	if err != nil {
		return format.Result{}, err
	}
	defer r.close()
	p := siftParser{siftReader: r, o: o, stream: emit.NewStream(sink, o.FirstProc)}
	p.stream.WithPC = o.PC
	for {
		rec, err := r.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = p.record(rec)
		}
		if err != nil {
			return format.Result{}, err
		}
	}
	if p.refs() == 0 {
		return format.Result{}, r.fail("end of file without CacheOnly records of memory: no references", adviceSift)
	}
	if err := p.stream.Finish(); err != nil {
		return format.Result{}, err
	}
	return format.Result{Procs: 1, Lines: uint64(r.number), Counts: p.counts(), Notes: p.notes()}, nil
}

const adviceSift = "record the program with valgrind's lackey or with drmemtrace"

// siftParser makes references from CacheOnly records.
type siftParser struct {
	*siftReader
	o      format.Options
	stream *emit.Stream
	kinds  [len(siftKinds)]uint64 // CacheOnly records
	types  [256]uint64            // other records
}

// siftKinds are the kinds of CacheOnly records.
var siftKinds = [...]string{"branch taken", "branch not taken", siftRead: "read", siftWrite: "write", siftFetch: "instruction fetch"}

const (
	siftRead = 2 + iota
	siftWrite
	siftFetch
)

// The types of records that are not instructions.
const (
	siftIcache         = 0
	siftIcacheVariable = 11
	siftLogical        = 14 // maps logical to physical addresses
	siftCacheOnly      = 24
	siftEnd            = 255
)

// siftCacheOnlySize is the size of a CacheOnly record: instructions since the previous
// one (1 byte), kind (1), pc (8), address or, for a fetch, size (8).
const siftCacheOnlySize = 18

func (p *siftParser) record(rec siftRecord) error {
	if rec.instruction {
		return p.fail("instruction record: SIFT does not store whether it reads or writes, so it cannot be imported", adviceSift)
	}
	p.types[rec.kind]++
	if rec.kind != siftCacheOnly {
		return nil
	}
	kind, pc, value := rec.data[1], binary.LittleEndian.Uint64(rec.data[2:]), binary.LittleEndian.Uint64(rec.data[10:])
	if int(kind) >= len(siftKinds) {
		return p.fail(fmt.Sprintf("CacheOnly record of unknown kind %d", kind), "kinds are 0 to 4")
	}
	p.kinds[kind]++
	p.stream.Execute(uint64(rec.data[0]))
	addr, size, op := value, uint64(max(1, p.o.DefaultSize)), trace.Load
	switch kind {
	case siftWrite:
		op = trace.Store
	case siftFetch:
		addr, size, op = pc, value, trace.Ifetch
	}
	if kind < siftRead || op == trace.Ifetch && p.o.DropIfetch {
		return p.stream.Err
	}
	if problem := input.SizeProblem(addr, size); problem != "" {
		return p.fail("CacheOnly record: "+problem, "")
	}
	p.stream.Pc = pc
	p.stream.Ref(addr, uint16(size), op)
	return p.stream.Err
}

// refs returns the number of references.
func (p *siftParser) refs() uint64 {
	return p.kinds[siftRead] + p.kinds[siftWrite] + p.kinds[siftFetch]
}

func (p *siftParser) counts() (all []format.Count) {
	for i, name := range siftKinds {
		all = append(all, format.Count{Name: "CacheOnly " + name, N: p.kinds[i]})
	}
	for i, n := range p.types {
		if n > 0 {
			all = append(all, format.Count{Name: "type " + strconv.Itoa(i), N: n})
		}
	}
	return all
}

// siftQuiet lists the types of records that need no note.
var siftQuiet = []int{siftIcache, siftIcacheVariable, siftCacheOnly, siftEnd}

func (p *siftParser) notes() (all []string) {
	add := func(n uint64, format string, args ...any) {
		if n > 0 {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	data := p.kinds[siftRead] + p.kinds[siftWrite]
	add(data, "%s without a size counted as %s; --default-size sets another size", input.Plural(int(data), "reference"), input.Plural(int(max(1, p.o.DefaultSize)), "byte"))
	branches := p.types[siftCacheOnly] - p.refs()
	add(branches, "%s omitted", input.Plural(int(branches), "branch record"))
	var others uint64
	for i, n := range p.types {
		if !slices.Contains(siftQuiet, i) {
			others += n
		}
	}
	add(others, "%s omitted that are neither instructions nor references", input.Plural(int(others), "record"))
	add(p.options&siftPhysical, "the file has physical addresses; the imported references keep their logical addresses")
	add(p.options&^siftOptions, "unknown options %#x", p.options&^siftOptions)
	if p.types[siftEnd] == 0 {
		all = append(all, "no End record: the run was killed")
	}
	return all
}
