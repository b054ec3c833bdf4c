package store

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"
	"time"

	"spoor/traces/trace"
)

// foreignFile is what read.mjs says of a file: by reader, with sums modulo 2^64.
type foreignFile struct {
	Columns []string
	Rows    int
	Sums    []string
}

// foreignReaders runs the readers in the folder interop, and installs them first.
func foreignReaders(t *testing.T, files ...string) []map[string]foreignFile {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed: the readers are npm packages", tool)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	// Not npm ci: the lock file has no packages of other platforms.
	install := exec.CommandContext(ctx, "npm", "install", "--no-save", "--no-audit", "--no-fund")
	install.Dir = "interop"
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	read := exec.CommandContext(ctx, "node", append([]string{"read.mjs"}, files...)...)
	read.Dir, read.Stderr = "interop", os.Stderr
	out, err := read.Output()
	if err != nil {
		t.Fatalf("node read.mjs: %v", err)
	}
	var got []map[string]foreignFile
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return got
}

// Readers that nobody here wrote, in another language, find the same columns, rows
// and sums.
func TestForeignReadersAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("runs readers in other languages")
	}
	h := header(3)
	h.HasPC, h.HasTime = true, true
	want := memory(rand.New(rand.NewPCG(3, 4)), h, 5000, 1000)
	prefix := filepath.Join(t.TempDir(), "x")
	save(t, prefix, want, 10_000)
	for i, readers := range foreignReaders(t, prefix+RefsSuffix, prefix+EventsSuffix) {
		expect := []foreignFile{foreignRefs(want), foreignEvents(want)}[i]
		for _, name := range []string{"polars", "apache-arrow"} {
			if got := readers[name]; !reflect.DeepEqual(got, expect) {
				t.Errorf("%s reads\n%v, want\n%v", name, got, expect)
			}
		}
	}
}

// foreign adds the values of a row to the sums of its columns.
func (f *foreignFile) add(sums []uint64, row ...int64) {
	f.Rows++
	for i, v := range row {
		sums[i] += uint64(v)
	}
}

func (f *foreignFile) finish(sums []uint64) foreignFile {
	for i := range f.Columns {
		f.Sums = append(f.Sums, strconv.FormatUint(sums[i], 10))
	}
	return *f
}

func foreignRefs(m *trace.Memory) foreignFile {
	f := foreignFile{Columns: []string{"proc", "instr", "addr", "size", "op", "pc"}}
	sums := make([]uint64, len(f.Columns))
	for p := range m.RefsOf {
		r := &m.RefsOf[p]
		for i := range r.Addr {
			f.add(sums, int64(p), int64(r.Instr[i]), int64(r.Addr[i]), int64(r.Size[i]), int64(r.Op[i]), int64(r.PC[i]))
		}
	}
	return f.finish(sums)
}

func foreignEvents(m *trace.Memory) foreignFile {
	f := foreignFile{Columns: []string{"proc", "instr", "refs", "kind", "peer", "tag", "group", "request",
		"bytes", "addr", "count", "block", "stride", "work", "time", "needs"}}
	sums := make([]uint64, len(f.Columns))
	for p := range m.EventsOf {
		for _, e := range m.EventsOf[p].Rows {
			needs := int64(0)
			if e.Needs != nil {
				needs = 1
			}
			for _, n := range e.Needs {
				needs += n
			}
			f.add(sums, int64(p), int64(e.Instr), int64(e.Refs), int64(e.Kind), int64(e.Peer), int64(e.Tag), int64(e.Group), int64(e.Request),
				e.Bytes, e.Addr, e.Count, e.Block, e.Stride, e.Work, e.Time, needs)
		}
	}
	return f.finish(sums)
}
