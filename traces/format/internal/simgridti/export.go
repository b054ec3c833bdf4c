package simgridti

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"

	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// Export writes all ranks into one file. The inits of all ranks come first, then the
// ranks one after the other, with sizes in bytes, roots and datatypes. SimGrid's replay
// also needs a list, whose only line is the name of this file.
//
// Instructions become flop (setting flops_per_instruction), and so does time (setting
// flops).
func (f SimGridTI) Export(src trace.Source, o format.ExportOptions, w io.Writer) ([]string, error) {
	head := src.Header()
	if n := len(o.Procs); n > 0 && n < head.Procs {
		return nil, fmt.Errorf("simgrid-ti needs all ranks, so that no message lacks a partner; export without --proc")
	}
	if head.Procs == 0 {
		return nil, fmt.Errorf("the trace has no processors, so there is nothing to write")
	}
	x := &tiExporter{out: bufio.NewWriterSize(w, 1<<16)}
	if err := x.rates(f, head, o); err != nil {
		return nil, err
	}
	var err error
	if x.tiSurvey, err = newTISurvey(src, x.speed); err != nil {
		return nil, err
	}
	if err := x.all(); err != nil {
		return nil, err
	}
	refs := false
	for b, err := range src.Refs() {
		if err != nil {
			return nil, err
		}
		if refs = b.Len() > 0; refs {
			break
		}
	}
	notes := append(x.lost.notes(head, refs), "for SimGrid's replay, write a list whose only line is the name of this file")
	return notes, x.out.Flush()
}

// tiExporter writes lines.
type tiExporter struct {
	*tiSurvey
	out   *bufio.Writer
	speed float64 // flop per second, or 0
	scale float64 // flop per unit of work
	exact bool    // work is already in flop
	instr float64 // flop per instruction

	line     []byte
	rank     int32
	row      int64
	blocks   int // number of gathers etc. of this rank so far
	requests tiRequests
	sent     map[int32]tiRequest // by the number of the request in the trace
	whole    map[int32]bool      // requests of collectives
	failed   error
}

// rates sets the conversion of work to flop.
func (x *tiExporter) rates(f SimGridTI, head trace.Header, o format.ExportOptions) (err error) {
	if x.speed, err = tiSpeed(o.Setting(f, tiFlops)); err != nil {
		return err
	}
	value := o.Setting(f, tiPerInstr)
	x.instr, err = strconv.ParseFloat(value, 64)
	if err != nil || !(x.instr > 0) || math.IsInf(x.instr, 0) {
		return format.BadSetting("%s: %q is not a number above 0", tiPerInstr, value)
	}
	switch head.WorkUnit {
	case trace.WorkFlop:
		x.exact, x.scale = true, 1
	case trace.WorkPicos:
		x.scale = x.speed / 1e12
	default:
		x.scale = x.instr
	}
	return nil
}

// all writes the inits, so that readers know the number of ranks, and then each rank.
func (x *tiExporter) all() error {
	for x.rank = range int32(x.procs) {
		x.put(x.start("init"))
	}
	for x.rank = range int32(x.procs) {
		x.row, x.blocks, x.requests = 0, 0, newTIRequests()
		x.sent, x.whole = map[int32]tiRequest{}, map[int32]bool{}
		for b, err := range x.src.Events(trace.Proc(x.rank)) {
			if err != nil {
				return err
			}
			for i := range b.Rows {
				x.event(&b.Rows[i])
				x.row++
			}
			if x.failed != nil {
				return x.failed
			}
		}
		x.put(x.start("finalize"))
	}
	return x.failed
}

// start begins a line.
func (x *tiExporter) start(action string) []byte {
	x.line = strconv.AppendInt(x.line[:0], int64(x.rank), 10)
	x.line = append(x.line, ' ')
	return append(x.line, action...)
}

// put ends a line and writes it.
func (x *tiExporter) put(line []byte) {
	x.line = append(line, '\n')
	if _, err := x.out.Write(x.line); err != nil && x.failed == nil {
		x.failed = err
	}
}

// tiAppend appends a blank and a number.
func tiAppend[T int | int32 | int64](line []byte, n T) []byte {
	return strconv.AppendInt(append(line, ' '), int64(n), 10)
}

// flop appends a blank and an amount of work.
func (x *tiExporter) flop(line []byte, work int64) []byte {
	if x.exact {
		return tiAppend(line, work)
	}
	return strconv.AppendFloat(append(line, ' '), float64(work)*x.scale, 'g', -1, 64)
}

// event writes one event.
func (x *tiExporter) event(e *trace.Event) {
	x.executed(e)
	switch e.Kind {
	case trace.Compute:
	case trace.Send, trace.Isend, trace.Recv, trace.Irecv:
		x.message(e)
	case trace.Wait, trace.Test:
		x.completion(e)
	case trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan, trace.Gather, trace.Scatter, trace.AllGather, trace.AllToAll:
		x.collective(e)
	case trace.Barrier:
		x.barrier(e)
	default:
		x.lost.kinds[e.Kind]++
	}
}

// barrier writes a barrier of all ranks. It omits a barrier in shared memory that some
// processors do not join, because the trace does not list the members.
func (x *tiExporter) barrier(e *trace.Event) {
	if e.Peer != trace.None {
		if x.apart {
			x.lost.kinds[e.Kind]++
			return
		}
		x.lost.shared++
	}
	x.nonblocking(e)
	x.put(x.start("barrier"))
}

// executed writes the instructions before e, and the work of e if it is a Compute.
func (x *tiExporter) executed(e *trace.Event) {
	work := int64(0)
	if e.Kind == trace.Compute {
		work = e.Work
	}
	switch {
	case e.Instr > 0:
		flops := float64(e.Instr)*x.instr + float64(work)*x.scale
		x.put(strconv.AppendFloat(append(x.start("compute"), ' '), flops, 'g', -1, 64))
	case work > 0:
		x.put(x.flop(x.start("compute"), work))
	}
}

// message writes a send or a receive.
func (x *tiExporter) message(e *trace.Event) {
	m := tiMessage{from: x.rank, to: e.Peer, tag: x.tag(e)}
	if e.Kind == trace.Recv || e.Kind == trace.Irecv {
		m = tiMessage{from: e.Peer, to: x.rank, tag: m.tag}
	}
	if (e.Kind == trace.Isend || e.Kind == trace.Irecv) && e.Request != trace.None {
		id := x.requests.add(m)
		x.sent[e.Request] = tiRequest{id: id, message: m}
	}
	line := tiAppend(x.start(e.Kind.String()), tiRankOrAny(e.Peer))
	line = tiAppend(line, tiTagOrAny(m.tag))
	x.put(tiAppend(tiAppend(line, e.Bytes), tiByteType))
}

// tiRankOrAny returns a rank, or the number for any.
func tiRankOrAny(rank int32) int32 {
	if rank == trace.None {
		return tiAnySource
	}
	return rank
}

func tiTagOrAny(tag int32) int32 {
	if tag == trace.None {
		return tiAnyTag
	}
	return tag
}

// completion writes a wait, or a test that did not succeed.
func (x *tiExporter) completion(e *trace.Event) {
	r, open := x.sent[e.Request]
	closes := e.Kind == trace.Wait || e.Count > 0
	switch {
	case x.whole[e.Request]:
		if closes {
			delete(x.whole, e.Request)
		}
		return
	case e.Request == trace.None || !open && e.Kind == trace.Test:
		x.lost.kinds[e.Kind]++
		return
	case !open:
		if x.failed == nil {
			x.failed = x.problem(int(x.rank), x.row, e, fmt.Sprintf("request %d is not open; run traces check", e.Request))
		}
		return
	}
	action := "wait"
	if closes {
		x.close(e, r)
	} else {
		action = "test"
		if r.tested {
			x.lost.retested++
		}
		r.tested = true
		x.sent[e.Request] = r
	}
	line := tiAppend(x.start(action), tiRankOrAny(r.message.from))
	x.put(tiAppend(tiAppend(line, r.message.to), tiTagOrAny(r.message.tag)))
}

// close removes a request, and counts the case that replay takes another one.
func (x *tiExporter) close(e *trace.Event, r tiRequest) {
	if e.Kind == trace.Test {
		x.lost.succeeded++
	}
	delete(x.sent, e.Request)
	if i, _ := x.requests.find(r.message, x.rank); i != tiNoRequest && x.requests.take(i) != r.id {
		x.lost.swapped++
	}
}
