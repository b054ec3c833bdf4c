package store

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// records reads b with the arrow library, as a file and as a stream from byte 8.
func records(t testing.TB, b []byte) (file, stream []arrow.Record, final, first *arrow.Schema) {
	t.Helper()
	fr, err := ipc.NewFileReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for i := range fr.NumRecords() {
		r, err := fr.RecordAt(i)
		if err != nil {
			t.Fatal(err)
		}
		file = append(file, r)
	}
	sr, err := ipc.NewReader(bytes.NewReader(b[8:]))
	if err != nil {
		t.Fatal(err)
	}
	for sr.Next() {
		sr.Record().Retain()
		stream = append(stream, sr.Record())
	}
	if sr.Err() != nil {
		t.Fatal(sr.Err())
	}
	return file, stream, fr.Schema(), sr.Schema()
}

// arrowTrace is the trace in two files, as the arrow library reads them.
func arrowTrace(h trace.Header, refs, events []arrow.Record) *trace.Memory {
	m := &trace.Memory{Head: h, RefsOf: make([]trace.Refs, h.Procs), EventsOf: make([]trace.Events, h.Procs)}
	for p := range h.Procs {
		m.RefsOf[p].Proc, m.EventsOf[p].Proc = trace.Proc(p), trace.Proc(p)
	}
	for _, rec := range refs {
		r := &m.RefsOf[rec.Column(0).(*array.Int32).Value(0)]
		for i := range int(rec.NumRows()) {
			r.Append(rec.Column(1).(*array.Uint32).Value(i), rec.Column(2).(*array.Uint64).Value(i),
				rec.Column(3).(*array.Uint16).Value(i), trace.Op(rec.Column(4).(*array.Uint8).Value(i)))
			if h.HasPC {
				r.PC = append(r.PC, rec.Column(5).(*array.Uint64).Value(i))
			}
		}
	}
	for _, rec := range events {
		for i := range int(rec.NumRows()) {
			e := &m.EventsOf[rec.Column(0).(*array.Int32).Value(i)]
			e.Rows = append(e.Rows, arrowEvent(h, rec, i))
		}
	}
	return m
}

func arrowEvent(h trace.Header, rec arrow.Record, i int) trace.Event {
	i32 := func(c int) int32 { return rec.Column(c).(*array.Int32).Value(i) }
	i64 := func(c int) int64 { return rec.Column(c).(*array.Int64).Value(i) }
	e := trace.Event{
		Instr: rec.Column(1).(*array.Uint32).Value(i), Refs: rec.Column(2).(*array.Uint64).Value(i),
		Kind: trace.Kind(rec.Column(3).(*array.Uint8).Value(i)),
		Peer: i32(4), Tag: i32(5), Group: i32(6), Request: i32(7),
		Bytes: i64(8), Addr: i64(9), Count: i64(10), Block: i64(11), Stride: i64(12), Work: i64(13),
	}
	if h.HasTime {
		e.Time = i64(14)
	}
	if needs := rec.Column(int(rec.NumCols()) - 1).(*array.List); needs.IsValid(i) {
		from, to := needs.ValueOffsets(i)
		e.Needs = append([]int64{}, needs.ListValues().(*array.Int64).Int64Values()[from:to]...)
	}
	return e
}

func TestArrowLibraryReadsTheSameValues(t *testing.T) {
	for _, optional := range []bool{true, false}[:testsize.Cases(2, 1)] {
		h := header(3)
		h.HasPC, h.HasTime = optional, optional
		want := memory(rand.New(rand.NewPCG(3, 4)), h, batchRows/3, 1000)
		want.RefsOf[1] = memory(rand.New(rand.NewPCG(5, 6)), h, batchRows+5, 1).RefsOf[1]
		want.EventsOf[2].Rows = nil
		prefix := filepath.Join(t.TempDir(), "x")
		save(t, prefix, want, 10_000)
		refsFile, refsStream, _, _ := records(t, read(t, prefix+RefsSuffix))
		eventsFile, eventsStream, _, _ := records(t, read(t, prefix+EventsSuffix))
		for _, got := range []*trace.Memory{arrowTrace(h, refsFile, eventsFile), arrowTrace(h, refsStream, eventsStream)} {
			for p := range h.Procs {
				if !sameRefs(&got.RefsOf[p], &want.RefsOf[p]) || !reflect.DeepEqual(got.EventsOf[p], want.EventsOf[p]) {
					t.Errorf("optional columns %t: the arrow library reads other values of processor %d", optional, p)
				}
			}
		}
	}
}

func TestArrowLibraryReadsTheSchema(t *testing.T) {
	h := header(2)
	h.HasPC, h.HasTime = true, true
	prefix := filepath.Join(t.TempDir(), "x")
	save(t, prefix, memory(rand.New(rand.NewPCG(3, 4)), h, 10, 10), 3)
	_, _, refs, first := records(t, read(t, prefix+RefsSuffix))
	_, _, events, _ := records(t, read(t, prefix+EventsSuffix))
	for _, c := range []struct {
		s         *arrow.Schema
		key, want string
	}{
		{refs, "spoor.kind", "refs"}, {events, "spoor.kind", "events"}, {refs, "spoor.version", "1"},
		{refs, "spoor.args", `[["points","<64>"],["é",""]]`}, {refs, "spoor.procs", "2"}, {first, "spoor.procs", "0"},
		{events, "spoor.seed", "18446744073709551615"}, {refs, "spoor.notes", `["a note"]`}, {first, "spoor.notes", `[]`},
		{refs, "spoor.inputs", `["` + zeroDigest + `"]`}, {refs, "spoor.work_unit", "instr"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if i := c.s.Metadata().FindKey(c.key); i < 0 || c.s.Metadata().Values()[i] != c.want {
				t.Errorf("%s is not %q in %s", c.key, c.want, c.s.Metadata())
			}
		})
	}
	const refsWant = "proc:int32 instr:uint32[spoor.unit=instr] addr:uint64[spoor.unit=B] size:uint16[spoor.unit=B] " +
		"op:uint8[spoor.enum=1=load,2=store,3=ifetch,4=prefetch,5=flush] pc:uint64 "
	if got := describe(refs); got != refsWant {
		t.Errorf("refs have the columns\n%s, want\n%s", got, refsWant)
	}
	const eventsWant = "proc:int32 instr:uint32[spoor.unit=instr] refs:uint64[spoor.unit=refs] kind:uint8[spoor.enum=1=compute," +
		"2=send,3=recv,4=isend,5=irecv,6=wait,7=test,8=probe,9=iprobe,10=clock,11=barrier,12=lock,13=unlock,14=signal," +
		"15=waitflag,16=bcast,17=reduce,18=allreduce,19=scan,20=gather,21=allgather,22=scatter,23=alltoall,24=fork,25=join," +
		"26=marker] peer:int32 tag:int32 group:int32 request:int32 bytes:int64[spoor.unit=B] addr:int64[spoor.unit=B] " +
		"count:int64 block:int64[spoor.unit=B] stride:int64[spoor.unit=B] work:int64[spoor.unit=instr] " +
		"time:int64[spoor.unit=ps] needs:list<item: int64>? "
	if got := describe(events); got != eventsWant {
		t.Errorf("events have the columns\n%s, want\n%s", got, eventsWant)
	}
}

// describe lists columns as name:type[metadata], with ? where they may be null.
func describe(s *arrow.Schema) string {
	var b bytes.Buffer
	for _, f := range s.Fields() {
		b.WriteString(f.Name + ":" + f.Type.String())
		if f.Nullable {
			b.WriteByte('?')
		}
		for i, k := range f.Metadata.Keys() {
			b.WriteString("[" + k + "=" + f.Metadata.Values()[i] + "]")
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func TestArrowLibraryReadsTables(t *testing.T) {
	want := someTable(batchRows + 10)
	path := filepath.Join(t.TempDir(), "t.arrow")
	if err := WriteTable(path, want); err != nil {
		t.Fatal(err)
	}
	file, stream, s, _ := records(t, read(t, path))
	for _, recs := range [][]arrow.Record{file, stream} {
		row := 0
		for _, rec := range recs {
			for i := range int(rec.NumRows()) {
				if rec.Column(0).(*array.Int32).Value(i) != want.Columns[0].Data.([]int32)[row] ||
					rec.Column(1).(*array.Int64).Value(i) != want.Columns[1].Data.([]int64)[row] ||
					rec.Column(2).(*array.Uint64).Value(i) != want.Columns[2].Data.([]uint64)[row] ||
					rec.Column(3).(*array.Float64).Value(i) != want.Columns[3].Data.([]float64)[row] ||
					rec.Column(4).(*array.String).Value(i) != want.Columns[4].Data.([]string)[row] {
					t.Fatalf("the arrow library reads row %d differently", row)
				}
				row++
			}
		}
		if row != want.Rows() {
			t.Fatalf("the arrow library reads %d rows of %d", row, want.Rows())
		}
	}
	if i := s.Metadata().FindKey("program"); i < 0 || s.Metadata().Values()[i] != "fft" {
		t.Errorf("facts are not metadata: %s", s.Metadata())
	}
}
