package store

import (
	"bytes"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"spoor/traces/store/internal/arrowmeta"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// sample is a small file of one kind.
type sample struct {
	name  string
	bytes []byte
}

// samples are small files of each kind.
func samples(t testing.TB) []sample {
	t.Helper()
	dir := t.TempDir()
	h := header(2)
	h.HasPC, h.HasTime = true, true
	save(t, filepath.Join(dir, "x"), memory(rand.New(rand.NewPCG(7, 8)), h, 20, 20), 7)
	if err := WriteTable(filepath.Join(dir, "t.arrow"), someTable(5)); err != nil {
		t.Fatal(err)
	}
	var all []sample
	for _, name := range []string{"x" + RefsSuffix, "x" + EventsSuffix, "t.arrow"} {
		all = append(all, sample{name, read(t, filepath.Join(dir, name))})
	}
	saveAs(t, CreateArchive, filepath.Join(dir, "a"), looping(20), 7, batchRows)
	return append(all, sample{"a" + RefsSuffix, read(t, filepath.Join(dir, "a"+RefsSuffix))})
}

// openBytes opens b as the trace file of the given name.
func openBytes(name string, b []byte) (*Trace, error) {
	f, err := newFile(name, bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, readError(name, err)
	}
	p, kind, err := newPart(f, suffixKind(name))
	if err != nil {
		return nil, readError(name, err)
	}
	return newTrace(map[string]*part{kind: p})
}

// tableBytes reads b as the table of the given name.
func tableBytes(name string, b []byte) (*Table, error) {
	f, err := newFile(name, bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, readError(name, err)
	}
	return readTable(f)
}

// readBytes reads b to its end, as the file of the given name.
func readBytes(name string, b []byte) error {
	if suffixKind(name) == "" {
		_, err := tableBytes(name, b)
		return err
	}
	tr, err := openBytes(name, b)
	if err != nil {
		return err
	}
	_, err = load(tr)
	return err
}

// readTrace reads the trace at path to its end.
func readTrace(path string) error {
	tr, err := Open(path)
	if err != nil {
		return err
	}
	defer tr.Close()
	_, err = load(tr)
	return err
}

// readAny reads the file at path, whatever it is, to its end.
func readAny(path string) error {
	if suffixKind(path) != "" {
		return readTrace(path)
	}
	_, err := ReadTable(path)
	return err
}

// oneLine reports whether err is one line that names the file.
func oneLine(err error, name string) bool {
	return err != nil && strings.HasPrefix(err.Error(), "reading "+name+": ") && !strings.Contains(err.Error(), "\n")
}

// places are the bytes of n at which something is damaged: all of them, or under
// -short, which is for the slow race detector, one in 97.
func places(n int) iter.Seq[int] {
	step := 1
	if testing.Short() {
		step = 97
	}
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i += step {
		}
	}
}

func TestEveryFlippedBitIsAnError(t *testing.T) {
	for _, s := range samples(t) {
		if err := readBytes(s.name, s.bytes); err != nil {
			t.Fatal(err)
		}
		for i := range places(len(s.bytes)) {
			for bit := range 8 {
				b := bytes.Clone(s.bytes)
				b[i] ^= 1 << bit
				if err := readBytes(s.name, b); !oneLine(err, s.name) {
					t.Fatalf("%s, bit %d of byte %d of %d flipped: error %v", s.name, bit, i, len(b), err)
				}
			}
		}
	}
}

func TestEveryCutIsAnError(t *testing.T) {
	for _, s := range samples(t) {
		for n := range places(len(s.bytes)) {
			err := readBytes(s.name, s.bytes[:n])
			if !oneLine(err, s.name) {
				t.Fatalf("%s cut to %d of %d bytes: error %v", s.name, n, len(s.bytes), err)
			}
			if n > 0 && !strings.Contains(err.Error(), "cut or still being written") {
				t.Fatalf("%s cut to %d of %d bytes: error %v does not say so", s.name, n, len(s.bytes), err)
			}
		}
		for _, more := range [][]byte{{0}, s.bytes} {
			if err := readBytes(s.name, append(bytes.Clone(s.bytes), more...)); !oneLine(err, s.name) {
				t.Fatalf("%s with %d bytes appended: error %v", s.name, len(more), err)
			}
		}
	}
}

func TestDamagedFilesAreErrors(t *testing.T) {
	for _, s := range samples(t) {
		path := filepath.Join(t.TempDir(), s.name)
		for i := 0; i < len(s.bytes); i += 1 + len(s.bytes)/testsize.Cases(30, 6) {
			flipped := bytes.Clone(s.bytes)
			flipped[i] ^= 0xff
			for _, b := range [][]byte{flipped, s.bytes[:i]} {
				if err := os.WriteFile(path, b, 0o666); err != nil {
					t.Fatal(err)
				}
				if err := readAny(path); !oneLine(err, path) {
					t.Fatalf("%s, byte %d changed or missing: error %v", s.name, i, err)
				}
			}
		}
	}
}

func TestDamageToABatchNamesIt(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "x")
	save(t, prefix, memory(rand.New(rand.NewPCG(9, 10)), header(3), batchRows+1000, 0), batchRows)
	path := prefix + RefsSuffix
	f, err := openFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	if len(f.blocks) != 6 {
		t.Fatalf("%d batches, want 6", len(f.blocks))
	}
	rng := rand.New(rand.NewPCG(11, 12))
	for range testsize.Cases(40, 4) {
		i := rng.IntN(len(f.blocks))
		b := f.blocks[i]
		at, mask := b.offset+rng.Int64N(int64(b.meta)+b.body), byte(1)<<rng.UintN(8)
		flip(t, path, at, mask)
		want := fmt.Sprintf("reading %s: batch %d (processor %d", path, i, b.proc)
		if err := readTrace(path); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Fatalf("a bit of byte %d flipped: error %v, want %s...", at, err, want)
		}
		tr, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := load(tr, trace.Proc(b.proc+1)%3); err != nil {
			t.Fatalf("a bit of a batch of processor %d flipped: reading the next processor: %v", b.proc, err)
		}
		tr.Close()
		flip(t, path, at, mask)
	}
	if err := readTrace(path); err != nil {
		t.Fatal(err)
	}
}

// flip changes bits of one byte of the file at path.
func flip(t *testing.T, path string, at int64, mask byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= mask
	if _, err := f.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
}

// reseal makes f's own digests right again after its bytes were changed, so that
// what lies behind the checksums is tested too.
func reseal(b []byte) {
	const at = len(magic)
	for pos := int64(at); pos+prefixSize < int64(len(b)); {
		meta, err := metaSize(b[pos:])
		if err != nil || pos+int64(meta) > int64(len(b)) || digestAt(meta) < 0 {
			break
		}
		size := int64(meta)
		fl, root := arrowmeta.FlatRoot(b[pos+prefixSize : pos+size])
		if body := root.I64(3); !fl.Bad && body > 0 && body <= int64(len(b))-pos-size {
			size += body
		}
		resealOne(b[pos:pos+size], digestAt(meta))
		pos += size
	}
}

func resealOne(b []byte, at int) {
	copy(b[at:], zeroDigest)
	seal(b, at)
}

// resealFooter takes the messages' digests into the footer and seals it.
func resealFooter(b []byte) {
	footer, _, err := readFooter(bytes.NewReader(b), int64(len(b)))
	if err != nil || digestAt(len(footer)) < 0 {
		return
	}
	from := len(b) - tailSize - len(footer)
	fl, root := arrowmeta.FlatRoot(b[from : from+len(footer)])
	f := &file{}
	if f.parseFooter(fl, root) == nil {
		listed, _ := arrowmeta.Lookup(f.meta, messagesKey)
		at := from + bytes.Index(b[from:], []byte(listed))
		starts := []int64{int64(len(magic))}
		for _, block := range f.blocks {
			starts = append(starts, block.offset)
		}
		for i, s := range starts {
			if s < 0 || s+prefixSize > int64(len(b)) {
				continue
			}
			if meta, err := metaSize(b[s:]); err == nil && s+int64(meta) <= int64(len(b)) && digestAt(meta) >= 0 {
				copy(b[at+i*digestSize:], b[s:][digestAt(meta):][:digestSize])
			}
		}
	}
	resealOne(b[from:from+len(footer)], digestAt(len(footer)))
}

// TestResealedDamageIsHarmless changes bytes behind right checksums: what is read
// must be an error or legal rows, with bounded memory.
func TestResealedDamageIsHarmless(t *testing.T) {
	for _, s := range samples(t) {
		resealed := bytes.Clone(s.bytes)
		reseal(resealed)
		resealFooter(resealed)
		if !bytes.Equal(resealed, s.bytes) {
			t.Fatal("resealing an undamaged file changes it")
		}
		rng := rand.New(rand.NewPCG(13, 14))
		accepted := 0
		var before, after runtime.MemStats
		for i := range places(len(s.bytes)) {
			b := bytes.Clone(s.bytes)
			b[i] ^= byte(1 + rng.UintN(255))
			reseal(b)
			resealFooter(b)
			runtime.ReadMemStats(&before)
			if readBytes(s.name, b) == nil {
				accepted++
			}
			runtime.ReadMemStats(&after)
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<26 {
				t.Fatalf("%s with byte %d changed: reading it allocates %d bytes", s.name, i, grown)
			}
		}
		if accepted == 0 {
			t.Errorf("%s: no change behind the checksums was read, so they were not right", s.name)
		}
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	dir := t.TempDir()
	files := samples(t)
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	refs := files[0].bytes
	newer := traceSchema(kindRefs, false, header(1))
	newer.Meta[1].Value = "3"
	var out bytes.Buffer
	c := container{w: &out}
	if err := c.begin(schemaMessage(newer)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.end(newer); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o777); err != nil {
		t.Fatal(err)
	}
	os.Mkdir(filepath.Join(dir, "e.refs.arrow"), 0o777)
	write("killed.refs.arrow.partial", refs)
	for _, c := range []struct{ path, want string }{
		{write("a.refs.arrow", nil), "it is empty"},
		{write("b.refs.arrow", []byte("==42== Lackey")), `it is not an Arrow file: it begins with "==42== L"`},
		{write("c.refs.arrow", refs[8:]), "it is an Arrow stream, not an Arrow file"},
		{write("n.refs.arrow", out.Bytes()), `it has spoor.version "3", but this version of Spoor reads 1 and 2; use a newer one`},
		{write("r.events.arrow", refs), "it holds refs, not events"},
		{write("table.arrow", files[2].bytes), "it is a reuse table, not a trace"},
		{filepath.Join(dir, "d"), "it is a directory, and neither " + filepath.Join(dir, "d.refs.arrow") + " nor " + filepath.Join(dir, "d.events.arrow") + " exists"},
		{filepath.Join(dir, "e"), "it is a directory, not a file"},
		{filepath.Join(dir, "none"), "neither " + filepath.Join(dir, "none.refs.arrow") + " nor " + filepath.Join(dir, "none.events.arrow") + " exists"},
		{filepath.Join(dir, "none.refs.arrow"), "no such file"},
		{filepath.Join(dir, "killed"), "killed.refs.arrow.partial does"},
		{filepath.Join(dir, "killed.refs.arrow"), "killed.refs.arrow.partial does"},
	} {
		t.Run(filepath.Base(c.path), func(t *testing.T) {
			err := readTrace(c.path)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "reading "+c.path) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
	if _, err := ReadTable(write("y.refs.arrow", refs)); err == nil || !strings.Contains(err.Error(), "it holds refs, not a table") {
		t.Errorf("a trace read as a table: %v", err)
	}
}

func TestFilesOfDifferentRunsDoNotMix(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	save(t, filepath.Join(dir, "a"), memory(rng, header(2), 100, 10), 30)
	save(t, filepath.Join(dir, "b"), memory(rng, header(2), 100, 10), 30)
	if err := os.Rename(filepath.Join(dir, "b"+EventsSuffix), filepath.Join(dir, "a"+EventsSuffix)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(dir, "a")); err == nil || !strings.Contains(err.Error(), "another run wrote") {
		t.Errorf("files of two runs: %v", err)
	}
}

func TestForeignArrowFileIsTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.refs.arrow")
	s := &arrowmeta.Schema{Fields: []arrowmeta.Field{{Name: "a", Type: arrowmeta.TInt64}}, Meta: []arrowmeta.Pair{{Key: "pandas", Value: "{}"}}}
	var out bytes.Buffer
	c := container{w: &out}
	if err := c.begin(schemaMessage(s)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.end(s); err != nil {
		t.Fatal(err)
	}
	b := out.Bytes()
	at := digestAt(len(b) - tailSize)
	copy(b[at:], zeroDigest) // others have no digests
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, read := range []func(string) error{readTrace, func(p string) error { _, err := ReadTable(p); return err }} {
		if err := read(path); err == nil || !strings.Contains(err.Error(), "an Arrow file, but not one that Spoor wrote") {
			t.Errorf("a foreign file: %v", err)
		}
	}
}

func TestTraceOfOneFile(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "x")
	m := memory(rand.New(rand.NewPCG(1, 2)), header(2), 100, 10)
	save(t, prefix, m, 30)
	for _, path := range []string{prefix + RefsSuffix, prefix + EventsSuffix} {
		tr, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := load(tr)
		if err != nil {
			t.Fatal(err)
		}
		isRefs := strings.HasSuffix(path, RefsSuffix)
		if (got.RefsOf[1].Len() > 0) != isRefs || (got.EventsOf[1].Len() > 0) == isRefs {
			t.Errorf("%s alone: %d references and %d events", path, got.RefsOf[1].Len(), got.EventsOf[1].Len())
		}
		if !isRefs && !reflect.DeepEqual(got.EventsOf, m.EventsOf) {
			t.Errorf("%s alone: other events", path)
		}
		tr.Close()
	}
}
