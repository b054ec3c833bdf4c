package timeline

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/traces/format"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// lateReceiver is a receiver that comes late, in nanoseconds: the message of 10 bytes is sent from 7 to 12.
func lateReceiver(t testing.TB) trace.Source {
	t.Helper()
	m := cost.Model{Send: 5000, Receive: 5000, Latency: 20000, Gap: 8000, PerByte: 2000, EagerLimit: -1}
	rows := func(events ...trace.Event) trace.Events { return trace.Events{Rows: events} }
	send, recv, compute := trace.NewEvent(trace.Send), trace.NewEvent(trace.Recv), trace.NewEvent(trace.Compute)
	send.Peer, send.Tag, send.Bytes = 1, 3, 10
	recv.Peer, recv.Tag, recv.Bytes = 0, 3, 10
	src := &trace.Memory{Head: trace.Header{Program: "late", Procs: 2}, EventsOf: []trace.Events{rows(send, compute), rows(recv, compute)}}
	src.EventsOf[1].Proc = 1
	times := NewTimes(2)
	s, r := op(program.Send, 7000, 1, 10), op(program.Recv, 90000, 0, 0)
	s.Tag, r.Tag = 3, 3
	run(t, m, [][]program.Op{{s, op(program.Compute, 4000, 0, 0)}, {r, op(program.Compute, 2000, 0, 0)}}, times)
	return times.Source(src)
}

func TestTimes(t *testing.T) {
	type row struct {
		kind trace.Kind
		at   unit.Picos
		work unit.Picos
	}
	want := [][]row{
		{{trace.Compute, 0, 7000}, {trace.Send, 7000, 0}, {trace.Compute, 12000, 4000}, {trace.Compute, 16000, 0}},
		{{trace.Compute, 0, 90000}, {trace.Recv, 90000, 0}, {trace.Compute, 95000, 2000}, {trace.Compute, 97000, 0}},
	}
	var got [2][]row
	src := lateReceiver(t)
	for b, err := range src.Events() {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range b.Rows {
			got[b.Proc] = append(got[b.Proc], row{e.Kind, unit.Picos(e.Time), unit.Picos(e.Work)})
		}
	}
	for p := range want {
		if !slices.Equal(got[p], want[p]) {
			t.Errorf("processor %d: got %v, want %v", p, got[p], want[p])
		}
	}
	if h := src.Header(); !h.HasTime || h.WorkUnit != trace.WorkPicos {
		t.Errorf("the header is %+v", h)
	}
}

func TestChromeOpens(t *testing.T) {
	var out bytes.Buffer
	viewer, err := format.ExporterByName("chrome")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := viewer.Export(lateReceiver(t), format.ExportOptions{}, &out); err != nil {
		t.Fatal(err)
	}
	var got struct {
		TraceEvents []struct {
			Name, Ph string
			Ts, Dur  float64 // us
			Tid      int
		}
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, e := range got.TraceEvents {
		if e.Name == "send" && e.Ph == "X" && e.Ts == 0.007 && e.Dur == 0.005 || e.Name == "recv" && e.Ph == "X" && e.Ts == 0.09 && e.Dur == 0.005 {
			found++
		}
	}
	if found != 2 {
		t.Errorf("%s", out.Bytes())
	}
}

// back takes what an importer reads.
type back struct{ rows [2][]trace.Event }

func (b *back) Refs(*trace.Refs) error { return nil }
func (b *back) Events(e *trace.Events) error {
	b.rows[e.Proc] = append(b.rows[e.Proc], e.Rows...)
	return nil
}

// The project's own importer gets back from Paraver's form what was written: times of sends and receives.
func TestParaverComesBack(t *testing.T) {
	var out bytes.Buffer
	viewer, err := format.ExporterByName("paraver")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := viewer.Export(lateReceiver(t), format.ExportOptions{}, &out); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "late.prv")
	if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	in, err := format.Open(context.Background(), path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var got back
	if _, err := viewer.(format.Importer).Import(in, format.Options{}, &got); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		kind trace.Kind
		at   int64
	}{{trace.Send, 7000}, {trace.Recv, 90000}}
	for p, w := range want {
		if !slices.ContainsFunc(got.rows[p], func(e trace.Event) bool { return e.Kind == w.kind && e.Time == w.at && e.Bytes == 10 && e.Tag == 3 }) {
			t.Errorf("processor %d has no %v at %d: %+v", p, w.kind, w.at, got.rows[p])
		}
	}
}
