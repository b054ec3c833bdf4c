package formattest

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/store"
	"spoor/traces/trace"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// BenchmarkImport is BenchmarkRecords of text, whose records are its lines.
func BenchmarkImport(b *testing.B, im format.Importer, text []byte) {
	BenchmarkImportWith(b, im, text, format.Options{})
}

func BenchmarkImportWith(b *testing.B, im format.Importer, text []byte, o format.Options) {
	BenchmarkRecords(b, im, text, bytes.Count(text, input.Newline), o)
}

// BenchmarkRecords imports file of n records that is not compressed: into nothing,
// which measures the parser and the goroutine that reads, and into the files of a
// trace, as users do.
func BenchmarkRecords(b *testing.B, im format.Importer, file []byte, n int, o format.Options) {
	run := func(b *testing.B, sink format.Sink) format.Result {
		in, err := input.Open(b.Context(), "-", bytes.NewReader(file), nil)
		if err != nil {
			b.Fatal(err)
		}
		r, err := im.Import(in, o, sink)
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	report := func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
	}
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			run(b, Discard{})
		}
		report(b)
	})
	b.Run("file", func(b *testing.B) {
		prefix := filepath.Join(b.TempDir(), "x")
		layout := format.LayoutOf(im, o)
		head := trace.Header{WorkUnit: layout.Work, HasPC: layout.PC, HasTime: layout.Time}
		for b.Loop() {
			w, err := store.Create(prefix, head)
			if err != nil {
				b.Fatal(err)
			}
			head := head
			head.Procs = run(b, w).Procs
			if err := w.Close(head); err != nil {
				b.Fatal(err)
			}
		}
		report(b)
	})
}

// Discard is a sink that does nothing.
type Discard struct{}

func (Discard) Refs(*trace.Refs) error { return nil }

func (Discard) Events(*trace.Events) error { return nil }

func Open(t *testing.T, text string) *input.Input {
	t.Helper()
	in, err := input.Open(context.Background(), "-", strings.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.Close)
	return in
}

// RandomTrace has one processor of references that all formats of Dinero's can
// express: an instruction is a fetch, and data references are part of it.
func RandomTrace(rng *rand.Rand, ops []trace.Op, addressBits int) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: 1, WorkUnit: trace.WorkInstr}, RefsOf: make([]trace.Refs, 1)}
	r := &m.RefsOf[0]
	r.Append(1, 0x1000, 4, trace.Ifetch)
	for range rng.IntN(200) {
		op := ops[rng.IntN(len(ops))]
		instr := uint32(0)
		if op == trace.Ifetch {
			instr = 1
		}
		size := uint16(1 + rng.IntN(65535))
		r.Append(instr, min(rng.Uint64()>>(64-1-rng.IntN(addressBits)), 1<<addressBits-uint64(size)), size, op)
	}
	return m
}

// ImportPaths reads files as one trace.
func ImportPaths(im format.MultiFileImporter, paths []string, o format.Options) (*trace.Memory, format.Result, error) {
	files := input.NewFiles(context.Background(), paths, nil, nil)
	defer files.Close()
	sink, layout := new(MemorySink), format.LayoutOf(im, o)
	sink.Head = trace.Header{WorkUnit: layout.Work, HasPC: layout.PC, HasTime: layout.Time}
	r, err := im.ImportFiles(files, o, sink)
	sink.Head.Procs = r.Procs
	return &sink.Memory, r, err
}

func MustImportPaths(t *testing.T, im format.MultiFileImporter, paths []string, o format.Options) (*trace.Memory, format.Result) {
	t.Helper()
	m, r, err := ImportPaths(im, paths, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Check(m); err != nil {
		t.Fatalf("%v give a trace that is not sound: %v", paths, err)
	}
	return m, r
}

// Complains holds an error to what it must say.
func Complains(t *testing.T, name string, err error, parts ...string) {
	t.Helper()
	WantError(t, name, err, "", "")
	for _, part := range parts {
		if err != nil && !strings.Contains(err.Error(), part) {
			t.Errorf("%s: error is %q, want %q", name, err, part)
		}
	}
}

// CountsOf are the counts of a result by name.
func CountsOf(r format.Result) map[string]uint64 {
	all := map[string]uint64{}
	for _, c := range r.Counts {
		all[c.Name] = c.N
	}
	return all
}

// HasNote reports a note or fact that contains text.
func HasNote(notes []string, text string) bool {
	return slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, text) })
}

// Set is the options with a setting.
func Set(name, value string) format.Options {
	return format.Options{Set: map[string]string{name: value}}
}

func InGroup(g int32) func(*trace.Event) { return func(e *trace.Event) { e.Group = g } }

func Request(r int32) func(*trace.Event) { return func(e *trace.Event) { e.Request = r } }

func Needing(n ...int64) func(*trace.Event) {
	return func(e *trace.Event) { e.Needs = append([]int64{}, n...) }
}

// Sample is the decompressed text of a sample.
func Sample(t testing.TB, name string) string {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(SampleDir, name))
	if err != nil {
		t.Fatal(err)
	}
	text, err := ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// WantError holds err to one line that begins and contains so.
func WantError(t *testing.T, name string, err error, place, reason string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("%s: no error", name)
	case !strings.HasPrefix(err.Error(), place) || !strings.Contains(err.Error(), reason):
		t.Errorf("%s: error is %q, want %q and %q", name, err, place, reason)
	case strings.ContainsAny(err.Error(), "\n\r\x00") || len(err.Error()) > 400:
		t.Errorf("%s: the error is not one readable line: %q", name, err)
	}
}

func ErrorsAs(err error, target **trace.SyntaxError) bool {
	s, ok := err.(*trace.SyntaxError)
	*target = s
	return ok
}

// CheckRoundTrip exports m and imports what came out.
func CheckRoundTrip(t *testing.T, f interface {
	format.Importer
	format.Exporter
}, m *trace.Memory) {
	t.Helper()
	var b bytes.Buffer
	if _, err := f.Export(m, format.ExportOptions{}, &b); err != nil {
		t.Fatalf("%s: %v", f.Info().Name, err)
	}
	again, _ := MustImport(t, f, b.String(), format.Options{TimeIsExact: true})
	SameTrace(t, f.Info().Name+" exported and imported", again, m)
}

// event is a shorthand for the events of messages: all times in ns, as in the texts.
func messageEvent(k trace.Kind, time int64, set func(*trace.Event)) trace.Event {
	e := trace.NewEvent(k)
	e.Time = time * 1000
	if set != nil {
		set(&e)
	}
	return e
}

func ComputeEvent(from, to int64) trace.Event {
	return messageEvent(trace.Compute, from, func(e *trace.Event) { e.Work = (to - from) * 1000 })
}

func Transfer(k trace.Kind, time int64, peer, tag, group, request int32, bytes int64) trace.Event {
	return messageEvent(k, time, func(e *trace.Event) {
		e.Peer, e.Tag, e.Group, e.Request, e.Bytes = peer, tag, group, request, bytes
	})
}

// WantEvents compares the events of one rank.
func WantEvents(t *testing.T, m *trace.Memory, p trace.Proc, want ...trace.Event) {
	t.Helper()
	got := Events(m, p)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("rank %d, event %d of %d: %+v\nwant %+v", p, i, len(got), got[i:min(i+1, len(got))], want[i:min(i+1, len(want))])
		}
	}
}

// ImportFiles reads files that are one trace.
func ImportFiles(t testing.TB, im format.MultiFileImporter, o format.Options, paths ...string) (*trace.Memory, format.Result, error) {
	t.Helper()
	files := input.NewFiles(context.Background(), paths, nil, nil)
	defer files.Close()
	sink := new(MemorySink)
	r, err := im.ImportFiles(files, o, sink)
	sink.Head = trace.Header{Procs: r.Procs, WorkUnit: format.LayoutOf(im, o).Work}
	return &sink.Memory, r, err
}

// CheckFuzzed makes sure that any bytes are a sound trace or one line of error.
func CheckFuzzed(t *testing.T, m *trace.Memory, o format.Options, err error) {
	t.Helper()
	if err == nil && !o.Unmatched {
		if err := trace.Check(m); err != nil {
			t.Fatal(err)
		}
	}
	if err == nil {
		return
	}
	if strings.ContainsAny(err.Error(), "\n\x00") || len(err.Error()) > 600 {
		t.Errorf("%q", err)
	}
}

// EventText lists what a rank does: kind, peer, bytes, request and the time in ns.
func EventText(m *trace.Memory, p trace.Proc) string {
	var all []string
	for _, e := range Events(m, p) {
		s := e.Kind.String()
		if e.Kind == trace.Compute {
			s += fmt.Sprint(" ", e.Work/1e3)
		}
		if e.Peer != trace.None {
			s += fmt.Sprint(" ", e.Peer)
		}
		if e.Group != trace.None {
			s += fmt.Sprint(" g", e.Group)
		}
		if e.Bytes > 0 {
			s += fmt.Sprint(" ", e.Bytes, "B")
		}
		if e.Request != trace.None {
			s += fmt.Sprint(" r", e.Request)
		}
		all = append(all, fmt.Sprint(s, " @", e.Time/1e3))
	}
	return strings.Join(all, ", ")
}

// WantTold compares all ranks.
func WantTold(t *testing.T, m *trace.Memory, want ...string) {
	t.Helper()
	for p, w := range want {
		if got := EventText(m, trace.Proc(p)); got != w {
			t.Errorf("rank %d:\n%s\nwant\n%s", p, got, w)
		}
	}
}

// WantNotes makes sure that every note is there, and no other one.
func WantNotes(t *testing.T, r format.Result, want ...string) {
	t.Helper()
	for _, w := range want {
		if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, w) }) {
			t.Errorf("no note %q among %q", w, r.Notes)
		}
	}
	if len(r.Notes) > len(want) {
		t.Errorf("notes %q, want %q", r.Notes, want)
	}
}

// SentOf lists all messages: from, to, tag, bytes.
func SentOf(m *trace.Memory) string {
	var all []string
	for p := range m.Head.Procs {
		for _, e := range Events(m, trace.Proc(p)) {
			if e.Kind == trace.Send || e.Kind == trace.Isend {
				all = append(all, fmt.Sprint(p, e.Peer, e.Tag, e.Bytes))
			}
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

func Event(k trace.Kind, change func(e *trace.Event)) trace.Event {
	e := trace.NewEvent(k)
	change(&e)
	return e
}

// ImportFolder writes files into a folder and imports them.
func ImportFolder(t *testing.T, im format.MultiFileImporter, files map[string]string, o format.Options) (*trace.Memory, format.Result, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	paths, err := im.Expand(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := input.NewFiles(context.Background(), paths, nil, nil)
	defer all.Close()
	sink := new(MemorySink)
	r, err := im.ImportFiles(all, o, sink)
	if err != nil {
		return nil, r, fmt.Errorf("%s", strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	}
	sink.Head = trace.Header{Procs: r.Procs, WorkUnit: trace.WorkInstr}
	if err := trace.Check(&sink.Memory); err != nil {
		t.Fatal(err)
	}
	return &sink.Memory, r, nil
}

// Made is an event of some properties.
func Made(k trace.Kind, set ...func(*trace.Event)) trace.Event {
	e := trace.NewEvent(k)
	for _, f := range set {
		f(&e)
	}
	return e
}

func With(peer, tag int32, bytes int64) func(*trace.Event) {
	return func(e *trace.Event) { e.Peer, e.Tag, e.Bytes = peer, tag, bytes }
}

func Work(w int64) func(*trace.Event) { return func(e *trace.Event) { e.Work = w } }

func Instr(n uint32) func(*trace.Event) { return func(e *trace.Event) { e.Instr = n } }

func At(t int64) func(*trace.Event) { return func(e *trace.Event) { e.Time = t } }

// MemoryOf is a trace of these events of each processor.
func MemoryOf(work trace.WorkUnit, timed bool, procs ...[]trace.Event) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Program: "test", Procs: len(procs), WorkUnit: work, HasTime: timed}}
	for p, rows := range procs {
		m.EventsOf = append(m.EventsOf, trace.Events{Proc: trace.Proc(p), Rows: rows})
	}
	return m
}

func SameEvent(a, b trace.Event) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// Compressors make one member of each container.
var Compressors = map[string]func(text string) []byte{
	"gzip": func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		return b.Bytes()
	},
	"zstd": func(text string) []byte {
		w, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		return w.EncodeAll([]byte(text), nil)
	},
	"xz": func(text string) []byte {
		var b bytes.Buffer
		w, _ := xz.WriterConfig{BlockSize: 16}.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		return b.Bytes()
	},
	"lz4": func(text string) []byte {
		var b bytes.Buffer
		w := lz4.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		return b.Bytes()
	},
	"bzip2": func(text string) []byte {
		if text != TinyText {
			panic("there is one bzip2 sample")
		}
		b, err := hex.DecodeString(bzip2Tiny)
		if err != nil {
			panic(err)
		}
		return b
	},
}

// ReadAll is the decompressed content of file, as blocks of lines.
func ReadAll(file []byte) (string, error) {
	in, err := input.Open(context.Background(), "-", bytes.NewReader(file), nil)
	if err != nil {
		return "", err
	}
	defer in.Close()
	if _, err := in.Head(); err != nil {
		return "", err
	}
	var all []byte
	for b, err := range in.Blocks(input.WholeLines, input.MaxLine) {
		if err != nil {
			return string(all), err
		}
		all = append(all, b...)
	}
	return string(all), nil
}

// WithLength puts the length of a message before it.
func WithLength(stream []byte, message string) []byte {
	return append(binary.AppendUvarint(stream, uint64(len(message))), message...)
}

var SampleDir = filepath.Join(root(), "data", "sample")

// root is the folder of the module, above the package that is tested.
func root() string {
	for dir := "."; ; dir = filepath.Join("..", dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if len(dir) > 60 {
			panic("formattest: no go.mod above the folder of the test")
		}
	}
}

// bzip2Tiny is TinyText, compressed by the bzip2 program: Go has no such writer.
const (
	TinyText  = "I  00401000,7\n S 00402000,8\n"
	bzip2Tiny = "425a68393141592653592b3538a600000d5e000010400474c00020080020003100d34d02521e931a55e273445e48c4433eb45dc914e14240acd4e298"
)
