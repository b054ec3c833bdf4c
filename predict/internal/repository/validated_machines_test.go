package repository

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/stagetest"
)

const validationPage = "docs/validation-machines.md"

// published is a row of the page: a measurement that others published, and what Spoor predicts for it.
type published struct {
	machine, run, unit, predicted, error string
	measured                             float64
}

// The page has what Spoor predicts now. Each machine that names the page has the range of its errors, and all of them say
// whether they were validated.
func TestPublishedMeasurementsArePredicted(t *testing.T) {
	p := &predictor{t: t, bin: stagetest.Build(t, root), dir: t.TempDir()}
	worst := map[string][]float64{}
	for _, row := range publishedRows(t) {
		predicted := p.predict(row.machine, row.run)
		percent := 100 * (predicted/row.measured - 1)
		worst[row.machine] = append(worst[row.machine], percent)
		if got := threeDigits(predicted) + " " + row.unit; got != row.predicted {
			t.Errorf("%s, %s: %s, the page has %s", row.machine, row.run, got, row.predicted)
		}
		if got := signed(percent) + " %"; got != row.error {
			t.Errorf("%s, %s: error %s, the page has %s", row.machine, row.run, got, row.error)
		}
	}
	for name, errors := range worst {
		m, err := machine.Read(described(name))
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(", %d predictions: %s to %s %% (%s)", len(errors), signed(slices.Min(errors)), signed(slices.Max(errors)), validationPage)
		if len(errors) == 1 {
			want = fmt.Sprintf(", 1 prediction: %s %% (%s)", signed(errors[0]), validationPage)
		}
		if !strings.HasSuffix(m.Source.Validated, want) {
			t.Errorf("%s: validated %q does not end in %q", name, m.Source.Validated, want)
		}
	}
}

// signed writes whole percents with their sign, and 0 without one.
func signed(percent float64) string {
	if math.Abs(percent) < .5 {
		return "0"
	}
	return fmt.Sprintf("%+.0f", percent)
}

// A machine that does not name the page has no rows there.
func TestMachinesSayWhetherTheyWereValidated(t *testing.T) {
	rows := publishedRows(t)
	files, err := filepath.Glob(described("*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		m, err := machine.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		listed := slices.ContainsFunc(rows, func(r published) bool { return described(r.machine) == file })
		if names := strings.Contains(m.Source.Validated, validationPage); names != listed {
			t.Errorf("%s: validated %q, rows on the page: %t", file, m.Source.Validated, listed)
		}
	}
}

// threeDigits returns a number with three digits, or without a fraction.
func threeDigits(x float64) string {
	if x >= 1000 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

func described(name string) string { return filepath.Join(root, "data/machine", name+".toml") }

// publishedRows reads the tables of the page.
func publishedRows(t *testing.T) (rows []published) {
	text, err := os.ReadFile(filepath.Join(root, validationPage))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 6 || !strings.HasPrefix(cells[0], "| `") {
			continue
		}
		number, unit, _ := strings.Cut(cells[2], " ")
		measured, err := strconv.ParseFloat(number, 64)
		if err != nil {
			t.Fatalf("%s: %s: %v", validationPage, line, err)
		}
		rows = append(rows, published{strings.Trim(cells[0], "| `"), cells[1], unit, cells[3], cells[4], measured})
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no rows", validationPage)
	}
	return rows
}

// predictor makes traces and replays them.
type predictor struct {
	t        *testing.T
	bin, dir string
}

func (p *predictor) run(args ...string) string {
	p.t.Helper()
	cmd := exec.Command(filepath.Join(p.bin, args[0]), args[1:]...)
	cmd.Dir = p.dir
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("%v: %v %s", args, err, err.(*exec.ExitError).Stderr)
	}
	return string(out)
}

// replay returns the simulated time of a text in a foreign format, in s.
func (p *predictor) replay(m, text, file string, imports, flags []string) float64 {
	p.t.Helper()
	write(p.t, filepath.Join(p.dir, file), text)
	p.run(slices.Concat([]string{"traces", "import", file, "-o", "x"}, imports)...)
	out := p.run(slices.Concat([]string{"predict", "replay", "x", "--machine", m, "--format", "csv"}, flags)...)
	lines := strings.Split(out, "\n")
	seconds, err := strconv.ParseFloat(strings.Split(lines[1], ",")[slices.Index(strings.Split(lines[0], ","), "time")], 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return seconds
}

// predict returns the prediction for a row, in the unit of the page: us, MB/s, GB/s or ns.
func (p *predictor) predict(name, run string) float64 {
	p.t.Helper()
	m, err := filepath.Abs(described(name))
	if err != nil {
		p.t.Fatal(err)
	}
	var n, ranks, perNode int
	for _, of := range []struct {
		form    string
		predict func() float64
	}{
		{"message of %d B", func() float64 { return 1e6 * p.replay(m, message(n), "x.goal", nil, nil) }},
		{"window of %d B", func() float64 { return 64 * float64(n) / p.replay(m, window(n), "x.goal", nil, nil) / 1e6 }},
		{"alltoall of %d B, %d ranks", func() float64 { return p.collective(m, fmt.Sprintf("alltoall %d %d 6 6", n, n), ranks) }},
		{"allreduce of %d B, %d ranks, %d a node", func() float64 {
			return p.collective(p.several(m, perNode), fmt.Sprintf("allreduce %d 0 6", n), ranks)
		}},
		{"loads of %d processors", func() float64 { return p.stream(m, n, "R") }},
		{"stores of %d processors", func() float64 { return 2 * p.stream(m, n, "W") }}, // each line is read and written back
		{"triad of %d processors", func() float64 { return 3 * p.stream(m, n, "RRW") }},
		{"loads in a row of %d processor", func() float64 { return p.inARow(m) }},
		{"dirty line of processor %d", func() float64 { return p.dirty(m, n, 200) - p.dirty(m, n, 100) }},
	} {
		if k, _ := fmt.Sscanf(run, of.form, &n, &ranks, &perNode); k == strings.Count(of.form, "%d") && fmt.Sprintf(of.form, []any{n, ranks, perNode}[:k]...) == run {
			return of.predict()
		}
	}
	p.t.Fatalf("%s: the test cannot make %q", validationPage, run)
	return 0
}

func message(bytes int) string {
	return fmt.Sprintf("num_ranks 2\nrank 0 {\nsend %db to 1\n}\nrank 1 {\nrecv %db from 0\n}\n", bytes, bytes)
}

// window is a window of osu_bw: 64 messages, and an answer of 4 B.
func window(bytes int) string {
	var send, receive, after strings.Builder
	for i := range 64 {
		fmt.Fprintf(&send, "s%d: send %db to 1\n", i, bytes)
		fmt.Fprintf(&receive, "r%d: recv %db from 0\n", i, bytes)
		fmt.Fprintf(&after, "s requires r%d\n", i)
	}
	return fmt.Sprintf("num_ranks 2\nrank 0 {\n%sr: recv 4b from 1\nr requires s63\n}\nrank 1 {\n%ss: send 4b to 0\n%s}\n", &send, &receive, &after)
}

// several returns a copy of a machine with several processors on a node.
func (p *predictor) several(m string, processors int) string {
	text, err := os.ReadFile(m)
	if err != nil {
		p.t.Fatal(err)
	}
	copied := strings.NewReplacer(`target = "cow"`, `target = "clump"`, "processors = 1 ", fmt.Sprintf("processors = %d ", processors)).Replace(string(text))
	write(p.t, filepath.Join(p.dir, "several.toml"), copied)
	return filepath.Join(p.dir, "several.toml")
}

// collective returns the time of a collective, in us.
func (p *predictor) collective(m, action string, ranks int) float64 {
	var text strings.Builder
	for r := range ranks {
		fmt.Fprintf(&text, "%d init\n%d %s\n%d finalize\n", r, r, action, r)
	}
	return 1e6 * p.replay(m, text.String(), "x.ti", []string{"--from", "simgrid-ti", "--set", fmt.Sprintf("ranks=%d", ranks)}, nil)
}

// stream returns the bytes of lines that each operation refers to, in GB/s. All lines are in one set: they miss all caches, and
// replace dirty lines of an earlier run.
func (p *predictor) stream(m string, processors int, operations string) float64 {
	const each = 400
	described, err := machine.Read(m)
	if err != nil {
		p.t.Fatal(err)
	}
	text := "time,tid,op,addr,size\n"
	var rows strings.Builder
	for i := range each {
		for proc := range processors {
			for j, op := range operations {
				k := i*len(operations) + j
				fmt.Fprintf(&rows, "%d,%d,%c,%d,8\n", k+1, proc, op, (proc*each*len(operations)+k+1)<<20)
			}
		}
	}
	return float64(int(described.Caches[0].Line)*each*processors) / p.replay(m, text+rows.String(), "x.csv", nil, []string{"--warm"}) / 1e9
}

// inARow returns the GB/s of one processor that reads line after line.
func (p *predictor) inARow(m string) float64 {
	const lines = 20000
	var rows strings.Builder
	for i := range lines {
		fmt.Fprintf(&rows, "%d,0,R,%d,8\n", i+1, (i+1)*64)
	}
	return 64 * lines / p.replay(m, "time,tid,op,addr,size\n"+rows.String(), "x.csv", nil, nil) / 1e9
}

// dirty returns a hundredth of a program's time, in ns. One processor reads lines that the one before it has written.
func (p *predictor) dirty(m string, reader, reads int) float64 {
	var rows strings.Builder
	for proc := range reader {
		fmt.Fprintf(&rows, "1,%d,R,%d,8\n", proc, 1<<30+proc<<12)
	}
	for i := range 200 {
		fmt.Fprintf(&rows, "%d,%d,W,%d,8\n", i+2, reader-1, (i+1)*64)
	}
	for i := range reads {
		fmt.Fprintf(&rows, "%d,%d,R,%d,8\n", i+500001, reader, (i+1)*64)
	}
	return 1e9 / 100 * p.replay(m, "time,tid,op,addr,size\n"+rows.String(), "x.csv", nil, nil)
}
