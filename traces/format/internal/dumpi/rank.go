package dumpi

import (
	"bytes"
	"fmt"
	"math"

	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// dumpiRank processes the calls of one rank.
type dumpiRank struct {
	dumpiReader
	*emit.LookaheadWriter
	d         *dumpiImport
	rank      int32
	file      int32
	calls     uint64
	counts    map[string]uint64
	start     int64 // ns of wall time that become time 0
	left      int64 // ns at which the latest call returned
	leftIn    map[uint64]int64
	types     dumpiTypes
	comms     map[int64]int // index of each communicator that it made
	made      int
	numbers   emit.RequestNumbers
	requests  map[int64][]dumpiRequest
	templates map[int64]*dumpiTemplate
	ints      [2][]int64
	status    []dumpiStatus
}

// dumpiRequest is a started operation.
type dumpiRequest struct {
	number  int32
	ticket  int64 // of a receive to be resolved, or -1
	comm    *dumpiComm
	noEvent bool // it has no partner and becomes no event
	bytes   bool // its size is unknown
}

// dumpiTemplate is a persistent request.
type dumpiTemplate struct {
	event   trace.Event
	comm    *dumpiComm
	noEvent bool
	bytes   bool
}

func newDumpiRank(d *dumpiImport, rank, file int) *dumpiRank {
	r := &dumpiRank{d: d, rank: int32(rank), file: int32(file), counts: map[string]uint64{}, leftIn: map[uint64]int64{},
		comms: map[int64]int{}, requests: map[int64][]dumpiRequest{}, templates: map[int64]*dumpiTemplate{}, start: d.start}
	r.types.init()
	r.LookaheadWriter = d.c.LookaheadWriter(trace.Proc(rank), &d.share, func(*trace.Event, bool) bool { return true })
	return r
}

// place returns the place of a call.
func (r *dumpiRank) place(c *dumpiCall) trace.Pos {
	return trace.Pos{File: r.file, At: int64(c.line)}
}

// returned handles a call.
func (r *dumpiRank) returned(c *dumpiCall) error {
	if r.calls == 0 {
		r.left = c.enter
		if r.d.own {
			r.start = c.enter
		}
	}
	r.calls++
	r.counts[c.name]++
	if before, ok := r.leftIn[c.thread]; ok && c.enter < before {
		return c.fail(c.line, nil, fmt.Sprintf("%s enters (%s) before the previous call returned (%s)", c.name, dumpiSeconds(c.enter), dumpiSeconds(before)), "")
	}
	r.leftIn[c.thread] = c.leave
	if c.leave-r.start > math.MaxInt64/1000 {
		return c.fail(c.line, nil, fmt.Sprintf("%s returns over 106 days after the trace begins", c.name), "if the clocks of the ranks do not agree, --set clock=own starts each at 0")
	}
	if c.enter < r.start {
		return c.fail(c.line, nil, c.name+" enters before the first call of the trace", "")
	}
	if c.enter > r.left {
		r.Busy((c.enter-r.left)*1000, (r.left-r.start)*1000, r.place(c))
	}
	r.left = max(r.left, c.leave)
	handle, ok := dumpiHandlers[c.name]
	if !ok {
		return r.unhandled(c)
	}
	if err := handle(r, c); err != nil {
		return err
	}
	return c.err
}

// event returns an event of the call.
func (r *dumpiRank) event(k trace.Kind, c *dumpiCall) trace.Event {
	e := trace.NewEvent(k)
	e.Time = (c.enter - r.start) * 1000
	return e
}

// emitCall emits an event of the call, if its arguments are valid.
func (r *dumpiRank) emitCall(e trace.Event, c *dumpiCall) error {
	if c.err != nil {
		return c.err
	}
	return r.Emit(e, r.place(c))
}

// peer returns the world rank of a rank of comm.
func (r *dumpiRank) peer(c *dumpiCall, name string, local int64, comm *dumpiComm) int32 {
	if c.err != nil {
		return 0
	}
	if n := int64(comm.size(r)); local < 0 || local >= n {
		c.bad(c.arg(name), fmt.Sprintf("rank %d, but the communicator has %d ranks", local, n), "")
		return 0
	}
	return comm.world(r, int32(local))
}

// tag reads a tag; -1 means any.
func (r *dumpiRank) tag(c *dumpiCall, name string) int32 {
	v := c.int(name)
	if v < -1 || v > math.MaxInt32 {
		c.bad(c.arg(name), "not a tag", "tags are from 0 to 2^31-1")
		return 0
	}
	return int32(v)
}

// bytes returns count times the size of the datatype. known is false if the size is not
// in the trace.
func (r *dumpiRank) bytes(c *dumpiCall, count, datatype string) (n int64, known bool) {
	elements := c.count(count)
	if elements == 0 || c.err != nil {
		return 0, true
	}
	size, ok := r.types.size(c.int(datatype))
	if !ok {
		return 0, false
	}
	return r.product(c, c.arg(count), elements, size), true
}

func (r *dumpiRank) product(c *dumpiCall, a *dumpiArg, n, size int64) int64 {
	if size > 0 && n > math.MaxInt64/size {
		c.bad(a, "over 2^63 bytes", "")
		return 0
	}
	return n * size
}

// mustBytes is bytes, with an error for an unknown size.
func (r *dumpiRank) mustBytes(c *dumpiCall, count, datatype string) int64 {
	n, known := r.bytes(c, count, datatype)
	if !known {
		r.unknownType(c, datatype)
	}
	return n
}

func (r *dumpiRank) unknownType(c *dumpiCall, datatype string) {
	a := c.arg(datatype)
	c.bad(a, fmt.Sprintf("user-defined datatype %d: its size is not in the trace", c.int(datatype)), "make the text with dumpi2ascii -a")
}

// statusOf returns the only status of a call, or nil if the program ignored it.
func (r *dumpiRank) statusOf(c *dumpiCall) *dumpiStatus {
	if r.status = c.statuses("status", r.status); len(r.status) == 0 {
		return nil
	}
	return &r.status[0]
}

// headerLine handles a line of the header or footer that dumpi2ascii -a writes.
func (r *dumpiRank) headerLine(line []byte) error {
	switch {
	case bytes.HasPrefix(line, []byte("Datatype ")):
		return r.checkSize(line)
	case bytes.HasPrefix(line, dumpiPrefix) && bytes.Contains(line, []byte(" called ")):
		return r.checkCalls(line)
	case bytes.Contains(line, dumpiReturning):
		return r.Fail(line, "a call returns without entering", "the trace is damaged")
	case bytes.IndexByte(line, '=') > 0 || bytes.IndexByte(line, ':') > 0:
		return nil
	}
	return &dumpiCut{"neither a call nor a line of the header or footer"}
}

// checkCalls compares a line such as "MPI_Send called 3 times and ignored 0 times" with
// the number of calls read.
func (r *dumpiRank) checkCalls(line []byte) error {
	var name string
	var called, ignored uint64
	if _, err := fmt.Sscanf(string(line), "%s called %d times and ignored %d times", &name, &called, &ignored); err != nil {
		return &dumpiCut{"not a count of calls"}
	}
	r.d.notes.ignored += ignored
	if got := r.counts[name]; name != "MPI_ALL_FUNCTIONS" && got != called && got+ignored != called {
		return r.Fail(line, fmt.Sprintf("the trace has %s of %s", input.Plural(int(got), "call"), name), "calls are missing; copy or make the text again")
	}
	return nil
}
