package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/phases"
	"spoor/analyze/registry"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// analyze runs the command in an environment of its own.
func analyze(args ...string) (status int, out, errs string) {
	return stage.Capture(command, strings.NewReader(""), args...)
}

// expect runs the command with arguments that have no spaces. A failed one must print only its error.
func expect(t *testing.T, args string, status int, want string) {
	t.Helper()
	got, out, errs := analyze(strings.Fields(args)...)
	text := out
	if status != stage.Done {
		text = errs
		if out != "" {
			t.Errorf("failed and printed %q", out)
		}
	}
	if got != status || !strings.Contains(text, want) {
		t.Errorf("status %d, want %d with %q:\n%.300s%s", got, status, want, out, errs)
	}
}

// write makes a trace of random references, with a barrier at the end of each phase.
func write(t testing.TB, prefix string, procs, phases, refsPerPhase int, notes ...string) {
	t.Helper()
	writeHead(t, prefix, trace.Header{Program: "random", Format: "test", Procs: procs, WorkUnit: trace.WorkInstr, Tool: "test", Notes: notes}, phases, refsPerPhase)
}

// writeHead is write with a header.
func writeHead(t testing.TB, prefix string, h trace.Header, phases, refsPerPhase int) {
	t.Helper()
	procs := h.Procs
	w, err := store.Create(prefix, h)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for p := range procs {
		r := rand.New(rand.NewPCG(uint64(p), 5))
		refs, events := trace.Refs{Proc: trace.Proc(p)}, trace.Events{Proc: trace.Proc(p)}
		for range phases {
			for range refsPerPhase {
				addr := uint64(1<<20) + uint64(float64(1<<14)*r.Float64()*r.Float64()*r.Float64())
				refs.Append(uint32(1+r.IntN(5)), addr, uint16(1+r.IntN(8)), trace.Op(1+r.IntN(2)))
			}
			e := trace.NewEvent(trace.Barrier)
			e.Refs = uint64(refs.Len())
			events.Rows = append(events.Rows, e)
		}
		if err := w.Refs(&refs); err != nil {
			t.Fatal(err)
		}
		if err := w.Events(&events); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
}

func TestStatus(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "four", 4, 2, 500)
	write(t, "one", 1, 1, 500)
	write(t, "none", 2, 1, 0)
	unmatched(t, "unmatched")
	if err := os.WriteFile("file", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   string
		status int
		want   string // in standard output if the status is 0, else in standard error
	}{
		{"--help", stage.Done, "  phases      misses"},
		{"--version", stage.Done, "analyze " + stage.Version},
		{"-o d four", stage.Done, "\nlocality\nname"},
		{"-o d four.refs.arrow --run reuse", stage.Done, "proc  line [B]  refs"},
		{"-o d four --run reuse --format csv", stage.Done, "proc,line,distance,count\n-1,64,-1,"},
		{"-o d one --run reuse --format csv", stage.Done, "proc,line,distance,count\n0,64,-1,"},
		{"-o d four --run reuse --format csv --interleaved=false", stage.Done, "proc,line,distance,count\n0,64,-1,"},
		{"-o d four --run reuse --format csv --line 64B,32B", stage.Done, "proc,line,distance,count\n-1,32,-1,"},
		{"-o d four --run reuse --format csv --procs 1,2-3", stage.Done, "proc,line,distance,count\n1,64,-1,"},
		{"-o d four --run reuse --format json", stage.Done, `{"proc": -1, "line": 64, "distance": -1, "count": `},
		{"-o d four --run locality --format csv", stage.Done, "name,value,unit,lo,hi\nalpha,"},
		{"-o d four --run reuse_time --format csv", stage.Done, "proc,line,time,least,most,count,sum\n-1,64,reuse,1,1,"},
		{"-o d four --run reuse_time --procs 1,2", stage.Done, "footprint [lines]"},
		{"-o d none --run reuse_time", stage.Done, "proc  line"},
		{"-o d four --run locality --assoc 4x2,8x1 --locality-seed 7", stage.Done, "max error"},
		{"-o d four --run locality --assoc 4x2 --assoc-simulate=false --line 1B", stage.Done, "max error"},
		{"-o d four --run phases --sets 4 --format csv", stage.Done, "proc,phase,window,line,sets,event,distance,count\n0,0,0,64,0,instr,0,"},
		{"-o d four --run phases --sets 4 --window 7 --format csv", stage.Done, "\n0,0,1,64,0,instr,0,"},
		{"-o d four --run cache --cache L1d=1KiB/4/64B,LL=4KiB/8/64B/opt --cache dtlb=4/full/4KiB --format csv", stage.Done, "\n\"L1d=1KiB/4/64B,LL=4KiB/8/64B/opt\",3,LL,4096,8,64,opt,"},
		{"-o d four --run cache --causes=false --procs 2", stage.Done, "uses  misses  load_misses  store_misses  ratio  "},
		{"-o d none --run cache", stage.Done, "proc  level"},
		{"-o d none", stage.Done, "\nlocality\nname"},
		{"-o d none --run locality --assoc 4x2", stage.Done, "references"},
		{"-o d none --run locality --format csv", stage.Done, "name,value,unit,lo,hi\nline,64,B,64,64\nfootprint,0,"},
		{"-o d four --run sharing --word 4B --format csv", stage.Done, "proc,line,array,owner,loads,stores,shared,words,"},
		{"-o d four --run sharing", stage.Done, "\n64        (all)"},
		{"-o d four --run coherent --format csv", stage.Done, "proc,line,distance,count\n0,64,-2,"},
		{"-o d none --run coherent", stage.Done, "coherence  miss16"},
		{"-o d/e/f none --run reuse,phases", stage.Done, "phases\nproc"},
		{"-o d four --run footprint", stage.Done, "loss [blocks]"},
		{"-o d four --run footprint --footprint-window barrier --format csv", stage.Done, "\n-1,64,2,"},
		{"-o d four --run footprint --footprint-window 9refs --line 64B,32B --format csv", stage.Done, "\n3,4096,"},
		{"-o d four --run quanta --quantum 50 --cpi 2", stage.Done, "sigma_intra"},
		{"-o d four --run quanta --quanta-cache 1x4 --line 32B", stage.Done, "per_quantum_miss"},
		{"-o d four --run quanta --quantum 50 --format csv", stage.Done, "quantum,proc,time,active,load,store,barrier\n0,0,50,1,"},

		{"-o d four --run marshal --format csv", stage.Done, "proc,line,kind,bytes,count,block,stride,offset,messages,"},
		{"-o d four --run comm --format csv", stage.Done, "from,to,kind,messages,bytes,least,most"},
		{"-o d four --run comm,marshal --procs 1-2", stage.Done, "\ncomm\nwhat"},

		{"-o d none --run reuse,quanta,cache,footprint", stage.Failed, "no loads or stores; for the other results give --run reuse,cache"},
		{"-o d none --run quanta", stage.Failed, "no time to divide into quanta\n"},
		{"four", stage.WrongUsage, "-o, --output DIRECTORY is needed: directory for the results\n"},
		{"filter four", stage.WrongUsage, "--cache LEVELS is needed: "},
		{"-o d four --run all", stage.Done, "\ncoherent\n"},
		{"-o d four --run comm,all,resue", stage.WrongUsage, `unknown analysis "resue"`},
		{"-o d four --run comm --collectives tree", stage.WrongUsage, `unknown algorithm "tree"`},
		{"-o d four --run comm --link-bandwidth 0MB/s", stage.WrongUsage, "not a bandwidth"},
		{"-o d four --run comm --byte-cost NaN", stage.WrongUsage, "from 0 to 1e18"},
		{"-o d four --run phases --per-node 2 --line 2B", stage.WrongUsage, "lines of at least 4B, not 2B; change --line or --block"},
		{"-o d", stage.WrongUsage, "; usage: analyze [--run"},
		{"-o d four --sample x", stage.WrongUsage, "\"--sample\" flag: not a number"},
		{"-o d four --message-cost -1", stage.WrongUsage, "flag: not a whole number from 0"},
		{"--output= four", stage.WrongUsage, "--output is empty; give a DIRECTORY"},
		{"-o file/x unsound", stage.Failed, "writing file/x: "}, // found before the trace is read
		{"merge nowhere -o file", stage.Failed, "writing file: file is a file, not a directory"},
		{"compose nowhere --cache-lines 1 -o file", stage.Failed, "writing file: file is a file, not a directory"},
		{"-o d four --run resue", stage.WrongUsage, `unknown analysis "resue"; did you mean "reuse"? (known: reuse, locality`},
		{"-o d four --format csv", stage.WrongUsage, "choose one with --run"},
		{"-o d four --line 48B", stage.WrongUsage, "48B is not a power of two"},
		{"-o d four --line 64", stage.WrongUsage, "--line: \"64\" has no unit; write \"64B\"\n"},
		{"-o d four --line 48", stage.WrongUsage, "has no unit; write for example"},
		{"-o d four --run reuse --format csv --procs 1 --procs 2-3", stage.Done, "\n2,64,-1,"},
		{"-o d four --run comm --link-bandwidth 1e-320B/s", stage.WrongUsage, `--link-bandwidth: "1e-320B/s" is below 1B/s`},
		{"-o d four --run phases --window -1", stage.WrongUsage, "\"--window\" flag: not a whole number from 1\n"},
		{"-o d four --run phases --window 1e3", stage.WrongUsage, "\"--window\" flag: not a whole number from 1\n"},
		{"-o d four --run phases --window 99999999999999999999", stage.WrongUsage, "\"--window\" flag: too large\n"},
		{"filter --cache L1d=1KiB/4/64B --cache L2=4KiB/8/64B -o near four", stage.WrongUsage, "--cache is given 2 times; give all levels in one list"},
		{"-o d four --run locality --assoc 4", stage.WrongUsage, `--assoc: "4" is not sets x ways`},
		{"-o d four --run locality --assoc 4x2 --line 1B", stage.WrongUsage, "lines of 2B or more"},
		{"-o d four --run phases --sets 3", stage.WrongUsage, "3 is not a power of two"},
		{"-o d four --run phases --window 0", stage.WrongUsage, "--window: 0 is not"},
		{"-o d four --run quanta --quantum 0", stage.WrongUsage, "--quantum: 0 cycles are not"},
		{"-o d four --run quanta --cpi 0", stage.WrongUsage, "--cpi: 0 is not"},
		{"-o d four --run quanta --procs 1", stage.WrongUsage, "quanta needs all processors"},
		{"-o d four --run cache --cache L1d=32KiB/8", stage.WrongUsage, "--cache: \"L1d=32KiB/8\": a level has the form"},
		{"-o d four --run sharing --word 3B", stage.WrongUsage, "--word: 3B is not a power of two"},
		{"-o d four --run sharing --line 1MiB", stage.WrongUsage, "more than 65536 words"},
		{"-o d four --procs 1 --run sharing", stage.WrongUsage, "sharing needs all processors"},
		{"-o d four --procs 1 --run coherent", stage.WrongUsage, "coherent needs all processors"},
		{"-o d four --run footprint --footprint-window 0refs", stage.WrongUsage, `"0refs" is not quantum, barrier`},
		{"-o d four --run footprint --footprint-cache 64", stage.WrongUsage, `"64" is not sets x ways`},
		{"-o d four --run footprint --footprint-page 64B", stage.WrongUsage, "is also a size of --line"},
		{"-o d four --run footprint --line 1B", stage.WrongUsage, "lines of 2B or more"},
		{"-o d four --procs 4", stage.WrongUsage, "no processor 4: the trace has 4"},
		{"-o d four --procs 3-1", stage.WrongUsage, `"3-1" is not`},
		{"-o d four --procs 0-99999999999999999999", stage.WrongUsage, "is not a processor"},
		{"-o d four --procs 1 --run phases", stage.WrongUsage, "phases needs all processors"},
		{"-o d four --procs 1 --interleaved", stage.WrongUsage, "needs all processors"},
		{"-o x nowhere", stage.Failed, "nowhere"},
		{"-o x none --run footprint", stage.Failed, "no loads or stores"},
		{"-o x none --run quanta", stage.Failed, "counts no instructions"},
		{"-o x unmatched --run phases", stage.Failed, "processor 0 at barrier 7; processors that have ended: 1"},
		{"-o file four", stage.Failed, "file"},
	} {
		t.Run(c.args, func(t *testing.T) {
			expect(t, c.args, c.status, c.want)
		})
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("a failed run left its directory behind")
	}
}

// unmatched writes a trace in which a processor waits for one that has ended.
func unmatched(t *testing.T, prefix string) {
	t.Helper()
	h := trace.Header{Program: "unmatched", Format: "test", Procs: 2, WorkUnit: trace.WorkInstr, Tool: "test"}
	w, err := store.Create(prefix, h)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	barrier := trace.NewEvent(trace.Barrier)
	barrier.Peer = 7
	if err := w.Events(&trace.Events{Proc: 0, Rows: []trace.Event{barrier}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
}

// The same trace gives the same bytes, on one core as on several, alone as together, and no file
// but the results is left.
func TestBytesDoNotDependOnCores(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "x", 5, 2, testsize.Cases(5000, 1000))
	writeRing(t, "ring", 3, 50)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var all []string
	for _, k := range registry.All() {
		all = append(all, k.Name)
	}
	for _, trace := range []string{"x", "ring"} {
		flags := " --line 32B,64B --sets 16,4 --quantum 1000 --footprint-window 900refs --quanta-cache 4x2 --cache L1d=1KiB/4/64B/random,LL=8KiB/8/64B/with-opt"
		for _, cores := range []int{1, 4, 4}[:testsize.Cases(3, 2)] {
			runtime.GOMAXPROCS(cores)
			must(t, fmt.Sprint("-o ", trace, cores, " --run ", strings.Join(all, ","), flags, " ", trace))
			sameFiles(t, fmt.Sprint(trace, cores), trace+"1")
		}
		for _, name := range all {
			if name == "locality" {
				name = "locality,reuse_time" // whose times it has models for
			}
			must(t, fmt.Sprint("-o ", trace, "-apart --run ", name, flags, " ", trace))
		}
		sameFiles(t, trace+"-apart", trace+"1")
	}
	for _, dir := range []string{"x1", "x4", "x-apart"} {
		t.Run(dir, func(t *testing.T) {
			files, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if strings.HasPrefix(f.Name(), ".") || f.IsDir() {
					t.Errorf("%s has %s", dir, f.Name())
				}
			}
		})
	}
}

// What analyses count twice agrees: uses of lines, first uses and capacities.
func TestTablesAgree(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "x", 3, 2, 3000)
	if status, _, errs := analyze("-o", "d", "--run", "reuse,phases", "--sets", "1", "x"); status != stage.Done {
		t.Fatal(errs)
	}
	reuse, phased := read(t, "d/reuse.arrow"), read(t, "d/phases.arrow")
	profile, err := phases.Load(phased, 64)
	if err != nil {
		t.Fatal(err)
	}
	procs, _ := store.Data[int32](reuse, "proc")
	counts, _ := store.Data[uint64](reuse, "count")
	if len(procs) == 0 {
		t.Fatal("no rows")
	}
	for p := range 3 {
		var uses, want uint64
		for i, q := range procs {
			if int(q) == p {
				uses += counts[i]
			}
		}
		for phase := range profile.Windows {
			c, err := profile.Counts(trace.Proc(p), phase, 1, 1)
			if err != nil {
				t.Fatal(err)
			}
			want += c.Loads + c.Stores
		}
		if uses != want || uses < 6000 {
			t.Errorf("processor %d uses %d lines by reuse, %d by phases", p, uses, want)
		}
	}
	if reuse.Fact("trace") == "" || reuse.Fact("trace") != phased.Fact("trace") || reuse.Fact("program") != "random" {
		t.Errorf("facts %v", reuse.Meta)
	}
}

func read(t *testing.T, path string) *store.Table {
	t.Helper()
	table, err := store.ReadTable(path)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// Parameters say whether the trace passes messages, also if they are joined from parts.
func TestParametersKnowMessages(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "memory", 2, 2, 100)
	writeRing(t, "ring", 2, 3)
	for name, want := range map[string]string{"memory": "0.0", "ring": "1.0"} {
		must(t, "-o whole --run locality "+name)
		must(t, "-o a --procs 0 --run locality "+name)
		must(t, "-o b --procs 1 --run locality "+name)
		must(t, "merge -o joined a b")
		for _, dir := range []string{"whole", "joined"} {
			text, err := os.ReadFile(filepath.Join(dir, "locality.params.toml"))
			if err != nil || !strings.Contains(string(text), "[passes_messages]\nvalue = "+want+"\n") {
				t.Errorf("%s: %v, want %s in\n%s", dir, err, want, text)
			}
		}
	}
}

// Results of another trace in the same folder are noted.
func TestResultsOfAnotherTraceAreNoted(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "old", 2, 2, 100)
	write(t, "new", 2, 2, 101)
	must(t, "-o d*[1] --run reuse,locality,phases old")
	for _, c := range []struct{ run, want string }{
		{"reuse", "d*[1]: locality.params.toml, locality_curve.arrow, phases.arrow are of another trace"},
		{"locality", "d*[1]: phases.arrow is of another trace"},
		{"phases", ""},
	} {
		t.Run(c.run, func(t *testing.T) {
			status, _, errs := analyze("-o", "d*[1]", "--run", c.run, "new")
			if status != stage.Done || !strings.Contains(errs, c.want) || (c.want == "") != !strings.Contains(errs, "another trace") {
				t.Errorf("%s, want %q", errs, c.want)
			}
		})
	}
}

// Results without references are empty, and say why.
func TestNoteOnTracesOfMessages(t *testing.T) {
	t.Chdir(t.TempDir())
	unmatched(t, "x")
	for run, want := range map[string]bool{"comm,marshal": false, "comm": false, "quanta": true} {
		t.Run(run, func(t *testing.T) {
			if _, _, errs := analyze("--run", run, "-o", "d", "x"); strings.Contains(errs, "the trace has no references") != want {
				t.Errorf("note %v is wanted: %s", want, errs)
			}
		})
	}
}

// Whose events are missing, nobody waits at barriers, which is said.
func TestNoteOnSamples(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "whole", 2, 2, 500)
	write(t, "tenth", 2, 2, 500, trace.SampleNote("0.1 of all lines"))
	const note, source = "spoor: note: tenth: the trace is a sample (0.1 of all lines): its rates", ", a sample: 0.1 of all lines"
	for args, want := range map[string]bool{"-o a tenth": true, "-o b whole": false, "--run comm -o c tenth": false, "--run footprint -o d tenth": true,
		"filter --cache L1d=1KiB/2/64B -o e tenth": true, "--procs 0 -o f tenth": true, "--procs 1 -o g tenth": true} {
		t.Run(args, func(t *testing.T) {
			status, _, errs := analyze(strings.Fields(args)...)
			if status != stage.Done || strings.Contains(errs, note) != want {
				t.Errorf("analyze %s: status %d, a note of a sample is wanted: %t:\n%s", args, status, want, errs)
			}
		})
	}
	if status, _, errs := analyze("merge", "-o", "h", "f", "g"); status != stage.Done || !strings.Contains(errs, "the trace is a sample (0.1 of all lines)") {
		t.Errorf("analyze merge: status %d: %s", status, errs)
	}
	for file, want := range map[string]bool{"a/locality": true, "b/locality": false, "d/footprint": true, "h/locality": true} {
		t.Run(file, func(t *testing.T) {
			if got := strings.Contains(text(t, file+".params.toml"), source); got != want {
				t.Errorf("%s.params.toml says that it is of a sample: %t, want %t", file, got, want)
			}
		})
	}
	if got := read(t, "a/curve.arrow").Fact("trace_sample"); got != "0.1 of all lines" {
		t.Errorf("curve.arrow is of sample %q", got)
	}
}

// What a recording lacks is noted, and stands in the source of parameters.
func TestNoteOnLackingRecordings(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, lacks := range map[string]trace.Unrecorded{"most": {Instr: 0.458, Refs: 0.404}, "few": {Instr: 0.009, Refs: 0.01}} {
		writeHead(t, name, trace.Header{Program: "own", Format: "spmd", Procs: 2, WorkUnit: trace.WorkInstr, Unrecorded: lacks}, 2, 500)
	}
	const note = "most: the recording lacks about 45.8 % of the instructions and 40.4 % of the references (see traces info): "
	for args, want := range map[string]bool{"-o a most": true, "-o b few": false, "--run comm -o c most": false, "--procs 0 -o f most": true, "--procs 1 -o g most": true,
		"filter --cache L1d=1KiB/2/64B -o e most": true} {
		t.Run(args, func(t *testing.T) {
			status, _, errs := analyze(strings.Fields(args)...)
			if status != stage.Done || strings.Contains(errs, note) != want {
				t.Errorf("analyze %s: status %d, a note is wanted: %t:\n%s", args, status, want, errs)
			}
		})
	}
	if _, _, errs := analyze("--run", "comm", "-o", "c", "most"); !strings.Contains(errs, "lacks about 45.8 % of the instructions (see") {
		t.Errorf("messages: %s", errs)
	}
	if status, _, errs := analyze("merge", "-o", "h", "f", "g"); status != stage.Done || !strings.Contains(errs, note[6:]) {
		t.Errorf("analyze merge: status %d: %s", status, errs)
	}
	if status, _, errs := analyze("-o", "i", "e"); status != stage.Done || !strings.Contains(errs, note[6:]) {
		t.Errorf("what filter wrote: status %d: %s", status, errs)
	}
	for file, want := range map[string]bool{"a/locality": true, "b/locality": false, "h/locality": true} {
		t.Run(file, func(t *testing.T) {
			if got := strings.Contains(text(t, file+".params.toml"), ", recorded without 45.8 % of the instructions and 40.4 % of the references"); got != want {
				t.Errorf("%s.params.toml says what it lacks: %t, want %t", file, got, want)
			}
		})
	}
}

func TestNoteOnMissingEvents(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "two", 2, 2, 100)
	write(t, "one", 1, 2, 100)
	for name, want := range map[string]bool{"two": false, "two" + store.RefsSuffix: true, "one" + store.RefsSuffix: false} {
		t.Run(name, func(t *testing.T) {
			if _, _, errs := analyze("--run", "coherent", "-o", "d", name); strings.Contains(errs, "the trace has no .events.arrow file") != want {
				t.Errorf("note %v is wanted: %s", want, errs)
			}
		})
	}
}

// Without --run, a trace of messages gets what there is of messages.
func TestTracesOfMessagesWithoutRun(t *testing.T) {
	t.Chdir(t.TempDir())
	head := trace.Header{Program: "ping", Format: "test", Procs: 2, WorkUnit: trace.WorkInstr, Tool: "test"}
	w, err := store.Create("x", head)
	if err != nil {
		t.Fatal(err)
	}
	for p, kind := range []trace.Kind{trace.Send, trace.Recv} {
		e := trace.NewEvent(kind)
		e.Peer, e.Tag, e.Bytes = int32(1-p), 1, 8
		if err := w.Events(&trace.Events{Proc: trace.Proc(p), Rows: []trace.Event{e}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(head); err != nil {
		t.Fatal(err)
	}
	status, _, errs := analyze("-o", "all", "--run", "all", "x")
	if status != stage.Done || !strings.Contains(errs, "note: the trace has no references; running marshal,comm instead of all\n") {
		t.Fatalf("status %d: %s", status, errs)
	}
	status, _, errs = analyze("-o", "d", "x")
	if status != stage.Done || !strings.Contains(errs, "note: the trace has no references; running marshal,comm instead of reuse,locality") {
		t.Fatalf("status %d: %s", status, errs)
	}
	for name, want := range map[string]bool{"marshal.arrow": true, "comm.arrow": true, "reuse.arrow": false} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat("d/" + name); (err == nil) != want {
				t.Errorf("%v", err)
			}
		})
	}
}

// A part for merging goes when results of all processors take its place.
func TestNoPartOfAnEarlierRunStays(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "four", 4, 1, 100)
	for _, c := range []struct {
		procs string
		stays bool
	}{{"1-2", true}, {"0-3", false}} {
		if status, _, errs := analyze("--run", "reuse", "--procs", c.procs, "-o", "d", "four"); status != stage.Done {
			t.Fatal(errs)
		}
		if _, err := os.Stat("d/shards.arrow"); (err == nil) != c.stays {
			t.Errorf("--procs %s: %v, stays %v", c.procs, err, c.stays)
		}
	}
}

// Every column of every table is in the help; those of events and of models share a description.
func TestHelpHasAllColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "x", 4, 2, 300)
	var all []string
	for _, k := range registry.All() {
		all = append(all, k.Name)
	}
	if status, _, errs := analyze("--run", strings.Join(all, ","), "--assoc", "4x2", "--cache", "L1d=1KiB/2/64B/with-opt", "--per-node", "2", "-o", "d", "x"); status != stage.Done {
		t.Fatal(errs)
	}
	var help string
	for _, k := range registry.All() {
		help += k.Help
		for _, t := range k.Topics {
			help += t.Help
		}
	}
	files, err := filepath.Glob("d/*.arrow")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d tables (%v)", len(files), err)
	}
	for _, file := range files {
		for _, c := range read(t, file).Columns {
			name := strings.TrimSuffix(strings.TrimSuffix(c.Name, "_ml"), "_max")
			isEvent := slices.ContainsFunc(trace.Kinds, func(k trace.Kind) bool { return k.String() == name })
			if !isEvent && !strings.Contains(help, name) {
				t.Errorf("%s: the help does not say what %s is", file, c.Name)
			}
		}
	}
}

// A flag without effect gets a note.
func TestUnusedFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	unmatched(t, "x")
	write(t, "y", 2, 1, 10)
	for args, want := range map[string]string{
		"--run comm --assoc 64x8 x":                     "spoor: note: --assoc has no effect: it is a flag of locality, which --run does not name\n",
		"--run comm --interleaved=false x":              "spoor: note: --interleaved has no effect: it is a flag of reuse, reuse_time, cache, which --run does not name\n",
		"--run comm --link-bandwidth 1GB/s x":           "",
		"--run comm --line 32B x":                       "spoor: note: --line has no effect: it is a flag of reuse, locality, reuse_time, phases, marshal, footprint, quanta, sharing, coherent, which --run does not name\n",
		"--run cache --line 32B y":                      "spoor: note: --line has no effect: it is a flag of reuse, locality, reuse_time, phases, marshal, footprint, quanta, sharing, coherent, which --run does not name\n",
		"--run quanta --line 32B y":                     "spoor: note: --line has no effect without --quanta-cache\n",
		"--run phases --delay 5 y":                      "spoor: note: --delay has no effect without --per-node\n",
		"--run phases --delay 5 --per-node 1 y":         "",
		"--run comm --refs data x":                      "spoor: note: --refs has no effect: it is a flag of reuse, locality, reuse_time, phases, marshal, footprint, quanta, cache, sharing, coherent, which --run does not name\n",
		"--run quanta --refs data y":                    "spoor: note: --refs has no effect without --quanta-cache\n",
		"--run quanta,reuse --refs data y":              "",
		"--run quanta --refs data --quanta-cache 4x2 y": "",
		"--run locality --assoc-simulate=false y":       "spoor: note: --assoc-simulate has no effect without --assoc\n",
	} {
		t.Run(args, func(t *testing.T) {
			status, _, errs := analyze(append(strings.Fields(args), "-o", "d")...)
			if status != stage.Done || strings.Contains(errs, "no effect") != (want != "") || !strings.Contains(errs, want) {
				t.Errorf("status %d, %q, want %q", status, errs, want)
			}
		})
	}
}

// A list whose flag is given again goes on, and caches that are named twice are measured once.
func TestListsGoOn(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "four", 4, 2, 500)
	for _, c := range []struct{ again, once []string }{
		{[]string{"--run", "reuse", "--procs", "0", "--procs", "2-3"}, []string{"--run", "reuse", "--procs", "0,2-3"}},
		{[]string{"--run", "footprint", "--footprint-cache", "64x1,64x1", "--footprint-tlb", "1x64", "--footprint-tlb", "1x64"},
			[]string{"--run", "footprint", "--footprint-cache", "64x1", "--footprint-tlb", "1x64"}},
	} {
		status1, again, errs := analyze(append(c.again, "--format", "csv", "-o", "d", "four")...)
		status2, once, _ := analyze(append(c.once, "--format", "csv", "-o", "e", "four")...)
		if status1 != stage.Done || status2 != stage.Done || again != once {
			t.Errorf("%v: status %d and %d, %s\n%s\n%s", c.again, status1, status2, errs, again, once)
		}
	}
}

// The help fits on a screen. Flags of one analysis are on its page only.
func TestHelpIsShort(t *testing.T) {
	pages := [][]string{{"--help"}, {"compose", "--help"}, {"filter", "--help"}, {"merge", "--help"}}
	for _, k := range registry.All() {
		pages = append(pages, []string{"help", k.Name})
	}
	for _, topic := range []string{"per-node", "levels", "sampling"} {
		pages = append(pages, []string{"help", topic})
	}
	for _, args := range pages {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			_, out, errs := analyze(args...)
			if n := strings.Count(out, "\n"); n > 49+len(registry.All()) && args[0] != "help" || n < 10 || errs != "" {
				t.Errorf("%v: %d lines, %s", args, n, errs)
			}
			for line := range strings.Lines(out) {
				if len(line) > stage.Columns+1 {
					t.Errorf("%v: %s", args, line)
				}
			}
		})
	}
	_, short, _ := analyze("--help")
	for _, flag := range []string{"--assoc", "--cache ", "--per-node ", "--quantum", "--sample-seed"} {
		t.Run(flag, func(t *testing.T) {
			if strings.Contains(short, flag) {
				t.Errorf("the help has %s", flag)
			}
		})
	}
	for page, want := range map[string]string{"footprint": "--quantum cycles", "locality": "--sample rate", "cache": "--interleaved", "per-node": "--node-network list"} {
		t.Run(page, func(t *testing.T) {
			if status, out, _ := analyze("help", page); status != stage.Done || !strings.Contains(out, want) {
				t.Errorf("help %s: status %d\n%s", page, status, out)
			}
		})
	}
}

// Old names of flags work.
func TestRenamedFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "y", 2, 1, 10)
	old := "--run phases --per-node 1 --between bus --right 0.5 --miss 7 --ways 3 --format csv"
	now := "--run phases --per-node 1 --node-network bus --control-delay 0.5 --node-miss 7 --node-ways 3 --format csv"
	status1, out1, errs := analyze(append(strings.Fields(old), "-o", "a", "y")...)
	status2, out2, _ := analyze(append(strings.Fields(now), "-o", "b", "y")...)
	if status1 != stage.Done || status2 != stage.Done || out1 != out2 || errs != "" {
		t.Errorf("status %d and %d: %s", status1, status2, errs)
	}
}

// The shell completes names of analyses, also after a comma.
func TestCompletion(t *testing.T) {
	_, out, _ := analyze("__complete", "--run", "reuse,sh")
	if !strings.Contains(out, "reuse,sharing\n") {
		t.Error(out)
	}
}
