package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	mem "github.com/apache/arrow/go/v15/arrow/memory"

	"spoor/traces/trace"
)

// stockRecords is refs as records of the arrow library.
func stockRecords(refs *trace.Refs) (*arrow.Schema, []arrow.Record) {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "proc", Type: arrow.PrimitiveTypes.Int32}, {Name: "instr", Type: arrow.PrimitiveTypes.Uint32},
		{Name: "addr", Type: arrow.PrimitiveTypes.Uint64}, {Name: "size", Type: arrow.PrimitiveTypes.Uint16},
		{Name: "op", Type: arrow.PrimitiveTypes.Uint8}}, nil)
	var all []arrow.Record
	for i := 0; i < refs.Len(); i += batchRows {
		r := refs.Slice(i, min(i+batchRows, refs.Len()))
		b := array.NewRecordBuilder(mem.DefaultAllocator, s)
		b.Field(0).(*array.Int32Builder).AppendValues(make([]int32, r.Len()), nil)
		b.Field(1).(*array.Uint32Builder).AppendValues(r.Instr, nil)
		b.Field(2).(*array.Uint64Builder).AppendValues(r.Addr, nil)
		b.Field(3).(*array.Uint16Builder).AppendValues(r.Size, nil)
		for _, op := range r.Op {
			b.Field(4).(*array.Uint8Builder).Append(uint8(op))
		}
		all = append(all, b.NewRecord())
	}
	return s, all
}

func writeStock(b *testing.B, path string, s *arrow.Schema, all []arrow.Record) {
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(s), ipc.WithZstd())
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range all {
		if err := w.Write(r); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkStockWriteRefs is the arrow library's writer on the same data.
func BenchmarkStockWriteRefs(b *testing.B) {
	refs := benchRefs(b)
	s, all := stockRecords(refs)
	path := filepath.Join(b.TempDir(), "x.arrow")
	for b.Loop() {
		writeStock(b, path, s, all)
	}
	report(b, refs, fileSize(b, path))
}

// BenchmarkStockReadRefs is the arrow library's reader on the same data.
func BenchmarkStockReadRefs(b *testing.B) {
	refs := benchRefs(b)
	s, all := stockRecords(refs)
	path := filepath.Join(b.TempDir(), "x.arrow")
	writeStock(b, path, s, all)
	for b.Loop() {
		readStock(b, path, refs.Len())
	}
	report(b, refs, fileSize(b, path))
}

// readStock reads all records and counts.
func readStock(b *testing.B, path string, want int) {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	rows := 0
	for i := range r.NumRecords() {
		rec, err := r.RecordAt(i)
		if err != nil {
			b.Fatal(err)
		}
		rows += int(rec.NumRows())
		rec.Release()
	}
	if rows != want {
		b.Fatalf("%d rows of %d", rows, want)
	}
}
