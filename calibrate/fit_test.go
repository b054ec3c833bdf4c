package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

var update = flag.Bool("update", false, "write the expected parameters anew")

// run runs calibrate in this process.
func run(args ...string) (status int, out, errs string) {
	return stage.Capture(command, strings.NewReader(""), args...)
}

func sample(name string) string { return filepath.Join(root, "data/sample", name) }

// Runs of kernels, measured by calibrate instructions on a machine of two virtual processors, give the numbers that they
// always gave.
func TestInstructionsReproduceStoredRuns(t *testing.T) {
	golden, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if status, _, errs := run("instructions", "--from", filepath.Join(golden, "measured.instructions.arrow"), "-o", "again", "--quiet"); status != stage.Done {
		t.Fatalf("status %d, %s", status, errs)
	}
	sameParams(t, "again.instructions.params.toml", filepath.Join(golden, "measured.instructions.params.toml"))
}

// The stored dataset gives the numbers that it always gave, in every form, and runs are alike to the last byte.
func TestFitReproducesStoredDatasets(t *testing.T) {
	golden, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	d, err := timing.Read(sample("transfers.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := store.WriteTable("transfers.arrow", d.Table()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ input, prefix, golden string }{
		{sample("transfers.csv"), "a", "transfers"}, {sample("transfers.csv"), "b", "transfers"}, {"transfers.arrow", "c", "transfers"}, {sample("osu.txt"), "d", "osu"},
		// Measured by calibrate marshalling on a machine of two virtual processors; the least time of each point in each launch.
		{filepath.Join(golden, "measured.arrow"), "e", "measured"},
	} {
		t.Run(c.prefix, func(t *testing.T) {
			if status, _, errs := run("fit", c.input, "-o", c.prefix, "--quiet"); status != stage.Done || errs != "" {
				t.Fatalf("%s: status %d, %s", c.input, status, errs)
			}
			path := filepath.Join(golden, c.golden+".params.toml")
			if *update && c.prefix != "b" && c.prefix != "c" {
				text, err := os.ReadFile(c.prefix + ".params.toml")
				if err == nil {
					err = os.WriteFile(path, text, 0o666)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			sameParams(t, c.prefix+".params.toml", path)
		})
	}
	for _, suffix := range []string{".params.toml", ".fit.arrow"} {
		a, err1 := os.ReadFile("a" + suffix)
		b, err2 := os.ReadFile("b" + suffix)
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("two runs differ in %s: %v, %v", suffix, err1, err2)
		}
	}
}

// sameParams allows for the last digits, which may depend on how a processor rounds sums of products.
func sameParams(t *testing.T, got, want string) {
	t.Helper()
	g, err1 := param.Read(got)
	w, err2 := param.Read(want)
	if err1 != nil || err2 != nil || len(g.All()) != len(w.All()) {
		t.Fatal(err1, err2)
	}
	for i, p := range g.All() {
		q := w.All()[i]
		scale := math.Abs(p.Value)
		if p.HasInterval() {
			scale = max(scale, p.Hi-p.Lo)
		}
		near := func(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-6*scale }
		if p.Name != q.Name || p.Unit != q.Unit || p.N != q.N || p.Method != q.Method || !near(p.Value, q.Value) || !near(p.Lo, q.Lo) || !near(p.Hi, q.Hi) {
			t.Fatalf("%s: %+v, want %+v", got, p, q)
		}
		if !strings.Contains(p.Source, " sha256:") {
			t.Errorf("%s: source %q", p.Name, p.Source)
		}
	}
}

// Parameters can be read where they are used, with the unit that is asked for, and only that.
func TestFitParametersHaveUnits(t *testing.T) {
	t.Chdir(t.TempDir())
	if status, _, errs := run("fit", sample("transfers.csv"), "--state", "far", "-o", "x"); status != stage.Done {
		t.Fatal(errs)
	}
	set, err := param.Read("x.params.toml")
	if err != nil {
		t.Fatal(err)
	}
	// data/sample/README.md says what the host is that these are of.
	for name, want := range map[string]struct {
		unit  string
		truth float64
	}{"page_beta_rel": {"s/B", 4.5 * 1.8e-10}, "page_gamma_rel": {"s/line", 4.5 * 3.5e-9}, "page_pi_rel": {"s/page", 4.5 * 25e-9}} {
		t.Run(name, func(t *testing.T) {
			p, err := set.Get(name, want.unit)
			if err != nil || math.Abs(p.Value/want.truth-1) > 0.05 || !p.HasInterval() {
				t.Errorf("%+v, %v; want %g %s", p, err, want.truth, want.unit)
			}
			if _, err := set.Get(name, "ns"); err == nil {
				t.Errorf("%s is in ns as well", name)
			}
		})
	}
	table, err := store.ReadTable("x.fit.arrow")
	if err != nil {
		t.Fatal(err)
	}
	measured, err1 := store.Data[float64](table, "measured")
	predicted, err2 := store.Data[float64](table, "predicted")
	residual, err3 := store.Data[float64](table, "residual")
	if err1 != nil || err2 != nil || err3 != nil || len(measured) != 18*24 {
		t.Fatal(err1, err2, err3, len(measured))
	}
	for i := range measured {
		if residual[i] != measured[i]-predicted[i] {
			t.Errorf("row %d: %g, %g, %g", i, measured[i], predicted[i], residual[i])
		}
	}
}

func TestFitStatus(t *testing.T) {
	t.Chdir(t.TempDir())
	noisy, sentinels := "launch,bytes [B],time [us]\n", "rep,bytes [B],sentinel [ns],time [us]\n"
	for i, y := range []string{"10", "20", "11", "24", "13", "21"} {
		noisy += []string{"0", "1"}[i%2] + "," + []string{"1", "100", "1000"}[i/2] + "," + y + "\n"
		sentinels += "0," + []string{"1", "2", "3", "4", "5", "6"}[i] + "," + []string{"100", "700"}[i%2] + "," + y + "\n"
	}
	for name, text := range map[string]string{
		"bad.csv": "bytes [B],time [us]\n1,-1\n", "two.csv": "bytes [B],time [us]\n1,1\n2,2\n", "same.csv": "rep,bytes [B],time [us]\n0,8,1\n1,8,2\n2,8,1\n",
		"noisy.csv": noisy, "sentinels.csv": sentinels, "good.csv": "bytes [B],time [us]\n1,1\n2,2\n3,3\n4,4.1\n5,5\n",
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		})
	}
	for _, c := range []struct {
		args   string
		status int
		want   string // in standard output if the status is 0, else in standard error
	}{
		{"fit good.csv -o x --format csv", stage.Done, "\ntransfer,,S1,least squares,"},
		{"fit sentinels.csv -o x --cuts 300ns --format csv", stage.Done, "\ntransfer,s2,S1,least squares,3,"},
		{"fit", stage.WrongUsage, "no file is given"},
		{"fit good.csv", stage.WrongUsage, "-o PREFIX is missing; files are named by it"},
		{"fit good.csv -o x --line 100B", stage.WrongUsage, `--line: "100B" is not a size that is a power of two`},
		{"fit good.csv -o x --line 64KiB", stage.WrongUsage, "pages of 4KiB are smaller than lines of 64KiB"},
		{"fit good.csv -o x --cuts 3", stage.WrongUsage, `--cuts: "3" has no unit`},
		{"fit good.csv -o x --cuts 3ns,2ns", stage.WrongUsage, "--cuts: times must be above zero and ascending"},
		{"fit good.csv -o x --cuts 3ns", stage.Failed, "good.csv:2: the timing has no sentinel"},
		{"fit good.csv -o x --state far", stage.Failed, `no timing has the state far; states are [""]`},
		{"fit " + sample("transfers.csv") + " -o x --line 128B", stage.WrongUsage, "--line 128B: the file has 64B"},
		{"fit " + sample("transfers.csv") + " -o x --cuts 300ns", stage.Failed, "the timing has a state"},
		{"fit bad.csv -o x", stage.Failed, "bad.csv:2: time: -1e-06 s is not above zero"},
		{"fit two.csv -o x", stage.Failed, "transfer: S1: 2 points are too few for 2 coefficients; at least 3 are needed"},
		{"fit same.csv -o x", stage.Failed, "transfer: S1: 1 points are too few"},
		{"fit noisy.csv -o x", stage.Failed, "transfer: too noisy: the noise floor of split halves is "},
		{"fit noisy.csv -o x --max-noise 0", stage.WrongUsage, "--max-noise: 0 is not above 0 and at most 1"},
		{"fit sentinels.csv -o x", stage.Failed, "sentinels from 100ns to 700ns are of several states, which are never pooled"},
		{"fit nowhere.csv -o x", stage.Failed, "nowhere.csv: no such file"},
		{"fit good.csv -o nowhere/x", stage.Failed, "no such file"},
	} {
		t.Run(c.args, func(t *testing.T) {
			for _, name := range []string{"x.params.toml", "x.fit.arrow", "x.plogp.arrow", "x.network.toml"} {
				os.Remove(name)
			}
			status, out, errs := run(strings.Fields(c.args)...)
			got := out
			if c.status != stage.Done {
				if left, _ := filepath.Glob("x.*"); out != "" || len(left) > 0 {
					t.Errorf("calibrate %s: failed, printed %q and left %v", c.args, out, left)
				}
				got = errs
			}
			if status != c.status || !strings.Contains(got, c.want) {
				t.Errorf("calibrate %s: status %d, want %d with %q:\n%s", c.args, status, c.status, c.want, got)
			}
		})
	}
}

// PLogP becomes the network of a machine, a file for each state, unless something of it is not known.
func TestFitWritesNetworks(t *testing.T) {
	t.Chdir(t.TempDir())
	const rest = "pingpong,1,,0,,2.4\npingpong,100,,0,,4.4\nburst,1,5,0,,5.2\nburst,100,5,0,,11.2\ndelayed,1,5,0,9,40.8\nreceive,1,,0,,0.25\nreceive,100,,0,,0.5\n"
	const head = "experiment,bytes [B],count,rep,delay [us],time [us]\n"
	if err := errors.Join(os.WriteFile("whole.csv", []byte(head+rest), 0o666),
		os.WriteFile("part.csv", []byte(head+strings.ReplaceAll(rest, "receive", "exchange")), 0o666)); err != nil {
		t.Fatal(err)
	}
	if status, _, errs := run("fit", "whole.csv", "-o", "whole"); status != stage.Done || strings.Contains(errs, "whole.network.toml") {
		t.Fatal(errs)
	}
	const machineOf = "name = \"m\"\n[processor]\nclock = \"1 GHz\"\ncpi = 1.0\n[[cache]]\nsize = \"1 KiB\"\nline = \"64 B\"\nways = 1\nlatency = \"0 ns\"\n[memory]\nsize = \"1 GiB\"\nlatency = \"80 ns\"\n" +
		"[system]\ntarget = \"smp\"\nprocessors = 2\n"
	text, err := os.ReadFile("whole.network.toml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := machine.Parse("whole", append([]byte(machineOf), text...))
	if err != nil {
		t.Fatal(err)
	}
	// o_s(1) is (40.8 - 2.4)/4 - 9, g(1) is (5.2 - 2.4)/4, g(100) is (11.2 - 4.4)/4, and L is half of 2.4 less g(1), in us.
	ns := func(v float64) machine.Optional[unit.Seconds] {
		return machine.Optional[unit.Seconds]{Value: unit.Seconds(v * 1e-9), Known: true}
	}
	want := []machine.Size{{Bytes: 1, Sending: ns(600), Receiving: ns(250), Gap: ns(700)}, {Bytes: 100, Receiving: ns(500), Gap: ns(1700)}}
	if n := m.Network; n.Latency != ns(500) || !slices.Equal(n.Sizes, want) {
		t.Errorf("got %+v", n)
	}
	// With 6.6 us for a round trip g(100) is (11.2 - 6.6)/4, and L + g half of half a round trip.
	if err := os.WriteFile("far.csv", []byte(head+strings.Replace(rest, "pingpong,100,,0,,4.4", "pingpong,100,,0,,6.6", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, _, errs := run("fit", "far.csv", "-o", "far"); status != stage.Done || !strings.Contains(errs, "far.network.toml: at 100B, L + g(s) differs by -50 % from half a round trip") {
		t.Errorf("status %d, %s", status, errs)
	}
	status, _, errs := run("fit", "part.csv", "-o", "part")
	if _, err := os.Stat("part.network.toml"); status != stage.Done || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(errs, "no part.network.toml: o_r of PLogP is not known") {
		t.Errorf("status %d, %v, %s", status, err, errs)
	}
}

// Times within a node become [network.local], in the same file as [network], and their parameters are not mixed.
func TestFitWritesLocal(t *testing.T) {
	t.Chdir(t.TempDir())
	osu := func(half, gap float64) string {
		text := "# OSU MPI Latency Test v7.1\n# Size          Latency (us)\n"
		for _, s := range []float64{1, 1001, 10001} {
			text += fmt.Sprintf("%g %.3f\n", s, half+(s-1)/1000)
		}
		text += "# OSU MPI Bandwidth Test v7.1\n# Size      Bandwidth (MB/s)\n"
		for _, s := range []float64{1, 1001, 10001} {
			text += fmt.Sprintf("%g %.9f\n", s, s/(gap+(s-1)/1000))
		}
		return text
	}
	const netgauge = "experiment,bytes [B],count,rep,delay [us],time [us]\npingpong,1,,0,,3\npingpong,100,,0,,4\nburst,1,5,0,,5\nburst,100,5,0,,11\ndelayed,1,5,0,9,40.6\nreceive,1,,0,,0.25\n"
	for name, text := range map[string]string{"far.txt": osu(2, 0.5), "near.txt": osu(0.6, 0.4), "slow.txt": osu(3, 0.5), "copy.txt": osu(2, 0.5), "near.csv": netgauge,
		"transfers.csv": "bytes [B],time [us]\n1,1\n2,2\n3,3\n4,4.1\n5,5\n", "noise.txt": strings.Replace(osu(1, 1), "1 1.000", "1 nan", 1),
		"states.csv": "experiment,state,bytes [B],time [us]\npingpong,a,1,1\npingpong,b,1,2\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const far = "[network]\nmodel = \"loggp\"\nL = 1000 ns\no = 500 ns\ng = 500 ns\nG = 1 ns/B\n"
	for _, c := range []struct {
		args, want, note string // the sections without comments, quotes and blanks, or the error
	}{
		{"far.txt", far, "x.network.toml: o was not measured: it is 500 ns, the most that it can be (g)"},
		// g of 0.4 us is more than half of 0.6 us.
		{"far.txt --local near.txt", far + "\n[network.local]\nL = 0 ns\no = 300 ns\ng = 400 ns\nG = 1 ns/B\n", "(a quarter of a round trip)"},
		// o_s is (40.6 - 3)/4 - 9, g (5 - 3)/4, and G (7/4 - 2/4)/99, in us.
		{"far.txt --local near.csv", far + "\n[network.local]\nL = 850 ns\no_s = 400 ns\no_r = 250 ns\ng = 500 ns\nG = 12.6263 ns/B\n", "differs by"},
		{"far.txt --local slow.txt", far + "\n[network.local]\nL = 2000 ns\no = 500 ns\ng = 500 ns\nG = 1 ns/B\n", "--local: at 1B, messages within a node take longer than between nodes; are the files exchanged?"},
		{"far.txt --local copy.txt", "", "--local copy.txt (OSU) sha256:"},
		{"far.txt --local transfers.csv", "", "--local: no [network.local]: the files have no messages"},
		{"transfers.csv --local near.txt", "", "--local has no effect without a section [network]: the other files have no messages"},
		{"far.txt --local states.csv", "", `--local: the files have the states ["a" "b"], which are never pooled; choose one with --state`},
		{"far.txt --local noise.txt", "", `noise.txt:3: Latency (us): "nan" is not a finite number`},
		{"far.txt --local nowhere.txt", "", "nowhere.txt: no such file"},
	} {
		t.Run(c.args, func(t *testing.T) {
			status, _, errs := run(append([]string{"fit", "-o", "x"}, strings.Fields(c.args)...)...)
			text, _ := os.ReadFile("x.network.toml")
			got := regexp.MustCompile(`(?m) *#.*$`).ReplaceAllString(string(text), "")
			got = strings.TrimPrefix(strings.NewReplacer(`= "`, "= ", "\"\n", "\n", "  ", " ").Replace(got), "\n")
			got = strings.Replace(got, "model = loggp", `model = "loggp"`, 1)
			if (status == stage.Done) != (c.want != "") || got != c.want || !strings.Contains(errs, c.note) {
				t.Errorf("status %d, %s, got\n%s\nwant\n%s", status, errs, got, c.want)
			}
			if m, err := machine.ParsePart("x", text); c.want != "" && (err != nil || (len(m.Network.Levels) > 0) != strings.Contains(c.args, "--local")) {
				t.Errorf("%+v, %v", m, err)
			}
			left, _ := filepath.Glob("x.*")
			if within := strings.Contains(c.args, "--local"); status == stage.Done && len(left) != map[bool]int{false: 4, true: 7}[within] || status != stage.Done && len(left) > 0 {
				t.Errorf("left %v", left)
			}
			for _, name := range left {
				os.Remove(name)
			}
		})
	}
}

// Whatever a table holds, there is one error of one line and no file, or parameters that can be read.
func FuzzFit(f *testing.F) {
	transfers, err := os.ReadFile(sample("transfers.csv"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(transfers[:2000], "far")
	f.Add([]byte("bytes [B],time [us]\n1,1\n2,2\n3,3\n4,4.1\n5,5\n"), "")
	f.Add([]byte("experiment,bytes [B],count,rep,delay [us],time [us]\npingpong,1,,0,,1\npingpong,64,,0,,2\nburst,1,5,0,,3\nburst,64,5,0,,9\ndelayed,1,5,0,9,40\nreceive,1,,0,,1\nexchange,9,,0,,3\n"), "")
	f.Add([]byte("experiment,bytes [B],time [us]\ngap,1,1\ngap,2,1e9\ngap,3,1e-9\npingpong,0,1\nsend,9,9\n"), "")
	f.Add([]byte("# OSU MPI Latency Test v7.1\n# Size          Latency (us)\n1 2\n1001 3\n# OSU MPI Bandwidth Test v7.1\n# Size      Bandwidth (MB/s)\n1 2\n1001 600\n"), "")
	f.Fuzz(func(t *testing.T, text []byte, state string) {
		prefix := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(prefix+".csv", text, 0o666); err != nil {
			t.Fatal(err)
		}
		args := []string{"fit", prefix + ".csv", "-o", prefix}
		if state != "" {
			args = append(args, "--state="+state)
		}
		status, out, errs := run(args...)
		if status == stage.Done {
			if _, err := param.Read(prefix + ".params.toml"); err != nil {
				t.Fatal(err)
			}
			networks, _ := filepath.Glob(prefix + ".*network.toml")
			for _, path := range networks {
				if _, err := machine.ReadPart(path); err != nil {
					t.Fatal(err)
				}
			}
			return
		}
		if left, _ := filepath.Glob(prefix + ".*"); len(left) != 1 || status != stage.Failed || out != "" || strings.Count(errs, "\n") != 1+strings.Count(errs, "spoor: note: ") {
			t.Fatalf("status %d, left %v, %q, %s", status, left, out, errs)
		}
	})
}
