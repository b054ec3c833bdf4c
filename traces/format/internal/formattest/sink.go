// Package formattest has what tests of formats share.
package formattest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// MemorySink keeps a trace in memory, and holds what it gets to the invariants.
type MemorySink struct {
	trace.Memory
	Err error
}

var anyProcs = trace.Header{Procs: 1 << 20}

func (m *MemorySink) Refs(b *trace.Refs) error {
	any := anyProcs
	any.HasPC = m.Head.HasPC
	if err := trace.CheckRefs(any, b); err != nil {
		return err
	}
	for len(m.RefsOf) <= int(b.Proc) {
		m.RefsOf = append(m.RefsOf, trace.Refs{Proc: trace.Proc(len(m.RefsOf))})
	}
	r := &m.RefsOf[b.Proc]
	for i := range b.Addr {
		r.Append(b.Instr[i], b.Addr[i], b.Size[i], b.Op[i])
	}
	if b.PC != nil {
		r.PC = append(r.PC, b.PC...)
	}
	return m.Err
}

func (m *MemorySink) Events(b *trace.Events) error {
	for len(m.EventsOf) <= int(b.Proc) {
		m.EventsOf = append(m.EventsOf, trace.Events{Proc: trace.Proc(len(m.EventsOf))})
	}
	e := &m.EventsOf[b.Proc]
	last := uint64(0)
	if n := len(e.Rows); n > 0 {
		last = e.Rows[n-1].Refs
	}
	if err := trace.CheckEvents(anyProcs, b, last, 1<<63); err != nil {
		return err
	}
	for _, row := range b.Rows {
		row.Needs = slices.Clone(row.Needs)
		e.Rows = append(e.Rows, row)
	}
	return m.Err
}

// ImportText reads text as a whole file in a format.
func ImportText(im format.Importer, text string, o format.Options) (*trace.Memory, format.Result, error) {
	return ImportBytes(im, []byte(text), o)
}

func ImportBytes(im format.Importer, file []byte, o format.Options) (*trace.Memory, format.Result, error) {
	in, err := input.Open(context.Background(), "-", bytes.NewReader(file), nil)
	if err != nil {
		return nil, format.Result{}, err
	}
	defer in.Close()
	sink, layout := new(MemorySink), format.LayoutOf(im, o)
	sink.Head = trace.Header{WorkUnit: layout.Work, HasPC: layout.PC, HasTime: layout.Time}
	r, err := im.Import(in, o, sink)
	sink.Head.Procs = r.Procs
	return &sink.Memory, r, err
}

// MustImport is ImportText of good text, whose trace must be sound.
func MustImport(t *testing.T, im format.Importer, text string, o format.Options) (*trace.Memory, format.Result) {
	t.Helper()
	m, r, err := ImportText(im, text, o)
	if err != nil {
		t.Fatalf("%s of %.80q: %v", im.Info().Name, text, err)
	}
	if err := trace.Check(m); err != nil {
		t.Fatalf("%s of %.80q gives a trace that is not sound: %v", im.Info().Name, text, err)
	}
	return m, r
}

// CheckImported holds what came of any bytes at all to the invariants: a sound
// trace, or one line of error.
func CheckImported(t *testing.T, m *trace.Memory, err error) {
	t.Helper()
	if err != nil {
		if strings.ContainsAny(err.Error(), "\n\x00") || len(err.Error()) > 600 {
			t.Errorf("the error is not one readable line: %q", err)
		}
		return
	}
	if err := trace.Check(m); err != nil {
		t.Fatal(err)
	}
}

// Row is one reference, to compare.
type Row struct {
	Instr uint32
	Addr  uint64
	Size  uint16
	Op    trace.Op
}

func Rows(m *trace.Memory, p trace.Proc) (all []Row) {
	if int(p) >= len(m.RefsOf) {
		return nil
	}
	r := &m.RefsOf[p]
	for i := range r.Addr {
		all = append(all, Row{r.Instr[i], r.Addr[i], r.Size[i], r.Op[i]})
	}
	return all
}

func Events(m *trace.Memory, p trace.Proc) []trace.Event {
	if int(p) >= len(m.EventsOf) {
		return nil
	}
	return m.EventsOf[p].Rows
}

// SameTrace compares all rows.
func SameTrace(t *testing.T, what string, got, want *trace.Memory) {
	t.Helper()
	if got.Head.Procs != want.Head.Procs {
		t.Fatalf("%s: %d processors, want %d", what, got.Head.Procs, want.Head.Procs)
	}
	for p := range want.Head.Procs {
		g, w := Rows(got, trace.Proc(p)), Rows(want, trace.Proc(p))
		if !slices.Equal(g, w) {
			i := 0
			for i < len(g) && i < len(w) && g[i] == w[i] {
				i++
			}
			t.Fatalf("%s: processor %d: %d references, want %d; the first difference is at %d: %+v, want %+v",
				what, p, len(g), len(w), i, g[i:min(i+1, len(g))], w[i:min(i+1, len(w))])
		}
	}
}

// Shared is a folder of the samples that the project may not copy, or "".
func Shared(t *testing.T, name string) string {
	t.Helper()
	samples := os.Getenv("SPOOR_SAMPLES")
	if samples == "" {
		samples = filepath.Join(root(), "..", "shared", "samples")
	}
	path := filepath.Join(samples, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no samples at %s; SPOOR_SAMPLES names their folder", path)
	}
	return path
}
