package mpicalls

import (
	"encoding/binary"
	"math"

	"spoor/traces/format/internal/emit"
	"spoor/traces/trace"
)

// group is a communicator of a rank.
type group struct {
	number int32
	alone  bool
}

// open is a request that no call has waited for.
type open struct {
	number int32
	ticket int64 // of a receive from any rank, or -1
}

// rank turns the records of one rank into events.
type rank struct {
	*emit.LookaheadWriter
	*reader
	j       *join
	of      *surveyed
	comms   map[uint64]group
	same    map[string]int // communicators by members
	numbers emit.RequestNumbers
	open    map[uint64]open
	now     int64 // ns since the start, at the end of the latest call
	time    int64 // ns at which the call began
	after   int64 // ns of computation within the latest call
	place   *placed
}

// rank reads the file of a rank.
func (j *join) rank(s *surveyed) error {
	in, err := j.files.Open(s.file)
	if err != nil {
		return err
	}
	defer in.Close()
	r := &rank{reader: openReader(in), j: j, of: s, same: map[string]int{}, open: map[uint64]open{}, comms: map[uint64]group{0: {j.world, j.size == 1}, 1: {0, true}}}
	defer r.reader.close()
	r.LookaheadWriter = j.writer.LookaheadWriter(j.proc(int64(s.rank)), &j.share, func(e *trace.Event, _ bool) bool {
		j.notes.open++
		return true
	})
	if j.recorded != nil {
		r.place = newPlaced(j, r)
		defer r.place.stop()
	}
	r.reader.header()
	var c record
	for r.next(&c) {
		j.records++
		if err := r.call(&c); err != nil {
			return err
		}
		if c.kind == finalRecord || c.kind == abortRecord {
			break
		}
	}
	if r.err != nil {
		return r.err
	}
	if r.place != nil {
		if err := r.place.rest(c.byThreads); err != nil {
			return err
		}
	}
	return r.LookaheadWriter.Finish()
}

func (r *rank) pos() trace.Pos { return trace.Pos{File: int32(r.of.file), At: r.at} }

// call handles a record.
func (r *rank) call(c *record) error {
	if c.first {
		if err := r.begins(c); err != nil {
			return err
		}
	}
	switch c.kind {
	case sendRecord, isendRecord, recvRecord, irecvRecord, probeRecord, iprobeRecord:
		return r.message(c)
	case waitRecord, testRecord:
		return r.ends(c)
	case collectiveRecord:
		return r.collective(c)
	case communicatorRecord:
		r.communicator(c)
	case freeRecord:
		delete(r.open, c.request)
	case missedRecord:
		r.j.notes.miss(c.text)
	case finalRecord, abortRecord:
		r.j.notes.polls += c.polls
		r.j.notes.byThreads += c.byThreads
	}
	return r.err
}

// begins emits the computation before a call.
func (r *rank) begins(c *record) error {
	if r.place != nil && (c.kind == finalRecord || c.kind == abortRecord) {
		return nil
	}
	if r.place != nil {
		return r.place.toNextCall()
	}
	if c.work+r.after > 0 {
		r.Busy((c.work+r.after)*1000, r.now*1000, r.pos())
	}
	if r.now > maxTime-c.gap-c.in {
		r.fail("the trace is over 106 days long; the file is damaged")
		return r.err
	}
	r.time, r.now = r.now+c.gap, r.now+c.gap+c.in
	if r.j.least {
		r.after = r.of.computed(c)
	} else {
		r.after = 0
	}
	return nil
}

// event returns an event of the call.
func (r *rank) event(k trace.Kind) trace.Event {
	e := trace.NewEvent(k)
	e.Time = r.time * 1000
	return e
}

func (r *rank) emit(e trace.Event) error {
	if r.err != nil {
		return r.err
	}
	r.j.counts[e.Kind.String()]++
	if r.place != nil {
		r.place.put(&e)
	}
	return r.Emit(e, r.pos())
}

// comm returns the communicator of a record.
func (r *rank) comm(c *record) group {
	g, ok := r.comms[c.comm]
	if !ok {
		r.fail("communicator %d, which no record makes; the file is damaged", c.comm)
	}
	return g
}

// communicator numbers a communicator. It is the same on all ranks that have had equally many of these members.
func (r *rank) communicator(c *record) {
	key := make([]byte, 0, 4*len(c.members)+8)
	for _, m := range c.members {
		if int(m) >= r.j.size {
			r.fail("a communicator has rank %d of %d; the file is damaged", m, r.j.size)
			return
		}
		key = binary.LittleEndian.AppendUint32(key, uint32(m))
	}
	before := r.same[string(key)]
	r.same[string(key)]++
	key = binary.LittleEndian.AppendUint64(key, uint64(before))
	number, known := r.j.groups[string(key)]
	if !known {
		number = r.j.next
		r.j.groups[string(key)] = number
		r.j.next++
	}
	r.comms[c.comm] = group{number, len(c.members) == 1}
}

// partner returns the processor of a world rank; -1 is any.
func (r *rank) partner(peer int64) int32 {
	if peer < -1 || peer >= int64(r.j.size) {
		r.fail("rank %d of %d; the file is damaged", peer, r.j.size)
	}
	if peer < 0 || r.err != nil {
		return trace.None
	}
	return int32(r.j.proc(peer))
}

func (r *rank) tag(tag int64) int32 {
	if tag < -1 || tag > math.MaxInt32 {
		r.fail("tag %d; the file is damaged", tag)
		return 0
	}
	return int32(tag)
}

// known fails if an event that needs a partner has none.
func (r *rank) known(e *trace.Event) {
	if e.Peer < 0 {
		r.fail("%v without a rank; the file is damaged", e.Kind)
	}
}
