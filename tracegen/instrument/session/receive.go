package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

// ErrNoResult is the error of Receive if the pipe ends without a result: the program did not call spmd.Main, or it
// died.
var ErrNoResult = errors.New("the recording ended without a result")

// Receive is tracegen's end of the pipe. It passes the recording to sink until the pipe is closed, and returns the
// result. It returns errors of sink unchanged.
func Receive(r io.Reader, sink spmd.Sink) (Result, error) {
	in := &receiver{r: r, sink: sink}
	for {
		var f [1]frame
		if _, err := io.ReadFull(r, raw(f[:])); err == io.EOF {
			break
		} else if err != nil {
			return Result{}, readError(err)
		}
		if err := in.frame(f[0]); err != nil {
			return Result{}, err
		}
	}
	if in.result == nil {
		return Result{}, ErrNoResult
	}
	return *in.result, nil
}

func readError(err error) error { return fmt.Errorf("reading the recording: %w", err) }

type receiver struct {
	r      io.Reader
	sink   spmd.Sink
	refs   trace.Refs
	events trace.Events
	rows   []row
	needs  []int64
	result *Result
}

func (in *receiver) frame(f frame) error {
	switch {
	case in.result != nil:
		return readError(errors.New("more came after the result"))
	case f.kind != resultFrame && (f.rows > maxRows || f.needs > maxRows):
	case f.kind == refsFrame:
		return in.takeRefs(f)
	case f.kind == eventsFrame:
		return in.takeEvents(f)
	case f.kind == resultFrame:
		return in.takeResult(f)
	}
	return readError(fmt.Errorf("frame of kind %d with %d rows", f.kind, f.rows))
}

func (in *receiver) takeRefs(f frame) error {
	b, n := &in.refs, int(f.rows)
	b.Proc = trace.Proc(f.proc)
	b.Instr, b.Addr, b.Size, b.Op = resize(b.Instr, n), resize(b.Addr, n), resize(b.Size, n), resize(b.Op, n)
	for _, column := range [][]byte{raw(b.Instr), raw(b.Addr), raw(b.Size), raw(b.Op)} {
		if _, err := io.ReadFull(in.r, column); err != nil {
			return readError(err)
		}
	}
	return in.sink.Refs(b)
}

func (in *receiver) takeEvents(f frame) error {
	in.rows, in.needs = resize(in.rows, int(f.rows)), resize(in.needs, int(f.needs))
	for _, part := range [][]byte{raw(in.rows), raw(in.needs)} {
		if _, err := io.ReadFull(in.r, part); err != nil {
			return readError(err)
		}
	}
	b := &in.events
	b.Proc, b.Rows = trace.Proc(f.proc), b.Rows[:0]
	needs := in.needs
	for _, r := range in.rows {
		e := trace.Event{Instr: r.instr, Refs: r.refs, Kind: trace.Kind(r.kind), Peer: r.peer, Tag: r.tag, Group: r.group,
			Request: r.request, Bytes: r.bytes, Addr: r.addr, Count: r.count, Block: r.block, Stride: r.stride,
			Work: r.work, Time: r.time}
		if r.needs >= 0 {
			if int(r.needs) > len(needs) {
				return readError(errors.New("an event has more needs than were sent"))
			}
			e.Needs, needs = needs[:r.needs:r.needs], needs[r.needs:]
		}
		b.Rows = append(b.Rows, e)
	}
	return in.sink.Events(b)
}

func (in *receiver) takeResult(f frame) error {
	var text bytes.Buffer
	if _, err := io.CopyN(&text, in.r, int64(f.rows)); err != nil {
		return readError(err)
	}
	in.result = new(Result)
	if err := json.Unmarshal(text.Bytes(), in.result); err != nil {
		return readError(err)
	}
	return nil
}

// resize returns a slice of n elements, in the memory of s if that is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
