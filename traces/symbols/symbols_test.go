package symbols

import (
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"testing"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// written writes an empty trace and its symbols, and opens both.
func written(t *testing.T, rows ...Row) (string, *store.Trace) {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "x")
	w, err := store.Create(prefix, trace.Header{Procs: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	names, err := Create(prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer names.Abort()
	for _, r := range rows {
		if err := names.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(trace.Header{Procs: 1}), names.Close(w.SHA256())); err != nil {
		t.Fatal(err)
	}
	src, err := store.Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return prefix, src
}

func TestRowsAreReadAsWritten(t *testing.T) {
	rows := []Row{
		{Kind: Heap, Addr: 1 << 40, Bytes: 24, Site: 77, Begin: Moment{1, 5}, End: Never},
		{Kind: Code, Addr: 70, Bytes: 9, Module: "m", Name: "f", In: "main", File: "f.h", Line: 3, InFile: "m.c", InLine: 4},
		{Kind: Global, Addr: 100, Bytes: 80, Name: "g", Type: "item", Count: 10},
	}
	for range 2 * batchRows {
		rows = append(rows, Row{Kind: Member, Addr: 8, Bytes: 8, Name: "n", In: "item", Type: "long", Count: 1})
	}
	prefix, src := written(t, rows...)
	f, err := Open(prefix, src)
	if err != nil {
		t.Fatal(err)
	}
	var got []Row
	for r, err := range f.Rows() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, *r)
	}
	if !reflect.DeepEqual(got, rows) {
		t.Errorf("read %d rows, and not the %d that were written", len(got), len(rows))
	}
}

func TestOpenRefusesSymbolsOfAnotherTrace(t *testing.T) {
	_, other := written(t)
	prefix, _ := written(t, Row{Kind: Code})
	w, err := store.Create(prefix, trace.Header{Procs: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.Close(trace.Header{Procs: 2}); err != nil {
		t.Fatal(err)
	}
	again, err := store.Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := Open(prefix, again); !errors.Is(err, ErrOther) {
		t.Errorf("symbols of a trace that was recorded again: %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none"), other); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no symbols: %v", err)
	}
}

func TestRegions(t *testing.T) {
	prefix, src := written(t,
		Row{Kind: Heap, Addr: 1000, Bytes: 24, Site: 10}, Row{Kind: Heap, Addr: 1032, Bytes: 24, Site: 10}, // touch, but for a header
		Row{Kind: Heap, Addr: 2000, Bytes: 100, Site: 10}, Row{Kind: Heap, Addr: 2050, Bytes: 100, Site: 20}, // one after the other
		Row{Kind: Mapping, Addr: 1900, Bytes: 500, Site: 30},
		Row{Kind: Stack, Addr: 9000, Bytes: 1000, Begin: Moment{Proc: 2}},
		Row{Kind: Global, Addr: 500, Bytes: 8, Name: "n", File: "a.c"}, Row{Kind: Global, Addr: 600, Bytes: 8, Name: "n", File: "b.c"},
		Row{Kind: Global, Addr: 700, Bytes: 8, Name: "only", File: "b.c"},
		Row{Kind: Code, Addr: 10, Bytes: 1, Name: "make", File: "/src/a.c", Line: 5},
		Row{Kind: Code, Addr: 18, Bytes: 5, Name: "std::allocate<int>(long)", In: "fill<int>(int)", File: "/usr/include/alloc.h", Line: 99, InFile: "/src/b.cc", InLine: 7},
	)
	f, err := Open(prefix, src)
	if err != nil {
		t.Fatal(err)
	}
	regions, err := f.Regions()
	if err != nil {
		t.Fatal(err)
	}
	name := func(addr uint64) string {
		for _, r := range regions {
			if addr-r.Base < r.Bytes {
				return r.Name
			}
		}
		return ""
	}
	for addr, want := range map[uint64]string{500: "n of a.c", 607: "n of b.c", 608: "", 700: "only", 1000: "heap: a.c:5 (make)", 1055: "heap: a.c:5 (make)",
		1900: "mmap: unknown place", 2000: "heap: a.c:5 (make)", 2050: "heap: a.c:5 (make), or heap: b.cc:7 (fill)", 2100: "heap: b.cc:7 (fill)",
		2150: "mmap: unknown place", 9999: "stack of processor 2"} {
		if got := name(addr); got != want {
			t.Errorf("address %d is %q, want %q", addr, got, want)
		}
	}
	if len(regions) != 10 {
		t.Errorf("%d regions: %+v", len(regions), regions)
	}
}

func TestShort(t *testing.T) {
	for name, want := range map[string]string{
		"main": "main", "void std::vector<a::b, c<d> >::insert<e>(f<g>, h&&)": "std::vector::insert", "ns::f(int)::inner(long)": "ns::f::inner",
		"a::operator<(b)": "a::operator<(b)", "main.(*T).run": "main.(*T).run", "<T as core::fmt::Debug>::fmt": "<T as core::fmt::Debug>::fmt",
	} {
		if got := short(name); got != want {
			t.Errorf("short(%q) = %q, want %q", name, got, want)
		}
	}
}
