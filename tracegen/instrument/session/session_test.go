package session

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spoor/tracegen/spmd"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// kept is a sink that keeps everything.
type kept struct {
	refs   []trace.Refs
	events []trace.Events
	err    error
}

func (k *kept) Refs(b *trace.Refs) error {
	k.refs = append(k.refs, trace.Refs{Proc: b.Proc, Instr: slices.Clone(b.Instr), Addr: slices.Clone(b.Addr),
		Size: slices.Clone(b.Size), Op: slices.Clone(b.Op)})
	return k.err
}

func (k *kept) Events(b *trace.Events) error {
	rows := slices.Clone(b.Rows)
	for i := range rows {
		rows[i].Needs = slices.Clone(rows[i].Needs)
	}
	k.events = append(k.events, trace.Events{Proc: b.Proc, Rows: rows})
	return k.err
}

// sample is a recording of two processors, with every field of an event in use.
func sample() (refs []trace.Refs, events []trace.Events) {
	for p := range trace.Proc(2) {
		b := trace.Refs{Proc: p}
		for i := range uint64(1000) {
			b.Append(uint32(i)<<22, 1<<46-i, uint16(i), trace.Op(1+i%2))
		}
		refs = append(refs, b)
		full := trace.NewEvent(trace.AllToAll)
		v := reflect.ValueOf(&full).Elem()
		for i := range v.NumField() {
			switch f := v.Field(i); {
			case f.CanInt():
				f.SetInt(-int64(1 + i))
			case f.CanUint() && f.Type() != reflect.TypeFor[trace.Kind]():
				f.SetUint(uint64(1 + i))
			}
		}
		full.Needs = []int64{1, -2, 1 << 40}
		none := trace.NewEvent(trace.Barrier)
		none.Needs = []int64{}
		events = append(events, trace.Events{Proc: p, Rows: []trace.Event{full, trace.NewEvent(trace.Send), none, full}})
	}
	return refs, events
}

func send(t *testing.T) (stream []byte, refs []trace.Refs, events []trace.Events, result Result) {
	t.Helper()
	refs, events = sample()
	result = Result{Error: "rank 0: \"quoted\"\n", Seconds: 1.5, Recording: &spmd.Recording{
		Totals:  []trace.Totals{{Instr: unit.Instructions(1 << 40), Refs: 2, Events: 3}},
		Regions: []spmd.Region{{Name: "a", Owner: 1, Base: 1 << 46, Bytes: 8, Home: spmd.Homes(2, 1)}}}}
	var out bytes.Buffer
	w := &writer{w: &out}
	for i := range refs {
		if err := errors.Join(w.Refs(&refs[i]), w.Events(&events[i])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.result(result); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), refs, events, result
}

func TestWhatIsSentArrives(t *testing.T) {
	stream, refs, events, result := send(t)
	got := new(kept)
	r, err := Receive(bytes.NewReader(stream), got)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.refs, refs) || !reflect.DeepEqual(got.events, events) {
		t.Errorf("other rows arrived than were sent:\n%v\n%v", got.events, events)
	}
	if !reflect.DeepEqual(r, result) {
		t.Errorf("result %+v, want %+v", r, result)
	}
}

// A program may die anywhere: every start of a stream is an error, and one that
// ends between frames is told from one that ends within.
func TestAStreamThatEndsEarlyIsAnError(t *testing.T) {
	stream, _, _, _ := send(t)
	between := 0
	for n := 0; n < len(stream); n += 13 {
		_, err := Receive(bytes.NewReader(stream[:n]), new(kept))
		switch {
		case err == nil:
			t.Fatalf("no error after %d of %d bytes", n, len(stream))
		case errors.Is(err, ErrNoResult):
			between++
		case !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF):
			t.Fatalf("after %d bytes: %v", n, err)
		}
	}
	if between == 0 {
		t.Error("nothing is not told from a part of something")
	}
}

func TestSinksMayRefuse(t *testing.T) {
	stream, _, _, _ := send(t)
	full := errors.New("the disk is full")
	if _, err := Receive(bytes.NewReader(stream), &kept{err: full}); !errors.Is(err, full) {
		t.Error(err)
	}
}

func TestOrderGoesThroughTheEnvironment(t *testing.T) {
	if o, err := readOrder(); o != nil || err != nil {
		t.Errorf("without the variable: %v, %v", o, err)
	}
	want := Order{FD: 3, Options: spmd.Options{Procs: 4, NoRefs: true}}
	_, text, _ := strings.Cut(want.Environment(), "=")
	t.Setenv(variable, text)
	want.Version = version
	if o, err := readOrder(); err != nil || *o != want {
		t.Errorf("got %+v, %v, want %+v", o, err, want)
	}
	if o, _ := readOrder(); o != nil {
		t.Error("the variable is still there")
	}
	t.Setenv(variable, `{"Version": 999}`)
	if _, err := readOrder(); err == nil || !strings.Contains(err.Error(), "version 999") {
		t.Errorf("another version: %v", err)
	}
	t.Setenv(variable, `{`)
	if _, err := readOrder(); err == nil {
		t.Error("half an order is no error")
	}
}

// Whatever comes through the pipe, reading it ends without panic, and takes no
// memory that was not sent.
func FuzzReceive(f *testing.F) {
	var out bytes.Buffer
	w := &writer{w: &out}
	b := trace.Refs{}
	b.Append(1, 2, 3, trace.Load)
	e := trace.Events{Rows: []trace.Event{trace.NewEvent(trace.Barrier)}}
	if err := errors.Join(w.Refs(&b), w.Events(&e), w.result(Result{})); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, stream []byte) {
		_, _ = Receive(bytes.NewReader(stream), new(kept))
	})
}
