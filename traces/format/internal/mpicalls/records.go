package mpicalls

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"spoor/traces/internal/input"
)

// kinds of records, as in mpi_record.h
const (
	endOfKilled = iota
	sendRecord
	isendRecord
	recvRecord
	irecvRecord
	waitRecord
	testRecord
	probeRecord
	iprobeRecord
	collectiveRecord
	communicatorRecord
	freeRecord
	missedRecord
	finalRecord
	abortRecord
	endRecords
)

const (
	version     = 1
	headerBytes = 32
	firstFlag   = 32 // of a call: its times follow
	wholeFlag   = 64 // and its processor time
	maxText     = 4096
	maxRanks    = 1 << 22
	maxTime     = math.MaxInt64 / 1000 // ns of which a trace can hold the ps
)

// header begins a file.
type header struct {
	rank, ranks int
	references  bool // computation is among the references of a recorder
	run         uint64
	program     string
}

// record is a record of any kind.
type record struct {
	kind             byte
	first, whole     bool
	gap, in          int64 // ns between calls, and in this one
	work, spent      int64 // ns of processor time before the call, and in it
	request          uint64
	peer             int64
	tag              int64
	comm             uint64
	bytes            int64
	addr             uint64
	count            int64
	block, stride    int64
	status           byte // of a wait: 0 none, 1 a receive, 2 cancelled
	collective       uint64
	members          []int32
	text             string
	polls, byThreads uint64
}

// reader decodes a file. Its first error stays.
type reader struct {
	in     *input.InputReader
	buf    *bufio.Reader
	name   string
	offset int64
	at     int64 // where the record begins
	err    error
}

func openReader(in *input.Input) *reader {
	r := &reader{in: in.Reader(), name: in.Name}
	r.buf = bufio.NewReaderSize(r.in, 1<<16)
	return r
}

func (r *reader) close() { r.in.Stop() }

// fail keeps an error at the record.
func (r *reader) fail(format string, a ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: offset %d: %s", r.name, r.at, fmt.Sprintf(format, a...))
	}
}

const cutAdvice = "the file is cut; copy it again"

func (r *reader) byte() byte {
	if r.err != nil {
		return 0
	}
	b, err := r.buf.ReadByte()
	switch {
	case err == io.EOF:
		r.fail("%s", cutAdvice)
		return 0
	case err != nil:
		r.err = err
		return 0
	}
	r.offset++
	return b
}

// number reads a number of 7 bits a byte.
func (r *reader) number() (v uint64) {
	for shift := 0; ; shift += 7 {
		b := r.byte()
		if shift == 63 && b > 1 {
			r.fail("a number has over 64 bits; the file is damaged")
			return 0
		}
		v |= uint64(b&127) << shift
		if b < 128 || r.err != nil {
			return v
		}
	}
}

// upTo reads a number with a limit.
func (r *reader) upTo(limit uint64, what string) int64 {
	v := r.number()
	if v > limit {
		r.fail("%s is %d, over %d; the file is damaged", what, v, limit)
		return 0
	}
	return int64(v)
}

func (r *reader) signed() int64 {
	v := r.number()
	return int64(v>>1) ^ -int64(v&1)
}

func (r *reader) text() string {
	b := make([]byte, r.upTo(maxText, "the length of a text"))
	for i := range b {
		b[i] = r.byte()
	}
	return string(b)
}

// header reads the start of the file.
func (r *reader) header() (h header) {
	var b [headerBytes]byte
	for i := range b {
		b[i] = r.byte()
	}
	le := binary.LittleEndian
	word := func(at int) uint64 { return uint64(le.Uint32(b[at:])) }
	switch {
	case r.err != nil:
	case !bytes.HasPrefix(b[:], magic):
		r.fail("not a file of the recorder of MPI calls")
	case word(8) != version:
		r.fail("version %d of the recorder; version %d is read", word(8), version)
	case word(16) == 0 || word(16) > maxRanks || word(12) >= word(16):
		r.fail("rank %d of %d; the file is damaged", word(12), word(16))
	}
	h = header{rank: int(word(12)), ranks: int(word(16)), references: word(20) != 0, run: word(24) | word(28)<<32}
	h.program = r.text()
	return h
}

// next reads a record. It returns false at the end of the records, or after an error.
func (r *reader) next(c *record) bool {
	r.at = r.offset
	b := r.byte()
	members := c.members[:0]
	*c = record{kind: b & (firstFlag - 1), first: b&firstFlag != 0, whole: b&wholeFlag != 0, members: members}
	if r.err != nil || c.kind == endOfKilled {
		return false
	}
	if c.kind >= endRecords || b >= 128 {
		r.fail("record of kind %d; the file is damaged", b)
		return false
	}
	if c.first {
		c.gap, c.in, c.work = r.upTo(maxTime, "a time"), r.upTo(maxTime, "a time"), r.upTo(maxTime, "a time")
		if c.whole {
			c.spent = r.upTo(maxTime, "a time")
		}
	}
	r.body(c)
	return r.err == nil
}

// body reads what follows the times.
func (r *reader) body(c *record) {
	switch c.kind {
	case sendRecord, isendRecord, recvRecord, irecvRecord, probeRecord, iprobeRecord:
		r.message(c)
	case waitRecord, testRecord:
		c.request = r.number()
		if c.status = byte(r.upTo(2, "a status")); c.status == 1 {
			c.peer, c.tag, c.bytes = r.signed(), r.signed(), r.upTo(math.MaxInt64, "a size")
		}
	case collectiveRecord:
		c.collective, c.comm, c.peer = r.number(), r.number(), r.signed()
		c.bytes, c.request = r.upTo(math.MaxInt64, "a size"), r.number()
	case communicatorRecord:
		c.comm = r.number()
		r.runs(c)
	case freeRecord:
		c.request = r.number()
	case missedRecord:
		c.text = r.text()
	case finalRecord, abortRecord:
		c.polls, c.byThreads = r.number(), r.number()
	}
}

func (r *reader) message(c *record) {
	c.peer, c.tag, c.comm = r.signed(), r.signed(), r.number()
	if c.kind == isendRecord || c.kind == irecvRecord {
		c.request = r.number()
	}
	came := int64(-1)
	if c.kind != sendRecord && c.kind != isendRecord && c.kind != irecvRecord {
		came = r.upTo(math.MaxInt64, "a size")
	}
	c.bytes = r.upTo(math.MaxInt64, "a size")
	if c.addr = r.number(); c.addr != 0 {
		if c.count = r.upTo(math.MaxInt64, "a count"); c.count == 1 {
			c.block = c.bytes
		} else if c.count > 1 {
			c.block, c.stride = r.upTo(math.MaxInt64, "a size"), r.signed()
		}
	}
	if came >= 0 {
		c.bytes = came
	}
}

// runs reads the members of a communicator.
func (r *reader) runs(c *record) {
	n := r.upTo(maxRanks, "the number of runs")
	for range n {
		first, length := r.upTo(maxRanks, "a rank"), r.upTo(maxRanks, "the length of a run")
		if int64(len(c.members))+length > maxRanks {
			r.fail("a communicator has over %d ranks; the file is damaged", maxRanks)
		}
		if r.err != nil {
			return
		}
		for i := range length {
			c.members = append(c.members, int32(first+i))
		}
	}
}

// RunOf returns the number of the run that a file is from, and how many ranks it has.
func RunOf(in *input.Input) (run uint64, ranks int, err error) {
	r := openReader(in)
	defer r.close()
	h := r.header()
	return h.run, h.ranks, r.err
}
