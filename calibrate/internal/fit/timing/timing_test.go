package timing_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/packing"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// write writes files of a test and returns their paths.
func write(t testing.TB, texts ...string) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for i, text := range texts {
		path := filepath.Join(dir, fmt.Sprintf("f%d", i))
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// read is the timings of texts, as lines of experiment, bytes, count, delay, launch, rep and time.
func read(t *testing.T, texts ...string) (lines []string, d *timing.Data) {
	t.Helper()
	d, err := timing.Read(write(t, texts...)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range d.Timings {
		lines = append(lines, fmt.Sprintf("%s %d %d %.6g %d %d %.6g", one.Experiment, one.Bytes, one.Count, float64(one.Delay), one.Launch, one.Rep, float64(one.Time)))
	}
	return lines, d
}

func expect(t *testing.T, name string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The first lines are as in public outputs; numbers are made up.
const latency = `Rank 0 - About to run: /opt/omb/osu_latency

# OSU MPI Latency Test v5.6.3
# Size          Latency (us)
0                       1.27
1                       1.25
1024                    2.77
`

func TestOSU(t *testing.T) {
	got, d := read(t, latency)
	expect(t, "osu_latency", got, "pingpong 0 1 0 0 0 2.54e-06", "pingpong 1 1 0 0 0 2.5e-06", "pingpong 1024 1 0 0 0 5.54e-06")
	if want := " (OSU) sha256:"; len(d.Sources) != 1 || !strings.Contains(d.Source(), want) {
		t.Errorf("source %s", d.Source())
	}
	got, _ = read(t, "# OSU MPI Latency Test v7.5\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n1                       1.67\n")
	expect(t, "version 7", got, "pingpong 1 1 0 0 0 3.34e-06")
	got, d = read(t, "# OSU MPI Bandwidth Test v5.6.2\n# Size      Bandwidth (MB/s)\n1                       8\n1000000     4000\n")
	expect(t, "osu_bw", got, "gap 1 1 0 0 0 1.25e-07", "gap 1000000 1 0 0 0 0.00025")
	if len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0].Error(), "acknowledgement") {
		t.Errorf("warned %v", d.Warnings)
	}
	got, _ = read(t, "# OSU MPI Bi-Directional Bandwidth Test v7.5\n# Datatype: MPI_CHAR.\n# Size      Bandwidth (MB/s)        Validation\n1000                       500              Pass\n")
	expect(t, "osu_bibw", got, "exchange 1000 1 0 0 0 4e-06")
	got, _ = read(t, "# OSU MPI Bi-Directional Bandwidth Test v3.0\n# Size     Bi-Bandwidth (MB/s)\n4194304                1717.43\n")
	expect(t, "osu_bibw of version 3", got, "exchange 4194304 1 0 0 0 0.0048844")
	got, _ = read(t, "# OSU MPI Allreduce Latency Test v7.0\n# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n4                     136.08             99.29            164.85        1000\n")
	expect(t, "osu_allreduce", got, "allreduce 4 1 0 0 0 0.00013608")
	// Benchmarks that follow each other, and again in another file: launches are numbered by benchmark.
	got, _ = read(t, latency+"\n# OSU MPI Bandwidth Test v5.6.3\n# Size      Bandwidth (MB/s)\n1                       8\n"+latency[strings.Index(latency, "# OSU"):],
		"# OSU MPI Bandwidth Test v5.6.3\n# Size      Bandwidth (MB/s)\n1                       8.5\n")
	expect(t, "several", got, "pingpong 0 1 0 0 0 2.54e-06", "pingpong 1 1 0 0 0 2.5e-06", "pingpong 1024 1 0 0 0 5.54e-06", "gap 1 1 0 0 0 1.25e-07",
		"pingpong 0 1 0 1 0 2.54e-06", "pingpong 1 1 0 1 0 2.5e-06", "pingpong 1024 1 0 1 0 5.54e-06", "gap 1 1 0 1 0 1.17647e-07")
}

// A log has runs of versions 5 and 7 with the launcher's text between them, and osu_mbw_mr of one pair and of several.
func TestOSULog(t *testing.T) {
	const rate = "# OSU MPI Multiple Bandwidth / Message Rate Test v7.1\n# [ pairs: %d ] [ window size: 64 ]\n# Datatype: MPI_CHAR.\n" +
		"# Size                  MB/s        Messages/s\n8                      40.00        5000000.00\n"
	got, d := read(t, latency+"\n+ srun -n 2 osu_latency\n# OSU MPI Latency Test v7.1\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n1                       1.75\n"+
		"# OSU MPI Bandwidth Test v5.6.3\n# Size      Bandwidth (MB/s)\n8   20\n"+fmt.Sprintf(rate, 1)+fmt.Sprintf(rate, 16))
	expect(t, "log", got, "pingpong 0 1 0 0 0 2.54e-06", "pingpong 1 1 0 0 0 2.5e-06", "pingpong 1024 1 0 0 0 5.54e-06", "pingpong 1 1 0 1 0 3.5e-06",
		"gap 8 1 0 0 0 4e-07", "gap 8 1 0 1 0 2e-07")
	var warned []string
	for _, w := range d.Warnings {
		warned = append(warned, w.Error()[strings.Index(w.Error(), "f0:"):])
	}
	expect(t, "warnings", warned, `f0:9: text between benchmarks was skipped: "+ srun -n 2 osu_latency"`,
		"f0: gaps of osu_bw have a share of the acknowledgement that ends a window (of 64 messages, if nobody changed it)",
		"f0: gaps of osu_mbw_mr have a share of the acknowledgement that ends a window",
		"f0:25: the results of 16 pairs of processes are not used: g and G here are those of one pair")
}

const netgauge = `# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)
# to get o: plot "./loggp.out" using 1:(($5-$3)/($2-1)-$3)
# to get g,G: plot "./loggp.out" using 1:($4-$3)/($2-1)
1 10 10.000000 28.000000 109.000000 5.000000 1.000000 0.900000 nan nan nan
1025 10 12.000000 32.000000 129.500000 5.000000 1.055556 0.950000 2.000000 0.000217 0.000000
1025 10 12.000000 32.000000 129.500000 5.000000 1.055556 0.950000 2.100000 0.000300 0.000000
2049 10 13.000000 36.000000 140.000000 5.000000 1.100000 -0.010000 2.000000 0.000217 0.000000
`

func TestNetgauge(t *testing.T) {
	got, d := read(t, netgauge)
	expect(t, "netgauge", got,
		"pingpong 1 1 0 0 0 1e-05", "burst 1 10 0 0 0 2.8e-05", "delayed 1 10 1e-05 0 0 0.000109", "receive 1 1 0 0 0 9e-07",
		"pingpong 1025 1 0 0 0 1.2e-05", "burst 1025 10 0 0 0 3.2e-05", "delayed 1025 10 1.2e-05 0 0 0.0001295", "receive 1025 1 0 0 0 9.5e-07",
		"pingpong 2049 1 0 0 0 1.3e-05", "burst 2049 10 0 0 0 3.6e-05", "delayed 2049 10 1.3e-05 0 0 0.00014")
	if !strings.Contains(d.Source(), "(netgauge)") {
		t.Error(d.Source())
	}
}

func TestSimGrid(t *testing.T) {
	got, _ := read(t, "MPI_Send,26,31.484260,2.000000e-06\nMPI_Recv,26,31.484260,1.800000e-04\nMPI_Send,26,31.484454,4.000000e-06\nMPI_Recv,26,31.484454,9.600000e-05\n",
		"MPI_Recv,26,0.011564,5.000000e-06\nMPI_Recv,26,0.011656,8.000000e-06\n")
	expect(t, "ping-pongs and receives", got, "pingpong 26 1 0 0 0 0.000182", "send 26 1 0 0 0 2e-06", "pingpong 26 1 0 0 1 0.0001", "send 26 1 0 0 1 4e-06",
		"receive 26 1 0 0 0 5e-06", "receive 26 1 0 0 1 8e-06")
	got, d := read(t, "function,size,start,duration\nMPI_Isend,26,0.011564,5.000000e-06\nMPI_Wtime,1,0.1,0.000000e+00\nMPI_Wtime,1,0.1,0.000000e+00\n")
	expect(t, "asynchronous sends", got, "send 26 1 0 0 0 5e-06")
	if len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0].Error(), "2 times of MPI_Wtime were skipped") {
		t.Errorf("warned %v", d.Warnings)
	}
}

const own = `# line = 128B
# made = by hand
experiment,rows,cols,item [B],stride [B],base [B],bytes [KiB],set,launch,rep,state,sentinel [ns],time [ms]
transfer,2,3,4,400,0x1000,,train,0,0,far,780,1.5
transfer,2,3,4,400,4096,,train,1,0,far,790,1.25
pingpong,,,,,,2,,0,0,far,,0.5
`

func TestOwnTables(t *testing.T) {
	_, d := read(t, "\ufeff"+own)
	if d.Line != 128 || d.Page != 0 || d.Minimum || len(d.Timings) != 3 {
		t.Fatalf("%+v", d)
	}
	want := packing.Point{Experiment: packing.Transfer, Rows: 2, Cols: 3, Item: 4, Stride: 400, Base: 4096, Blocks: 1, Bytes: 24, Count: 1, Set: timing.Train}
	if one := d.Timings[1]; one.Point != want || one.Launch != 1 || one.State != "far" || one.Time != 1.25e-3 || math.Abs(float64(one.Sentinel)/790e-9-1) > 1e-15 {
		t.Errorf("%+v", one)
	}
	if two := d.Timings[2]; two.Bytes != 2048 || two.Experiment != timing.PingPong {
		t.Errorf("%+v", two)
	}
	// Written as CSV and as Arrow it is the same again.
	var text bytes.Buffer
	if err := d.WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "d.arrow")
	if err := store.WriteTable(path, d.Table()); err != nil {
		t.Fatal(err)
	}
	for _, again := range []string{write(t, text.String())[0], path} {
		e, err := timing.Read(again)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text.String())
		}
		if e.Line != d.Line || len(e.Timings) != len(d.Timings) {
			t.Fatalf("%+v", e)
		}
		for i := range e.Timings {
			if a, b := public(e.Timings[i]), public(d.Timings[i]); !reflect.DeepEqual(a, b) {
				t.Errorf("%s: %+v, want %+v", again, a, b)
			}
		}
	}
}

// public is a timing without its place.
func public(one timing.Timing) timing.Timing {
	return timing.Timing{Point: one.Point, Launch: one.Launch, Rep: one.Rep, State: one.State, Sentinel: one.Sentinel, Time: one.Time}
}

func TestBadFiles(t *testing.T) {
	replaced := func(text, old, new string) string {
		if strings.Count(text, old) < 1 {
			panic(old)
		}
		return strings.Replace(text, old, new, 1)
	}
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "f0: the file is empty"},
		{"spaces", " \n\n", "f0: the file is empty"},
		{"something else", "hello, world\n1,2\n", "f0: unknown format; the first line of a CSV file must have column names"},
		{"names alone", "bytes [B],time [s]\n", "f0: the file has no timings"},
		{"no time", "bytes [B],rep\n1,2\n", "f0:1: column time is missing"},
		{"no size", "rep,time [s]\n1,2\n", "f0:1: column bytes is missing, or rows, cols, item, stride and base"},
		{"half a layout", "rows,cols,item [B],time [s]\n1,1,4,1\n", "f0:1: column stride is missing: a layout is rows, cols, item, stride and base"},
		{"no unit", "bytes [B],time\n1,2\n", "f0:1: column time: has no unit; write for example time [us]"},
		{"unit that does not exist", "bytes [B],time [usec]\n1,2\n", `f0:1: column time: "1usec": unknown unit "usec"`},
		{"unit of another kind", "bytes [s],time [s]\n1,2\n", `f0:1: column bytes: "1s": unknown unit "s"`},
		{"unit of a count", "bytes [B],rep [s],time [s]\n1,1,2\n", `f0:1: column rep: must have no unit; remove "s"`},
		{"two units", "bytes [B],time [s],time [us]\n1,1,1\n", "f0:1: two columns time"},
		{"unknown column", "bytes [B],time [s],tiem [us]\n1,1,1\n", `f0:1: unknown column "tiem"; columns are experiment,`},
		{"mixed units", "bytes [B],time [s]\n1,1\n2,3ms\n", `f0:3: time: "3ms" has a unit of its own; give plain numbers in the unit of the column`},
		{"not a number", "bytes [B],time [s]\n1,NaN\n", `f0:2: time: "NaN" is not a finite number`},
		{"no end", "bytes [B],time [s]\n1,1e999\n", `f0:2: time: "1e999" is not a finite number`},
		{"text", "bytes [B],time [s]\n1,abc\n", `f0:2: time: "abc" is not a finite number`},
		{"negative", "bytes [B],time [s]\n1,-1\n", "f0:2: time: -1 s is not above zero"},
		{"zero", "bytes [B],time [s]\n1,0\n", "f0:2: time: 0 s is not above zero"},
		{"days", "bytes [B],time [h]\n1,1000\n", "f0:2: the time is above 1Ms"},
		{"almost nothing", "bytes [B],time [s]\n1,1e-200\n", "f0:2: the time is below a femtosecond; correct the number or its unit"},
		{"short delay", "experiment,bytes [B],count,delay [s],time [s]\ndelayed,1,5,1e-300,1\n", "f0:2: the time is below a femtosecond"},
		{"nothing", "bytes [B],time [s]\n1,\n", "f0:2: time: is missing"},
		{"short line", "bytes [B],time [s]\n1\n", "f0:2: 1 values for 2 columns"},
		{"quote", "bytes [B],time [s]\n\"1,2\n", "f0:"},
		{"part of a byte", "bytes [B],time [s]\n1.5,1\n", "f0:2: bytes: 1.5 is not a whole number"},
		{"negative size", "bytes [B],time [s]\n-1,1\n", "f0:2: bytes: -1 is not from 0 to 2^40"},
		{"huge size", "bytes [TiB],time [s]\n9000,1\n", "f0:2: bytes: "},
		{"no size of a transfer", "bytes [B],time [s]\n0,1\n", "f0:2: bytes: are missing"},
		{"twice", "bytes [B],time [s]\n1,1\n2,1\n1,1\n", "f0:4: the same point, launch and repetition as at "},
		{"experiment", "experiment,bytes [B],time [s]\nping,1,1\n", `f0:2: experiment: "ping" is not one of [transfer`},
		{"burst of one", "experiment,bytes [B],count,time [s]\nburst,1,1,1\n", "f0:2: count: a burst needs two messages or more"},
		{"burst without count", "experiment,bytes [B],time [s]\nburst,1,1\n", "f0:2: count: a burst needs two messages or more"},
		{"ping-pong of many", "experiment,bytes [B],count,time [s]\npingpong,1,5,1\n", "f0:2: count: a pingpong has one message"},
		{"delay", "experiment,bytes [B],count,delay [s],time [s]\ndelayed,1,5,0,1\n", "f0:2: delay: is missing"},
		{"delay of a burst", "experiment,bytes [B],count,delay [s],time [s]\nburst,1,5,1,1\n", "f0:2: delay: a burst has none"},
		{"statement", "experiment,bytes [B],time [s]\narray,8,1\n", "f0:2: accesses: are missing"},
		{"set", replaced(own, "train", "training"), `f0:4: set: "training" is neither train nor test`},
		{"state", replaced(own, ",far,", ",so far,"), `f0:4: state: "so far" is not a name`},
		{"rows that overlap", replaced(own, "2,3,4,400", "2,3,4,8"), "f0:4: stride: rows of 12 bytes, 8 apart, overlap"},
		{"no items", replaced(own, "2,3,4,400", "2,0,4,400"), "f0:4: a block of 2 x 0 items of 4 bytes"},
		{"huge block", replaced(own, "2,3,4,400", "1099511627776,1099511627776,4,400"), "f0:4: a block of 1099511627776 x 1099511627776 items of 4 bytes is too large"},
		{"beyond memory", replaced(own, "0x1000", "0xffffffffffffff80"), "f0:4: 2 blocks of 12 bytes, 400 apart"},
		{"address", replaced(own, "0x1000", "-1"), `f0:4: base: "-1" is not an address`},
		{"bytes that are not those", replaced(own, "0x1000,", "0x1000,1"), "f0:4: bytes: 1024, but the block has 24"},
		{"rows of a message", replaced(own, "transfer,2", "pingpong,2"), "f0:4: experiment: pingpong has no rows and cols"},
		{"line", replaced(own, "128B", "100B"), "f0: the fact line: 100B is not a power of two"},
		{"line without unit", replaced(own, "128B", "128"), `f0: the fact line: "128" has no unit`},
		{"reps", replaced(own, "made = by hand", "reps = mean"), `f0: the fact reps: "mean" is neither min nor median`},

		{"OSU of another kind", "# OSU MPI Init Test v5.6.3\nnprocs: 2\n", "f0:1: no model here is for the OSU MPI Init Test; what is read is OSU MPI Latency Test, "},
		{"OSU in other units", replaced(latency, "(us)", "(ms)"), `f0:4: results of the OSU Latency Test are in (us), but the column is "Latency (ms)"`},
		{"OSU in mixed units", "# OSU MPI Allreduce Latency Test v7.0\n# Size       Avg Latency(us)   Min Latency(ms)\n", `f0:2: mixed units: columns "Avg Latency(us)" and "Min Latency(ms)"`},
		{"OSU without results", "# OSU MPI Latency Test v5.6.3\n", "f0:1: the benchmark ends before its first line of results"},
		{"OSU without rows", "# OSU MPI Latency Test v5.6.3\n# Size          Latency (us)\n", "f0: the file has no timings"},
		{"OSU with talk", latency + "[host:1] abort\n", `f0:8: "[host:1]" is not a size in bytes`},
		{"OSU with talk in a table", replaced(latency, "1024 ", "[host:1] warning\n1024 "), `f0:7: "[host:1]" is not a size in bytes`},
		{"OSU with talk at the end", latency + "+ srun osu_bw\n# OSU MPI Bandwidth Test v5\n# Size      Bandwidth (MB/s)\n1  8\nslurmstepd: error\n", `f0:12: "slurmstepd:" is not a size in bytes`},
		{"OSU without pairs", "# OSU MPI Multiple Bandwidth / Message Rate Test v5\n# Size    MB/s    Messages/s\n", `f0:2: no line "# [ pairs: N ]"`},
		{"OSU of several pairs alone", "# OSU MPI Multiple Bandwidth / Message Rate Test v5\n# [ pairs: 2 ] [ window size: 64 ]\n# Size    MB/s    Messages/s\n8  1  2\n", "f0: the file has no timings"},
		{"OSU of varying windows", "# OSU MPI Multiple Bandwidth / Message Rate Test v5\n# [ pairs: 1 ] with varying window sizes\n# Size    1    2    4\n", "f0:3: results of the OSU Multiple Bandwidth / Message Rate Test are MB/s and Messages/s"},
		{"OSU, not a number", replaced(latency, "1.25", "nan"), `f0:6: Latency (us): "nan" is not a finite number`},
		{"OSU, negative", replaced(latency, "1.25", "-1.25"), `f0:6: Latency (us): "-1.25" is not a finite number of zero or more`},
		{"OSU, zero", replaced(latency, "1.25", "0.00"), `f0:6: Latency (us): "0.00" is not above zero`},
		{"OSU, almost nothing", replaced(latency, "1.25", "1e-150"), "f0:6: the time is below a femtosecond"},
		{"OSU, no limit", "# OSU MPI Bandwidth Test v7.1\n# Size      Bandwidth (MB/s)\n1  1.5\n8  1e160\n", "f0:4: the time is below a femtosecond"},
		{"OSU, size", replaced(latency, "1024", "1k"), `f0:7: "1k" is not a size in bytes`},
		{"OSU, twice", replaced(latency, "1024", "1"), "f0:7: the same point, launch and repetition as at "},
		{"OSU that failed", "# OSU MPI Latency Test v7.5\n# Size  Avg Latency(us)  Validation\n1  1.67  Fail\n", "f0:3: the benchmark's own validation says Fail"},
		{"OSU cut", latency + "2048", "f0:8: 1 values for the columns Size, Latency (us)"},

		{"netgauge cut", netgauge[:len(netgauge)-30], "f0:7: 8 values, not the 11 of netgauge's loggp"},
		{"netgauge, not a number", replaced(netgauge, "28.000000", "nan"), `f0:4: "nan" is not a finite number`},
		{"netgauge, n", replaced(netgauge, "1 10 ", "1 1 "), "f0:4: size 1 and n 1 are not whole numbers"},
		{"netgauge, zero", replaced(netgauge, "10.000000", "0.000000"), "f0:4: time: 0 s is not above zero"},
		{"netgauge, almost nothing", replaced(netgauge, "10.000000", "1e-100"), "f0:4: the time is below a femtosecond"},
		{"netgauge, twice", netgauge + strings.Split(netgauge, "\n")[3] + "\n", "f0:8: the same point, launch and repetition as at "},

		{"SimGrid, half a ping-pong", "MPI_Send,26,31.4,2e-06\nMPI_Send,26,31.5,2e-06\n", "f0:1: no MPI_Recv of the same size and start follows this MPI_Send"},
		{"SimGrid, other half", "MPI_Recv,26,31.4,2e-06\nMPI_Send,26,31.5,2e-06\nMPI_Recv,26,31.5,2e-06\n", "f0:1: no MPI_Send of the same size and start precedes this MPI_Recv"},
		{"SimGrid, negative", "MPI_Recv,26,31.4,-2e-06\n", `f0:1: "-2e-06" is not a duration in seconds`},
		{"SimGrid, not a number", "MPI_Recv,26,31.4,2e-6\nMPI_Recv,26,31.5,nan\n", `f0:2: "nan" is not a duration in seconds`},
		{"SimGrid, zero", "MPI_Recv,26,31.4,0\n", "f0:1: time: 0 s is not above zero"},
		{"SimGrid, almost nothing", "MPI_Recv,26,31.4,1e-100\n", "f0:1: the time is below a femtosecond"},
		{"SimGrid, twice", "MPI_Recv,26,31.4,2e-6\nMPI_Recv,26,31.4,2e-6\n", "f0:2: the same as line 1"},
		{"SimGrid, columns", "MPI_Recv,26,31.4,2e-6\nMPI_Recv,26,31.4\n", "f0:2: 3 values, not function, size, start, duration"},
		{"SimGrid, nothing of use", "MPI_Wtime,26,31.4,2e-6\n", "f0: the file has no timings"},
		{"Arrow cut", "ARROW1\x00\x00", "f0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := timing.Read(write(t, c.text)...)
			if err == nil {
				t.Errorf("no error, %d timings", len(d.Timings))
				return
			}
			if got := err.Error(); !strings.Contains(got, string(filepath.Separator)+c.want) || strings.Contains(got, "\n") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFilesTogether(t *testing.T) {
	for _, c := range []struct {
		name, a, b, want string
	}{
		{"the same", own, own, " are the same file; give it once"},
		{"other lines", own, replacedLine(own, "64B"), "f1: the fact line: 64B, but an earlier file has 128B"},
		{"other reps", "# reps = min\n" + own, "# reps = median\n" + replacedLine(own, "128B") + "\n\n", "f1: the fact reps: files disagree; fit them one by one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := timing.Read(write(t, c.a, c.b)...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
	// Launches of one file come before those of the next.
	_, d := read(t, own, own+"\n")
	var launches []int
	for _, one := range d.Timings {
		launches = append(launches, one.Launch)
	}
	if want := []int{0, 1, 0, 2, 3, 1}; !slices.Equal(launches, want) {
		t.Errorf("launches %v, want %v", launches, want)
	}
	if _, err := timing.Read("nowhere"); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Error(err)
	}
}

func replacedLine(text, line string) string { return strings.Replace(text, "128B", line, 1) }

func ping(size unit.Bytes, launch, rep int, seconds float64) timing.Timing {
	return timing.Timing{Point: packing.Point{Experiment: timing.PingPong, Bytes: size, Blocks: 1, Count: 1}, Launch: launch, Rep: rep, Time: unit.Seconds(seconds)}
}

// Worked by hand: medians and least ones of launches; groups of a single launch; cells of too few repetitions.
func TestSelect(t *testing.T) {
	var two []timing.Timing
	for launch := range 2 {
		for rep := range 3 {
			two = append(two, ping(8, launch, rep, float64(10*(launch+1)+rep)))
		}
	}
	d := &timing.Data{Timings: two}
	if s := d.Select("", timing.PingPong); s.Times.Cluster != timing.Launches || !reflect.DeepEqual(s.Times.Of, [][]float64{{11, 21}}) || s.Timings != 6 || s.Thin() != nil {
		t.Errorf("medians: %+v", s)
	}
	d.Minimum = true
	if s := d.Select("", timing.PingPong); !reflect.DeepEqual(s.Times.Of, [][]float64{{10, 20}}) {
		t.Errorf("least: %+v", s)
	}
	var single []timing.Timing
	for rep := range 7 {
		single = append(single, ping(8, 0, rep, float64(rep+1)), ping(4, 0, rep, float64(10*(rep+1))))
	}
	// Two groups: repetitions 0, 2, 4, 6 and 1, 3, 5.
	if s := (&timing.Data{Timings: single}).Select("", timing.PingPong); s.Times.Cluster != timing.Groups || !reflect.DeepEqual(s.Times.Of, [][]float64{{40, 40}, {4, 4}}) || s.Points[0].Bytes != 4 {
		t.Errorf("groups: %+v", s.Times)
	}
	thin := append(slices.Clone(two), ping(16, 0, 0, 5), ping(32, 0, 0, 5), ping(32, 1, 0, 5), ping(32, 1, 1, 6), ping(32, 1, 2, 7), ping(64, 1, 0, 1), ping(64, 1, 1, 2), ping(64, 1, 2, 3))
	s := (&timing.Data{Timings: thin}).Select("", timing.PingPong)
	if len(s.Points) != 3 || s.ThinCells != 2 || s.ThinPoints != 1 || !math.IsNaN(s.Times.Of[1][0]) || s.Times.Of[1][1] != 6 || s.Thin() == nil {
		t.Errorf("thin: %+v, %v", s, s.Times.Of)
	}
	if s := (&timing.Data{}).Select("", timing.PingPong); len(s.Points) != 0 || s.Timings != 0 {
		t.Errorf("nothing: %+v", s)
	}
}

// The least time is not to be one of a moment in which all was faster than the state is; and a few points are no state.
func TestSelectLeavesStraysAndSparseStates(t *testing.T) {
	d := &timing.Data{Minimum: true}
	for size := range unit.Bytes(5) {
		for rep, sentinel := range []float64{690e-9, 700e-9, 690e-9, 640e-9, 720e-9} {
			one := ping(size+1, 0, rep, 10)
			if one.State, one.Sentinel = "far", unit.Seconds(sentinel); rep == 3 {
				one.Time = 8
			}
			d.Timings = append(d.Timings, one)
		}
	}
	lone := ping(1, 0, 0, 1)
	lone.State, lone.Sentinel = "near", 110e-9
	d.Timings = append(d.Timings, lone)
	far := d.Select("far", timing.PingPong)
	if far.Strays != 5 || far.Times.Of[0][0] != 10 || far.Sparse() != nil || !strings.Contains(far.Thin().Error(), "5 of 25 timings are omitted: their sentinels are more than 4 % below the median") {
		t.Errorf("far: %+v, %v, %v", far, far.Sparse(), far.Thin())
	}
	if near := d.Select("near", timing.PingPong); near.Sparse() == nil || near.Sparse().Error() != "1 of 5 points were measured in this state, too few to represent all; no parameters" {
		t.Errorf("near: %v", near.Sparse())
	}
	d.Minimum = false
	if far := d.Select("far", timing.PingPong); far.Strays != 0 {
		t.Errorf("medians need no such care: %+v", far)
	}
}

func TestDivide(t *testing.T) {
	at := func(state string, sentinels ...float64) *timing.Data {
		d := &timing.Data{}
		for i, v := range sentinels {
			one := ping(8, 0, i, 1)
			one.State, one.Sentinel = state, unit.Seconds(v)
			d.Timings = append(d.Timings, one)
		}
		return d
	}
	d := at("", 100e-9, 110e-9, 210e-9, 800e-9)
	if err := d.Divide(nil); err == nil || !strings.Contains(err.Error(), "sentinels from 100ns to 800ns are of several states, which are never pooled") {
		t.Errorf("pooled: %v", err)
	}
	if err := d.Divide([]unit.Seconds{150e-9, 400e-9}); err != nil || !slices.Equal(d.States(), []string{"s1", "s2", "s3"}) || d.Timings[1].State != "s1" {
		t.Errorf("%v, %v", d.States(), err)
	}
	if err := at("", 100e-9, 110e-9).Divide(nil); err != nil {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{own, latency, netgauge, "MPI_Send,26,31.484260,2.0e-06\nMPI_Recv,26,31.484260,1.8e-04\n", "bytes [B],time [s]\n1,2\n", "ARROW1"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := write(t, string(text))[0]
		d, err := timing.Read(path)
		if err != nil {
			if !strings.Contains(err.Error(), path) {
				t.Fatal(err)
			}
			return
		}
		var again bytes.Buffer
		if err := d.WriteCSV(&again); err != nil {
			t.Fatal(err)
		}
		e, err := timing.Read(write(t, again.String())[0])
		if err != nil || len(e.Timings) != len(d.Timings) {
			t.Fatalf("%v in\n%s", err, again.String())
		}
		for i := range d.Timings {
			a, b := public(e.Timings[i]), public(d.Timings[i])
			if a.Launch = b.Launch; !reflect.DeepEqual(a, b) { // launches of one file are numbered anew
				t.Fatalf("%+v, want %+v", a, b)
			}
			d.Select(d.Timings[i].State, d.Timings[i].Experiment)
		}
	})
}
