package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// asCommand makes the test binary the command itself, so that it can be killed.
const asCommand = "SPOOR_TEST_AS_TRACES"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// traces runs the command in this process.
func traces(stdin io.Reader, args ...string) (status int, stdout, stderr string) {
	return stage.Capture(command, stdin, args...)
}

// workspace is an empty current folder in which data is the project's.
func workspace(t *testing.T) string {
	t.Helper()
	data, err := filepath.Abs("../data")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(data, "data"); err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(data)
}

// files are the names in the current folder, without data.
func files(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "data" {
			names = append(names, e.Name())
		}
	}
	return names
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Each file in testdata is a session: `$` lines, what they print, notes and errors
// after "! ", and the status if it is not 0. -update rewrites what is printed.
func TestGolden(t *testing.T) {
	sessions, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(sessions) == 0 {
		t.Fatal("no sessions", err)
	}
	for _, path := range sessions {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			path, _ := filepath.Abs(path)
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			workspace(t)
			got := session(t, string(want))
			if *update {
				write(t, path, got)
			} else if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

var contentDigest = regexp.MustCompile(`"sha256": "[0-9a-f]{64}"`)

func session(t *testing.T, script string) string {
	var b strings.Builder
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if name, text, is := strings.Cut(strings.TrimPrefix(line, "% "), " = "); is && strings.HasPrefix(line, "% ") {
			unquoted, err := strconv.Unquote(text)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			write(t, name, unquoted)
			fmt.Fprintln(&b, line)
		}
		args, is := strings.CutPrefix(line, "$ traces ")
		if !is {
			continue
		}
		status, out, errs := traces(strings.NewReader(""), strings.Fields(args)...)
		fmt.Fprintln(&b, line)
		out = contentDigest.ReplaceAllString(out, `"sha256": "(of the files)"`) // their layout is store's business
		for l := range strings.Lines(out) {
			b.WriteString(strings.TrimRight(l, " \n") + "\n")
		}
		for l := range strings.Lines(errs) {
			b.WriteString("! " + l)
		}
		if status != stage.Done {
			fmt.Fprintln(&b, "status", status)
		}
	}
	return b.String()
}

// Done, failed, wrong usage: what the status says, and that a failed command
// prints nothing to standard output, one error line, and leaves nothing behind.
func TestStatus(t *testing.T) {
	workspace(t)
	write(t, "empty.log", "")
	write(t, "bad.log", "I  00401000\n")
	write(t, "what", "hello\n")
	write(t, "two.csv", "tid,addr\n0,64\n1,64\n")
	if status, _, errs := traces(nil, "import", "data/sample/tiny.log", "-o", "tiny"); status != stage.Done {
		t.Fatal(errs)
	}
	if status, _, errs := traces(nil, "import", "two.csv", "-o", "two"); status != stage.Done {
		t.Fatal(errs)
	}
	refs, err := os.ReadFile("tiny.refs.arrow")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "cut.refs.arrow", string(refs[:len(refs)/2]))
	flipped := bytes.Clone(refs)
	flipped[len(refs)/2] ^= 1
	write(t, "flipped.refs.arrow", string(flipped))
	before := files(t)
	for _, c := range []struct {
		args   string
		status int
		reason string
	}{
		{"formats", 0, ""},
		{"info tiny", 0, ""},
		{"info tiny.refs.arrow", 0, ""},
		{"info tiny.events.arrow", 0, ""},
		{"head tiny", 0, ""},
		{"head -n 0 tiny", 0, ""},
		{"head --events --proc 0 tiny", 0, ""},
		{"check tiny", 0, ""},
		{"check two", 0, ""},
		{"export tiny --to lackey -o -", 0, ""},
		{"export two --to din --proc 1 -o -", 0, ""},
		{"--version", 0, ""},
		{"import --help", 0, ""},

		{"import none -o x", 1, "none"},
		{"import empty.log -o x", 1, "empty.log:1: "},
		{"import bad.log -o x", 1, "bad.log:1: "},
		{"import what -o x", 1, "choose one of lackey, din, xdin, d4bin, "},
		{"import what --from din -o x", 1, "what:1: "},
		{"import data/sample/tiny.log --from csv -o x", 1, "data/sample/tiny.log:1: "},
		{"import data/sample/tiny.log bad.log -o x", 1, "bad.log:1: "},
		{"import two.csv data/sample/tiny.log -o x", 1, "two.csv: csv names its threads itself"},
		{"import data/sample/tiny.log -o no/such/folder", 1, "no/such/folder"},
		{"import data -o x", 1, "data"},
		{"info none", 1, "none"},
		{"info what", 1, "what"},
		{"info cut.refs.arrow", 1, "cut.refs.arrow"},
		{"info flipped.refs.arrow", 1, "flipped.refs.arrow"},
		{"info flipped.refs.arrow --format json", 1, "flipped.refs.arrow"},
		{"head none", 1, "none"},
		{"check none", 1, "none"},
		{"check cut.refs.arrow", 1, "cut.refs.arrow"},
		{"check flipped.refs.arrow", 1, "flipped.refs.arrow"},
		{"check --recover none", 1, "none"},
		{"check --recover what.refs.arrow", 1, "what"},
		{"export none --to din -o x", 1, "none"},
		{"export two --to lackey -o x", 1, "choose one with --proc"},
		{"export two --to lackey -o -", 1, "choose one with --proc"},
		{"export tiny --to d4bin -o x", 1, "32-bit"},
		{"export tiny --to d4bin -o -", 1, "32-bit"},
		{"export flipped.refs.arrow --to lackey -o -", 1, "flipped.refs.arrow"},
		{"export tiny --to csv -o no/such/file", 1, "no/such/file"},

		{"", 0, ""}, // prints the help
		{"frob", 2, "frob"},
		{"import", 2, "arg"},
		{"import data/sample/tiny.log", 2, "-o PREFIX"},
		{"import - - -o x", 2, "once"},
		{"import data/sample/tiny.log --from frob -o x", 2, "unknown format \"frob\" ('traces formats' lists all)"},
		{"import data/sample/tiny.log --modify keep -o x", 2, "cannot store a modify"},
		{"import data/sample/tiny.log --ifetch frob -o x", 2, "keep or drop"},
		{"import data/sample/tiny.log --lackey-atomics frob -o x", 2, "keep or collapse"},
		{"import data/sample/tiny.log --lackey-summary frob -o x", 2, "check or ignore"},
		{"import two.csv --csv-time frob -o x", 2, "instructions, exact or rows"},
		{"import two.csv --columns frob -o x", 2, "unknown column"},
		{"import two.csv --addr-base 8 -o x", 2, "10 or 16"},
		{"import two.csv --default-size 65536 -o x", 2, "65535"},
		{"import two.csv --default-size -1 -o x", 2, "65535"},
		{"import two.csv --frob -o x", 2, "frob"},
		{"import two.csv --set a=b -o x", 2, "csv has no settings for import"},
		{"import what --from champsim --set record=65 -o x", 2, "--set record=65: choose 64, 96 or auto"},
		{"import what --from gem5 --set ticks=1 -o x", 2, `no setting "ticks" for import; it has by, version, count`},
		{"export tiny --to gem5 --set version=21 -o x", 2, `no setting "version" for export; it has ticks`},
		{"export tiny --to gem5 --set ticks=0 -o x", 2, "traces export: --set ticks=0: "},
		{"export tiny --to gem5 --set ticks=0 -o -", 2, "traces export: --set ticks=0: "},
		{"info", 2, "arg"},
		{"info --format frob tiny", 2, "table, csv and json"},
		{"head -n -1 tiny", 2, "-n"},
		{"head --proc 1 tiny", 2, "no processor 1"},
		{"head --proc -1 tiny", 2, "no processor -1"},
		{"check -o x tiny", 2, "--recover"},
		{"check --recover what", 2, "rename"},
		{"export tiny", 2, "required"},
		{"export tiny --to frob -o x", 2, "frob"},
		{"export tiny --to csv --proc 1 -o x", 2, "no processor 1"},
		{"formats frob", 2, "frob"},
		{"slice tiny --instr 0:9 -o tiny", 2, "-o tiny: that is the trace to be read"},
		{"sample tiny --by line --rate 0.5 -o tiny", 2, "-o tiny: that is the trace to be read"},
		{"merge tiny.refs.arrow -o ./tiny", 2, "-o ./tiny: that is the trace to be read"},
	} {
		t.Run(fmt.Sprintf("%v %v", c.args, c.status), func(t *testing.T) {
			status, out, errs := traces(strings.NewReader(""), strings.Fields(c.args)...)
			if status != c.status {
				t.Errorf("traces %s: status %d, want %d\n%s", c.args, status, c.status, errs)
				return
			}
			if status == stage.Done {
				if out == "" {
					t.Errorf("traces %s prints nothing", c.args)
				}
				return
			}
			lines := strings.Split(strings.TrimSuffix(errs, "\n"), "\n")
			if out != "" || len(lines) != status || !strings.HasPrefix(lines[0], "spoor: traces") || !strings.Contains(lines[0], c.reason) {
				t.Errorf("traces %s: stdout %q, stderr %q; want one error with %q", c.args, out, errs, c.reason)
			}
		})
	}
	if after := files(t); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("failed commands left %v, there was %v", after, before)
	}
}

// Same input, same bytes, whatever its container and where it lies; only the
// digest of the input differs with the container.
func TestImportIsDeterministic(t *testing.T) {
	workspace(t)
	read := func(prefix string) (all string) {
		for _, suffix := range []string{store.RefsSuffix, store.EventsSuffix} {
			b, err := os.ReadFile(prefix + suffix)
			if err != nil {
				t.Fatal(err)
			}
			all += string(b)
		}
		return all
	}
	imported := func(stdin io.Reader, path, prefix string) string {
		if status, _, errs := traces(stdin, "import", path, "-o", prefix); status != stage.Done {
			t.Fatal(errs)
		}
		return read(prefix)
	}
	first := imported(nil, "data/sample/matmul.log.zst", "a")
	file, err := os.ReadFile("data/sample/matmul.log.zst")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "other name", string(file))
	for i, again := range []string{imported(nil, "data/sample/matmul.log.zst", "b"), imported(nil, "other name", "c"), imported(bytes.NewReader(file), "-", "d")} {
		t.Run(again, func(t *testing.T) {
			if again != first {
				t.Errorf("import %d gives other bytes than the first", i+1)
			}
		})
	}
	if strings.Contains(first, "data/sample") || strings.Contains(first, "other name") {
		t.Error("the trace names a path")
	}
}

func TestSeveralFilesAreProcessors(t *testing.T) {
	workspace(t)
	status, _, errs := traces(nil, "import", "data/sample/tiny.log", "data/sample/tiny_q.log", "data/sample/fork_12544.log.zst", "-o", "x")
	if status != stage.Done {
		t.Fatal(errs)
	}
	if !strings.Contains(errs, "the 3 files are assumed to share one address space") {
		t.Errorf("stderr %q", errs)
	}
	x, err := store.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	h := x.Header()
	if h.Procs != 3 || len(h.Inputs) != 3 || h.Program != "./tiny" || h.Format != "lackey" {
		t.Errorf("%+v", h)
	}
	for p, want := range []uint64{70, 70, 986 + 253 + 176 + 2*3} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if got := x.Totals(trace.Proc(p)).Refs; got != want {
				t.Errorf("processor %d has %d references, want %d", p, got, want)
			}
		})
	}
	if !strings.Contains(strings.Join(h.Notes, "\n"), "processor 2: the summary was not checked, because it counts more") {
		t.Errorf("notes %q", h.Notes)
	}
}

// The names that others read, with the counts of the sample's README.
func TestInfoJSON(t *testing.T) {
	workspace(t)
	if status, _, errs := traces(nil, "import", "data/sample/gzip.log.zst", "-o", "gzip"); status != stage.Done {
		t.Fatal(errs)
	}
	status, out, errs := traces(nil, "info", "gzip", "--format", "json")
	if status != stage.Done || errs != "" {
		t.Fatal(status, errs)
	}
	var got struct {
		Kind    string
		Procs   int
		Refs    map[string]uint64
		Lines64 map[string]uint64
		Events  map[string]uint64
		Bytes   uint64
		Source  map[string]any
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	refs := map[string]uint64{"load": 451841 + 18440, "store": 288351 + 18440, "ifetch": 1914833, "prefetch": 0, "flush": 0}
	if got.Kind != "trace" || got.Procs != 1 || fmt.Sprint(got.Refs) != fmt.Sprint(refs) || got.Bytes != 1784329+1200565+2*52841 ||
		got.Lines64["data"] != 3934 || got.Lines64["ifetch"] != 1350 || len(got.Events) != 0 || got.Source["program"] != "gzip -1 -c gz_in.txt" {
		t.Errorf("%s", out)
	}
}

// An export that is imported again is the same trace.
func TestExportAndImport(t *testing.T) {
	workspace(t)
	if status, _, errs := traces(nil, "import", "data/sample/matmul.log.zst", "-o", "a"); status != stage.Done {
		t.Fatal(errs)
	}
	_, want, _ := traces(nil, "head", "-n", "1000000", "--format", "csv", "a")
	for _, format := range []string{"lackey", "xdin", "csv"}[:testsize.Cases(3, 1)] {
		t.Run(format, func(t *testing.T) {
			if status, _, errs := traces(nil, "export", "a", "--to", format, "-o", "out"); status != stage.Done {
				t.Fatal(errs)
			}
			_, text, _ := traces(nil, "export", "a", "--to", format, "-o", "-")
			if file, _ := os.ReadFile("out"); string(file) != text || text == "" {
				t.Error("the file and standard output differ")
			}
			if status, _, errs := traces(nil, "import", "out", "--from", format, "-o", "b"); status != stage.Done {
				t.Fatal(errs)
			}
			if _, got, _ := traces(nil, "head", "-n", "1000000", "--format", "csv", "b"); got != want {
				t.Error("exported and imported, the trace differs")
			}
		})
	}
}

// A flag that no format of the import looks at, and a part after the end, are noted.
func TestWhatChangesNothingIsNoted(t *testing.T) {
	workspace(t)
	write(t, "two.csv", "tid,addr\n0,64\n1,64\n")
	for _, c := range []struct{ args, notes string }{
		{"import data/sample/tiny.log -o tiny --csv-time rows --pc", "--csv-time has no effect: it is for csv, but the input is lackey" +
			"|--pc has no effect: lackey has no addresses of instructions"},
		{"import two.csv -o two --addr-base 10", ""},
		{"import two.csv -o two --csv-time rows", "two.csv: --csv-time has no effect: there is no time column"},
		{"import two.csv -o two --lackey-summary check", "--lackey-summary has no effect: it is for lackey, but the input is csv"},
		{"sample tiny -o none", "tiny: 0 of 70 references; choose a smaller --window for such a short trace"},
		{"sample tiny --window 10 --rate 1 -o all", ""},
		{"slice tiny --instr 28:29 -o end", ""},
		{"slice tiny --instr 29:30 -o end", "tiny: 1 of 1 processors end before the part, at instruction 28 or earlier"},
	} {
		t.Run(c.args, func(t *testing.T) {
			status, _, errs := traces(nil, strings.Fields(c.args)...)
			var notes []string
			for line := range strings.Lines(errs) {
				if strings.Contains(line, "has no effect") || strings.Contains(line, "end before") || strings.Contains(line, ": 0 of") {
					notes = append(notes, strings.TrimPrefix(strings.TrimSpace(line), "spoor: note: "))
				}
			}
			if got := strings.Join(notes, "|"); status != stage.Done || got != c.notes {
				t.Errorf("traces %s: status %d, notes %q, want %q", c.args, status, got, c.notes)
			}
		})
	}
}

// A pattern over the folder of a drmemtrace is of its schedules, too.
func TestSchedulesAreLeftOut(t *testing.T) {
	workspace(t)
	write(t, "cpu_schedule.bin.zip", "PK")
	write(t, "serial_schedule.bin.gz", "")
	status, _, errs := traces(nil, "import", "cpu_schedule.bin.zip", "serial_schedule.bin.gz", "-o", "x")
	if status != stage.Failed || !strings.Contains(errs, "cpu_schedule.bin.zip: it is a schedule of drmemtrace, without references; import its folder") {
		t.Errorf("schedules alone: status %d, %s", status, errs)
	}
	status, _, errs = traces(nil, "import", "cpu_schedule.bin.zip", "data/sample/tiny.log", "-o", "x")
	if status != stage.Done || !strings.Contains(errs, "note: cpu_schedule.bin.zip: omitted: it is a schedule of drmemtrace, without references") {
		t.Errorf("a schedule and a trace: status %d, %s", status, errs)
	}
}

// Without --proc, head prints all processors. The help shows no number as the default.
func TestHeadHelpHasNoProcessorForAll(t *testing.T) {
	if _, help, _ := traces(nil, "head", "--help"); !strings.Contains(help, "only rows of PROCESSOR (default: all, in order)\n") {
		t.Errorf("%s", help)
	}
}
