package drmemtrace

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

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
	dir := formattest.Shared(t, "drmemtrace")
	seen := 0
	for name, want := range drFacts(t, dir) {
		path, _ := filepath.Glob(filepath.Join(dir, "*", name))
		if len(path) == 0 {
			path = []string{filepath.Join(dir, name)}
		}
		seen++
		for _, by := range []string{"thread", "core"}[:testsize.Cases(2, 1)] {
			m, r := formattest.MustImportPaths(t, Drmemtrace{}, path, format.Options{PC: true, Set: map[string]string{"by": by}})
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

func checkDrFact(t *testing.T, name string, want drFact, m *trace.Memory, r format.Result) {
	t.Helper()
	counts := formattest.CountsOf(r)
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
	got := drSum(t, m)
	if got.fetched != want.Fetched || got.instrs != want.Fetched || len(got.pcs) != want.UniquePC {
		t.Errorf("%s: %d fetches, %d instructions, %d addresses of them; want %d, the same, %d",
			name, got.fetched, got.instrs, len(got.pcs), want.Fetched, want.UniquePC)
	}
	if got.bytes != want.DataBytes+counts[unsized] || len(got.lines) != want.DataLines {
		t.Errorf("%s: %d bytes of data in %d lines, want %d in %d", name, got.bytes, len(got.lines), want.DataBytes, want.DataLines)
	}
	if r.Procs == 1 && want.FirstData != nil && (got.data[0] != fmt.Sprint(want.FirstData) || got.data[len(got.data)-1] != fmt.Sprint(want.LastData)) {
		t.Errorf("%s: data from %s to %s, want %v to %v", name, got.data[0], got.data[len(got.data)-1], want.FirstData, want.LastData)
	}
	if (want.FirstData == nil) != (len(got.data) == 0) {
		t.Errorf("%s: %d data references, want the first to be %v", name, len(got.data), want.FirstData)
	}
}

// drSums is what the README counts, of a trace.
type drSums struct {
	fetched, instrs, bytes uint64
	pcs, lines             map[uint64]bool
	data                   []string // each data reference as the README writes it
}

func drSum(t *testing.T, m *trace.Memory) drSums {
	s := drSums{pcs: map[uint64]bool{}, lines: map[uint64]bool{}}
	names := map[trace.Op]string{trace.Load: "read", trace.Store: "write"}
	for p := range m.RefsOf {
		refs := &m.RefsOf[p]
		for i, op := range refs.Op {
			addr, size := refs.Addr[i], refs.Size[i]
			s.instrs += uint64(refs.Instr[i])
			if op == trace.Ifetch {
				s.fetched++
				s.pcs[addr] = true
				if refs.PC[i] != addr {
					t.Fatalf("an instruction at %#x has pc %#x", addr, refs.PC[i])
				}
				continue
			}
			s.bytes += uint64(size)
			for line := addr / 64; line <= (addr+uint64(size)-1)/64; line++ {
				s.lines[line] = true
			}
			s.data = append(s.data, fmt.Sprintf("[%s %#x %d]", names[op], addr, size))
		}
	}
	return s
}

// Whole folders: threads and cores execute the same instructions, as many as
// DynamoRIO's own test of these files says.
func TestDrmemtraceSampleFolders(t *testing.T) {
	dir := formattest.Shared(t, "drmemtrace")
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
		t.Run(c.fact, func(t *testing.T) {
			files, err := Drmemtrace{}.Expand(filepath.Join(dir, c.folder))
			if err != nil || len(files) != c.files {
				t.Errorf("%s: %d files, %v; want %d", c.folder, len(files), err, c.files)
				return
			}
			var o format.Options
			if c.by != "" {
				o.Set = map[string]string{"by": c.by}
			}
			m, r := formattest.MustImportPaths(t, Drmemtrace{}, files, o)
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
		})
	}
}

// No thread of the samples moves between cores, so that both ways to shard them
// hold the same threads.
func TestDrmemtraceSampleThreadsOfCores(t *testing.T) {
	dir := formattest.Shared(t, "drmemtrace")
	cores, _ := Drmemtrace{}.Expand(filepath.Join(dir, "core-sharded"))
	m, r := formattest.MustImportPaths(t, Drmemtrace{}, cores, format.Options{PC: true, Set: map[string]string{"by": "thread"}})
	if want := "processors from 0 on are thread 872894, 872905, 872805, 872901, 872906, 872902, 872884, 872904, 872903 (process 872805)"; !slices.Contains(r.Facts, want) {
		t.Errorf("facts %q, want %q", r.Facts, want)
	}
	threads, _ := Drmemtrace{}.Expand(filepath.Join(dir, "threadsig.x64"))
	whole, _ := formattest.MustImportPaths(t, Drmemtrace{}, threads, format.Options{PC: true})
	for i, p := range []int{2, 7, 0, 3, 8, 4, 1, 6, 5} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			got, want := m.RefsOf[i], whole.RefsOf[p]
			got.Proc = want.Proc
			if !reflect.DeepEqual(got, want) {
				t.Errorf("processor %d of the cores and %d of the threads differ: %d and %d references", i, p, got.Len(), want.Len())
			}
		})
	}
}

// The three forms of one sample are one trace.
func TestDrmemtraceSampleContainers(t *testing.T) {
	dir := formattest.Shared(t, "drmemtrace")
	var all []*trace.Memory
	for _, name := range []string{"drmemtrace.allasm_x86_64.trace.zip", "allasm_concat.trace", "allasm_concat.trace.gz"} {
		m, _ := formattest.MustImportPaths(t, Drmemtrace{}, []string{filepath.Join(dir, name)}, format.Options{})
		all = append(all, m)
	}
	formattest.SameTrace(t, "plain against zip", all[1], all[0])
	formattest.SameTrace(t, "gzip against zip", all[2], all[0])
}

func TestMalformedDrmemtrace(t *testing.T) {
	dir := formattest.Shared(t, filepath.Join("malformed", "address"))
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
		t.Run(c.file, func(t *testing.T) {
			_, _, err := formattest.ImportPaths(Drmemtrace{}, []string{filepath.Join(dir, c.file)}, format.Options{})
			formattest.Complains(t, c.file, err, append(c.want, c.file)...)
		})
	}
}
