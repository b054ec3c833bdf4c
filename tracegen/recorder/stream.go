package recorder

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// kinds of blocks, as in plugin.c
const (
	refsBlock = 1 + iota
	sitesBlock
	markBlock
	endBlock
	childBlock
	lastBlock
	outsideBlock // a mark outside of the recorded region
)

// kinds of blocks, as in places.h
const (
	mapsBlock = 32 + iota
	heapBlock
)

const (
	blockMagic  = 0x53505231
	headerBytes = 32
	slotRecords = 8190
	slotBytes   = headerBytes + slotRecords*recordBytes
	nameBytes   = 16
	markBytes   = 32
	maxContents = slotRecords * recordBytes
)

// header begins a block.
type header struct {
	Magic, Kind, Thread, Sequence uint32
	Instr, Bytes                  uint64
}

func readHeader(b []byte) (h header) {
	le := binary.LittleEndian
	return header{le.Uint32(b), le.Uint32(b[4:]), le.Uint32(b[8:]), le.Uint32(b[12:]), le.Uint64(b[16:]), le.Uint64(b[24:])}
}

// ends is the state in which the program ended.
type ends struct {
	known bool // false if it was killed
	after bool // after the recorded region
	cut   bool // references were left out
}

// endsBytes is the length of a last block, and afterRegion the state after the recorded region, as in plugin.c.
const (
	endsBytes   = 8
	afterRegion = 2
)

// stream turns the blocks of the plugin into a trace.
type stream struct {
	sink     Sink
	progress func(int)
	threads  map[uint32]*thread
	pcs      []uint64 // by site
	names    names
	calls    calls
	children int    // processes that the program started
	forked   bool   // the process was, by another that is recorded
	outside  uint64 // events outside of the recorded region
	ends     ends
	goes     *goroutines // nil unless it is a Go program
}

func newStream(sink Sink, o Options) *stream {
	return &stream{sink: sink, progress: o.Progress, threads: map[uint32]*thread{}, calls: newCalls(o.Locks), names: newNames(sink)}
}

var errDamaged = errors.New("what the plugin sends is damaged")

// read reads blocks up to the end of the pipe.
func (s *stream) read(pipe io.Reader) error {
	in := bufio.NewReaderSize(pipe, 1<<20)
	head, contents := make([]byte, headerBytes), make([]byte, maxContents)
	for {
		if _, err := io.ReadFull(in, head); err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil // killed, perhaps while it wrote
		} else if err != nil {
			return fmt.Errorf("reading what the plugin sends: %w", err)
		}
		h := readHeader(head)
		if h.Magic != blockMagic || h.Bytes > maxContents {
			return errDamaged
		}
		b := contents[:h.Bytes]
		if _, err := io.ReadFull(in, b); err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading what the plugin sends: %w", err)
		}
		if err := s.block(h, b); err != nil {
			return err
		}
	}
}

func (s *stream) block(h header, b []byte) error {
	if s.goes != nil && goBlocks[h.Kind] {
		return s.goes.block(s, h, b)
	}
	switch h.Kind {
	case refsBlock:
		t := s.thread(h.Thread)
		t.last, t.began = h.Sequence, true
		return s.refs(t, b)
	case sitesBlock:
		return s.sites(b)
	case markBlock, outsideBlock:
		return s.mark(h, b)
	case endBlock:
		t := s.thread(h.Thread)
		t.advance(h.Instr)
		t.ended = true
	case childBlock:
		s.children++
	case lastBlock:
		if len(b) != endsBytes {
			return errDamaged
		}
		s.ends = ends{true, b[0] == afterRegion, b[4] != 0}
	case mapsBlock, heapBlock:
		return s.names.block(h, b)
	default:
		return errDamaged
	}
	return nil
}

func (s *stream) mark(h header, b []byte) error {
	if len(b) != markBytes {
		return errDamaged
	}
	t := s.thread(h.Thread)
	t.advance(h.Instr)
	before := t.events
	err := s.calls.mark(s, h.Thread, readMark(b))
	if h.Kind == outsideBlock {
		s.outside += t.events - before
	}
	return err
}

// thread returns the thread of a number.
func (s *stream) thread(number uint32) *thread {
	t := s.threads[number]
	if t == nil {
		t = newThread(trace.Proc(number))
		s.threads[number] = t
	}
	return t
}

func (s *stream) sites(b []byte) error {
	for ; len(b) >= nameBytes; b = b[nameBytes:] {
		id := binary.LittleEndian.Uint64(b)
		if id != uint64(len(s.pcs)) {
			return errDamaged
		}
		s.pcs = append(s.pcs, binary.LittleEndian.Uint64(b[8:]))
		s.names.used = append(s.names.used, false)
	}
	return nil
}

// pc returns the address of the instruction of a site, or 0 if the program was killed before the plugin sent it.
func (s *stream) pc(site uint32) uint64 {
	if int(site) >= len(s.pcs) {
		return 0
	}
	s.names.used[site] = true
	return s.pcs[site]
}

// refs appends the records of a block.
func (s *stream) refs(t *thread, b []byte) error {
	n := len(b) / recordBytes
	for ; len(b) >= recordBytes; b = b[recordBytes:] {
		addr, site, what := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:])
		t.step(uint64(what & (1<<stepBits - 1)))
		kind := what >> stepBits & 3
		if kind == stepRecord {
			t.step(addr)
			continue
		}
		if s.names.places != nil && kind != fetchRecord {
			s.names.places.Touch(addr)
		}
		t.reference(addr, s.pc(site), uint16(what>>sizeShift), recordOps[kind])
	}
	s.progress(n)
	return t.flush(s.sink, false)
}

// rest adds the records that the plugin had not written when the program was killed.
func (s *stream) rest(buffers io.ReaderAt) error {
	slot := make([]byte, slotBytes)
	for at := int64(0); ; at += slotBytes {
		if n, _ := buffers.ReadAt(slot, at); n < slotBytes {
			return nil
		}
		h := readHeader(slot)
		if h.Magic != blockMagic || h.Bytes > maxContents || h.Bytes == 0 {
			continue // of a thread that has ended, or is not recorded
		}
		if h.Kind == heapBlock {
			if err := s.names.rest(h, slot[headerBytes:headerBytes+h.Bytes]); err != nil {
				return err
			}
			continue
		}
		t, written := s.holder(h)
		if written {
			continue
		}
		if err := s.refs(t, slot[headerBytes:headerBytes+h.Bytes]); err != nil {
			return err
		}
	}
}

// holder returns the thread of a block, and whether it was written before.
func (s *stream) holder(h header) (t *thread, written bool) {
	if s.goes != nil {
		return s.goes.holder(h)
	}
	t = s.thread(h.Thread)
	return t, t.ended || t.began && h.Sequence <= t.last
}

// count adds what all threads did.
func (s *stream) count(rec *Recording) {
	for _, t := range s.threads {
		rec.Instructions += unit.Instructions(t.place)
		rec.References += t.count
		rec.Events += t.events
	}
}

// finish ends all processors, and returns how many there are.
func (s *stream) finish() (procs int, err error) {
	if s.goes != nil {
		s.goes.finish()
	}
	for _, number := range slices.Sorted(maps.Keys(s.threads)) {
		t := s.threads[number]
		t.event(trace.NewEvent(trace.Compute))
		if err := t.flush(s.sink, true); err != nil {
			return 0, err
		}
		procs = int(number) + 1
	}
	return procs, nil
}
