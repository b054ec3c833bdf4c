package session

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"spoor/traces/trace"
)

// writer is the program's end of the pipe. It is a sink of a recording. It is not safe for concurrent use.
type writer struct {
	w     io.Writer
	rows  []row
	needs []int64
}

// Refs sends references of one processor.
func (w *writer) Refs(b *trace.Refs) error {
	f := frame{kind: refsFrame, proc: int32(b.Proc), rows: uint32(b.Len())}
	return w.send(f, raw(b.Instr), raw(b.Addr), raw(b.Size), raw(b.Op))
}

// Events sends events of one processor.
func (w *writer) Events(b *trace.Events) error {
	w.rows, w.needs = w.rows[:0], w.needs[:0]
	for i := range b.Rows {
		e := &b.Rows[i]
		r := row{instr: e.Instr, refs: e.Refs, kind: uint8(e.Kind), peer: e.Peer, tag: e.Tag, group: e.Group,
			request: e.Request, bytes: e.Bytes, addr: e.Addr, count: e.Count, block: e.Block, stride: e.Stride,
			work: e.Work, time: e.Time, needs: -1}
		if e.Needs != nil {
			r.needs = int32(len(e.Needs))
			w.needs = append(w.needs, e.Needs...)
		}
		w.rows = append(w.rows, r)
	}
	f := frame{kind: eventsFrame, proc: int32(b.Proc), rows: uint32(len(w.rows)), needs: uint32(len(w.needs))}
	return w.send(f, raw(w.rows), raw(w.needs))
}

// result sends the result of the run. It is the last call.
func (w *writer) result(r Result) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if len(text) > math.MaxUint32 {
		return fmt.Errorf("a result of %d bytes is too long", len(text))
	}
	return w.send(frame{kind: resultFrame, rows: uint32(len(text))}, text)
}

func (w *writer) send(f frame, columns ...[]byte) error {
	if f.kind != resultFrame && (f.rows > maxRows || f.needs > maxRows) {
		return fmt.Errorf("a frame of %d rows; at most %d are supported", max(f.rows, f.needs), maxRows)
	}
	if _, err := w.w.Write(raw([]frame{f})); err != nil {
		return err
	}
	for _, c := range columns {
		if _, err := w.w.Write(c); err != nil {
			return err
		}
	}
	return nil
}
