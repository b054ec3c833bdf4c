package format

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spoor/traces/trace"
)

// importPaths reads files as one trace.
func importPaths(im Joint, paths []string, o Options) (*trace.Memory, Result, error) {
	files := NewFiles(context.Background(), paths, nil, nil)
	defer files.Close()
	sink, layout := new(memorySink), LayoutOf(im, o)
	sink.Head = trace.Header{WorkUnit: layout.Work, HasPC: layout.PC, HasTime: layout.Time}
	r, err := im.ImportFiles(files, o, sink)
	sink.Head.Procs = r.Procs
	return &sink.Memory, r, err
}

func mustImportPaths(t *testing.T, im Joint, paths []string, o Options) (*trace.Memory, Result) {
	t.Helper()
	m, r, err := importPaths(im, paths, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Check(m); err != nil {
		t.Fatalf("%v give a trace that is not sound: %v", paths, err)
	}
	return m, r
}

// complains holds an error to what it must say.
func complains(t *testing.T, name string, err error, parts ...string) {
	t.Helper()
	wantError(t, name, err, "", "")
	for _, part := range parts {
		if err != nil && !strings.Contains(err.Error(), part) {
			t.Errorf("%s: error is %q, want %q", name, err, part)
		}
	}
}

// drFact is what the samples' README says of a file.
type drFact struct {
	Records   uint64
	Header    int
	FileType  *string
	Footers   uint64 `json:"chunk_footers"`
	Repeated  uint64 `json:"dup_ts_cpu_after_chunk"`
	Fetched   uint64 `json:"fetched_instr"`
	UniquePC  int    `json:"uniq_pc"`
	Types     map[string]uint64
	Markers   map[string]uint64
	DataBytes uint64 `json:"data_bytes"`
	DataLines int    `json:"distinct_64B_data_lines"`
	FirstData []any  `json:"first_data"`
	LastData  []any  `json:"last_data"`
	Threads   int
}

// drFacts reads the README, a line of JSON for each file.
func drFacts(t *testing.T, dir string) map[string]drFact {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	facts := map[string]drFact{}
	for line := range strings.Lines(string(text)) {
		name, object, found := strings.Cut(strings.TrimPrefix(line, "- **"), "**: ")
		if !found || !strings.HasPrefix(line, "- **") {
			continue
		}
		var f drFact
		if err := json.Unmarshal([]byte(object), &f); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		facts[name] = f
	}
	return facts
}

// All that the samples' README says holds, file by file, by core, and by thread
// where a file has one.
func TestDrmemtraceSampleFacts(t *testing.T) {
	dir := shared(t, "drmemtrace")
	seen := 0
	for name, want := range drFacts(t, dir) {
		path, _ := filepath.Glob(filepath.Join(dir, "*", name))
		if len(path) == 0 {
			path = []string{filepath.Join(dir, name)}
		}
		seen++
		for _, by := range []string{"core", "thread"} {
			m, r := mustImportPaths(t, Drmemtrace{}, path, Options{PC: true, Set: map[string]string{"by": by}})
			checkDrFact(t, name+" by "+by, want, m, r)
			if procs := map[string]int{"core": 1, "thread": want.Threads}[by]; r.Procs != procs {
				t.Errorf("%s by %s: %d processors, want %d", name, by, r.Procs, procs)
			}
		}
	}
	if seen < 18 {
		t.Errorf("the README has facts of %d files", seen)
	}
}

func checkDrFact(t *testing.T, name string, want drFact, m *trace.Memory, r Result) {
	t.Helper()
	counts := map[string]uint64{}
	for _, c := range r.Counts {
		counts[c.Name] = c.N
	}
	expect := map[string]uint64{"fetched instructions": want.Fetched}
	if want.Repeated > 0 {
		expect["markers repeated in chunks"] = want.Repeated
	}
	const unsized = "data references without a size"
	if n := counts[unsized]; n > 0 {
		expect[unsized] = n // they are taken for a byte, which the README does not count
	}
	for name, n := range want.Types {
		expect[name] = n
	}
	for kind, n := range want.Markers {
		k, _ := strconv.Atoi(kind)
		expect["marker "+drMarkerNames[k]] = n
	}
	if fmt.Sprint(counts) != fmt.Sprint(expect) {
		t.Errorf("%s: counts\n%v, want\n%v", name, counts, expect)
	}
	if r.Lines != want.Records {
		t.Errorf("%s: %d records, want %d", name, r.Lines, want.Records)
	}
	var fetched, instrs, bytes uint64
	pcs, lines := map[uint64]bool{}, map[uint64]bool{}
	var data []string
	for p := range m.RefsOf {
		refs := &m.RefsOf[p]
		for i, op := range refs.Op {
			instrs += uint64(refs.Instr[i])
			if op == trace.Ifetch {
				fetched++
				pcs[refs.Addr[i]] = true
				if refs.PC[i] != refs.Addr[i] {
					t.Fatalf("%s: an instruction at %#x has pc %#x", name, refs.Addr[i], refs.PC[i])
				}
				continue
			}
			bytes += uint64(refs.Size[i])
			for line := refs.Addr[i] / 64; line <= (refs.Addr[i]+uint64(refs.Size[i])-1)/64; line++ {
				lines[line] = true
			}
			data = append(data, fmt.Sprint([]any{map[trace.Op]string{trace.Load: "read", trace.Store: "write"}[op], fmt.Sprintf("%#x", refs.Addr[i]), refs.Size[i]}))
		}
	}
	if fetched != want.Fetched || instrs != want.Fetched || len(pcs) != want.UniquePC {
		t.Errorf("%s: %d fetches, %d instructions, %d addresses of them; want %d, the same, %d", name, fetched, instrs, len(pcs), want.Fetched, want.UniquePC)
	}
	if bytes != want.DataBytes+counts[unsized] || len(lines) != want.DataLines {
		t.Errorf("%s: %d bytes of data in %d lines, want %d in %d", name, bytes, len(lines), want.DataBytes, want.DataLines)
	}
	if r.Procs == 1 && len(data) > 0 && (data[0] != fmt.Sprint(want.FirstData) || data[len(data)-1] != fmt.Sprint(want.LastData)) {
		t.Errorf("%s: data from %s to %s, want %v to %v", name, data[0], data[len(data)-1], want.FirstData, want.LastData)
	}
	if len(want.FirstData) > 0 != (len(data) > 0) {
		t.Errorf("%s: %d data references, want the first to be %v", name, len(data), want.FirstData)
	}
}

// Whole folders: threads and cores execute the same instructions, as many as
// DynamoRIO's own test of these files says.
func TestDrmemtraceSampleFolders(t *testing.T) {
	dir := shared(t, "drmemtrace")
	for _, c := range []struct {
		folder   string
		files    int
		procs    int
		instrs   uint64
		by, fact string
	}{
		{"threadsig.x64", 9, 9, 650576, "", "processors from 0 on are thread 872805, 872884, 872894, 872901, 872902, 872903, 872904, 872905, 872906 (process 872805)"},
		{"threadsig.x64", 9, 9, 650576, "core", "processor 1 ran thread 872884 (process 872805)"},
		{"core-sharded", 4, 4, 650576, "", "processor 0 ran thread 872894, 872905, 872805 (process 872805)"},
		{"legacy-v1-gz", 4, 4, 4421 + 1388 + 20069 + 12189, "", "processors from 0 on are thread 10506, 10510, 10511, 10512 (process 10506)"},
		{"as_traced", 1, 1, 57812, "", "processors from 0 on are thread 1674735 (process 1674735)"},
	} {
		files, err := Drmemtrace{}.Expand(filepath.Join(dir, c.folder))
		if err != nil || len(files) != c.files {
			t.Errorf("%s: %d files, %v; want %d", c.folder, len(files), err, c.files)
			continue
		}
		var o Options
		if c.by != "" {
			o.Set = map[string]string{"by": c.by}
		}
		m, r := mustImportPaths(t, Drmemtrace{}, files, o)
		var instrs uint64
		for p := range m.RefsOf {
			for _, n := range m.RefsOf[p].Instr {
				instrs += uint64(n)
			}
		}
		if r.Procs != c.procs || instrs != c.instrs {
			t.Errorf("%s: %d processors, %d instructions; want %d, %d", c.folder, r.Procs, instrs, c.procs, c.instrs)
		}
		if !slices.Contains(r.Facts, c.fact) {
			t.Errorf("%s: facts %q, want %q", c.folder, r.Facts, c.fact)
		}
	}
}

// No thread of the samples moves between cores, so that both ways to shard them
// hold the same threads.
func TestDrmemtraceSampleThreadsOfCores(t *testing.T) {
	dir := shared(t, "drmemtrace")
	cores, _ := Drmemtrace{}.Expand(filepath.Join(dir, "core-sharded"))
	m, r := mustImportPaths(t, Drmemtrace{}, cores, Options{PC: true, Set: map[string]string{"by": "thread"}})
	if want := "processors from 0 on are thread 872894, 872905, 872805, 872901, 872906, 872902, 872884, 872904, 872903 (process 872805)"; !slices.Contains(r.Facts, want) {
		t.Errorf("facts %q, want %q", r.Facts, want)
	}
	threads, _ := Drmemtrace{}.Expand(filepath.Join(dir, "threadsig.x64"))
	whole, _ := mustImportPaths(t, Drmemtrace{}, threads, Options{PC: true})
	for i, p := range []int{2, 7, 0, 3, 8, 4, 1, 6, 5} {
		got, want := m.RefsOf[i], whole.RefsOf[p]
		got.Proc = want.Proc
		if !reflect.DeepEqual(got, want) {
			t.Errorf("processor %d of the cores and %d of the threads differ: %d and %d references", i, p, got.Len(), want.Len())
		}
	}
}

// The three forms of one sample are one trace.
func TestDrmemtraceSampleContainers(t *testing.T) {
	dir := shared(t, "drmemtrace")
	var all []*trace.Memory
	for _, name := range []string{"drmemtrace.allasm_x86_64.trace.zip", "allasm_concat.trace", "allasm_concat.trace.gz"} {
		m, _ := mustImportPaths(t, Drmemtrace{}, []string{filepath.Join(dir, name)}, Options{})
		all = append(all, m)
	}
	sameTrace(t, "plain against zip", all[1], all[0])
	sameTrace(t, "gzip against zip", all[2], all[0])
}

func TestMalformedDrmemtrace(t *testing.T) {
	dir := shared(t, filepath.Join("malformed", "address"))
	for _, c := range []struct {
		file string
		want []string
	}{
		{"a33_dr_no_header.trace", []string{"record 0, offset 0: ", "first record is instr (10), not header (25)"}},
		{"a34_dr_raw.raw", []string{"record 0, offset 0: ", "raw", "drraw2trace"}},
		{"a35_dr_cut_record.trace", []string{"record 50, offset 600: ", "5 trailing bytes", "cut"}},
		{"a36_dr_no_footer.trace", []string{"record 200, offset 2400: ", "without a FOOTER", "truncated"}},
		{"a37_dr_unknown_type.trace", []string{"record 3, offset 36: ", "unknown record type 99"}},
		{"a38_dr_bad_version.trace", []string{"record 0, offset 0: ", "version 99 is newer than 7"}},
		{"a39_dr_trunc.zip", []string{"end of file", "central directory is missing"}},
		{"a40_dr_chunks_out_of_order.zip", []string{"member 1", "out of order", "chunk.0001", "chunk.0000"}},
	} {
		_, _, err := importPaths(Drmemtrace{}, []string{filepath.Join(dir, c.file)}, Options{})
		complains(t, c.file, err, append(c.want, c.file)...)
	}
}

// drFile builds a file of records.
type drFile struct {
	bytes  []byte
	narrow bool // a 32-bit program's
}

func (f *drFile) add(kind, size uint16, addr uint64) *drFile {
	f.bytes = binary.LittleEndian.AppendUint16(f.bytes, kind)
	f.bytes = binary.LittleEndian.AppendUint16(f.bytes, size)
	if f.narrow {
		f.bytes = binary.LittleEndian.AppendUint32(f.bytes, uint32(addr))
	} else {
		f.bytes = binary.LittleEndian.AppendUint64(f.bytes, addr)
	}
	return f
}

// begin adds what a file starts with; further records may follow in pairs of
// marker kind and value.
func (f *drFile) begin(tid uint64, fileType uint64) *drFile {
	f.add(drHeader, 0, 7).add(drMarker, drMarkVersion, 7).add(drMarker, drMarkFiletype, fileType)
	return f.add(drThread, 4, tid).add(drPid, 4, 100)
}

func (f *drFile) end(tid uint64) *drFile { return f.add(drThreadExit, 4, tid).add(drFooter, 0, 0) }

// BenchmarkImportDrmemtrace has the records in the proportions of real traces: of a
// hundred, 68 instructions, 28 references, 3 markers and an encoding.
func BenchmarkImportDrmemtrace(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := new(drFile).begin(100, 0x40)
	for n := range 3_000_000 {
		switch at := uint64(n); {
		case n%100 < 96 && n%10 < 7:
			f.add([]uint16{drInstr, drInstr, drInstr, 48, 49, 11, 16}[rng.IntN(7)], 4, 0x400000+at%4096*4)
		case n%100 < 96 && n%10 < 9:
			f.add(drRead, 8, 0x7ff000000000+rng.Uint64N(1<<14)*8)
		case n%100 < 96:
			f.add(drWrite, 8, 0x7ff000000000+at*8)
		case n%100 < 99:
			f.add(drMarker, 29, 0x400000)
		default:
			f.add(drEncoding, 4, 0x90909090)
		}
	}
	f.end(100)
	for _, pc := range []bool{false, true} {
		b.Run(fmt.Sprintf("pc=%v", pc), func(b *testing.B) {
			benchmarkRecords(b, Drmemtrace{}, f.bytes, len(f.bytes)/drRecord, Options{PC: pc})
		})
	}
}
