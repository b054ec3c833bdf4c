package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"

	"spoor/traces/trace"
)

// Sift is the instruction trace of Sniper, a file for each thread. Its instruction
// records have addresses, but do not say whether the instruction reads or writes there.
// Therefore only files of CacheOnly records can be imported: the references of Sniper's
// warmup. Source: Sniper 900a80c, sift/sift_format.h and sift_writer.cc;
// common/trace_frontend/trace_thread.cc for the meaning of CacheOnly.
type Sift struct{}

var (
	_ Importer       = Sift{}
	_ LayoutImporter = Sift{}
)

// Name returns "sift".
func (Sift) Name() string { return "sift" }

// Description returns a description of one line.
func (Sift) Description() string {
	return "Sniper's SIFT, binary; only CacheOnly records, because instructions do not tell reads from writes"
}

// Magic returns how the format is recognised.
func (Sift) Magic() string { return "SIFT at the start" }

var siftMagic = []byte("SIFT")

// Layout has the PC column if Options.PC is set.
func (Sift) Layout(o Options) Layout { return Layout{PC: o.PC, Work: trace.WorkInstr} }

// Sniff is Certain of the magic.
func (Sift) Sniff(head []byte) Verdict {
	if bytes.HasPrefix(head, siftMagic) {
		return Verdict{Certain, "the magic SIFT"}
	}
	return foreign
}

// Import parses all of in.
func (Sift) Import(in *Input, o Options, sink Sink) (Result, error) {
	r, err := openSift(in)
	if err != nil {
		return Result{}, err
	}
	defer r.close()
	p := siftParser{siftReader: r, o: o, stream: newStream(sink, o.FirstProc)}
	p.stream.withPC = o.PC
	for {
		rec, err := r.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = p.record(rec)
		}
		if err != nil {
			return Result{}, err
		}
	}
	if p.refs() == 0 {
		return Result{}, r.fail("end of file without CacheOnly records of memory: no references", adviceSift)
	}
	if err := p.stream.finish(); err != nil {
		return Result{}, err
	}
	return Result{Procs: 1, Lines: uint64(r.number), Counts: p.counts(), Notes: p.notes()}, nil
}

const adviceSift = "record the program with valgrind's lackey or with drmemtrace"

// siftParser makes references from CacheOnly records.
type siftParser struct {
	*siftReader
	o      Options
	stream *stream
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
	p.stream.execute(uint64(rec.data[0]))
	addr, size, op := value, uint64(max(1, p.o.DefaultSize)), trace.Load
	switch kind {
	case siftWrite:
		op = trace.Store
	case siftFetch:
		addr, size, op = pc, value, trace.Ifetch
	}
	if kind < siftRead || op == trace.Ifetch && p.o.DropIfetch {
		return p.stream.err
	}
	if problem := sizeProblem(addr, size); problem != "" {
		return p.fail("CacheOnly record: "+problem, "")
	}
	p.stream.pc = pc
	p.stream.ref(addr, uint16(size), op)
	return p.stream.err
}

// refs returns the number of references.
func (p *siftParser) refs() uint64 {
	return p.kinds[siftRead] + p.kinds[siftWrite] + p.kinds[siftFetch]
}

func (p *siftParser) counts() (all []Count) {
	for i, name := range siftKinds {
		all = append(all, Count{"CacheOnly " + name, p.kinds[i]})
	}
	for i, n := range p.types {
		if n > 0 {
			all = append(all, Count{"type " + strconv.Itoa(i), n})
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
	add(data, "%s without a size counted as %s; --default-size sets another size", plural(int(data), "reference"), plural(int(max(1, p.o.DefaultSize)), "byte"))
	branches := p.types[siftCacheOnly] - p.refs()
	add(branches, "%s omitted", plural(int(branches), "branch record"))
	var others uint64
	for i, n := range p.types {
		if !slices.Contains(siftQuiet, i) {
			others += n
		}
	}
	add(others, "%s omitted that are neither instructions nor references", plural(int(others), "record"))
	add(p.options&siftPhysical, "the file has physical addresses; the imported references keep their logical addresses")
	add(p.options&^siftOptions, "unknown options %#x", p.options&^siftOptions)
	if p.types[siftEnd] == 0 {
		all = append(all, "no End record: the run was killed")
	}
	return all
}
