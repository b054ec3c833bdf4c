package timing

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// osu reads the output of the OSU micro-benchmarks, versions 3 to 7. A benchmark prints
//
//	# OSU MPI Latency Test v5.6.3
//	# Size          Latency (us)
//	0                       1.27
//
// Later versions add comment lines and columns ("Avg Latency(us)", "Min Latency(us)", "Max Latency(us)",
// "Iterations"). On request they add a column Validation with Pass or Fail. Text before the first such title is
// the launcher's and is skipped. A file may have several benchmarks, of several versions. Text of the launcher
// between them is skipped with a warning; after the last one it is an error, because the run may have been cut.
//
// osu_latency prints half a round trip. osu_bw, osu_bibw and osu_mbw_mr print 10^6 bytes a second of windows of 64
// messages; osu_bibw counts both directions. An acknowledgement ends each window. osu_mbw_mr adds messages a second,
// and counts all of its pairs of processes. Tables of several pairs are skipped with a warning. The format is from
// public outputs and the source of osu_latency.
var osu = format{name: "OSU", what: "output of osu_latency, osu_bw, osu_bibw, osu_mbw_mr and osu_allreduce, as text",
	sniff: func(head []byte) bool { return osuTitle.Match(head) }, read: readOSU}

var (
	osuTitle = regexp.MustCompile(`(?m)^# OSU (.*?) Test(?: v([0-9.]+))?\s*$`)
	osuNames = regexp.MustCompile(`^# Size\s`)
	osuUnit  = regexp.MustCompile(`\(([A-Za-z]+/?[A-Za-z]*)\)`)
	osuPairs = regexp.MustCompile(`^# \[ pairs: ([0-9]+) \]`)
	osuGaps  = regexp.MustCompile(`\s{2,}`) // between names of columns
)

// osuBenchmark describes the numbers of a benchmark.
type osuBenchmark struct {
	title      string // between "# OSU MPI" and "Test"
	unit       string // of its first column of results
	pairs      bool   // its results are of a printed number of pairs of processes
	experiment packing.Experiment
	time       func(size, v float64) float64 // in seconds
	note       string
}

const perMega = 1e-6

var osuBenchmarks = []osuBenchmark{
	{"Latency", "us", false, PingPong, func(_, v float64) float64 { return 2 * v * perMega }, ""},
	{"Bandwidth", "MB/s", false, Gap, func(size, v float64) float64 { return size / v * perMega },
		"gaps of osu_bw have a share of the acknowledgement that ends a window (of 64 messages, if nobody changed it)"},
	{"Bi-Directional Bandwidth", "MB/s", false, Exchange, func(size, v float64) float64 { return 2 * size / v * perMega },
		"exchanges of osu_bibw are those of a stream: waiting for the other's message is spread over a window"},
	{"Multiple Bandwidth / Message Rate", "MB/s", true, Gap, func(size, v float64) float64 { return size / v * perMega },
		"gaps of osu_mbw_mr have a share of the acknowledgement that ends a window"},
	{"Allreduce Latency", "us", false, AllReduce, func(_, v float64) float64 { return v * perMega },
		"osu_allreduce does not print how many processes took part: its parameters hold for that number"},
}

// osuTable is the state of the reader within a file.
type osuTable struct {
	f       *file
	now     *osuBenchmark // nil before the first title
	columns []string      // nil before they are named
	pairs   int           // of the benchmark's processes; 0 before they are given
	talk    osuTalk
	launch  int            // tables of the same experiment in a file are launches
	seen    map[string]int // tables of an experiment or a benchmark
}

// osuTalk is text between results, which only a later benchmark shows to be the launcher's.
type osuTalk struct {
	text string
	line int // 0: none
}

func readOSU(f *file) error {
	t := osuTable{f: f, seen: map[string]int{}}
	line := 0
	for text := range strings.Lines(string(f.text)) {
		line++
		if err := t.line(strings.TrimSpace(text), line); err != nil {
			return err
		}
	}
	if t.columns == nil {
		return f.errorf(line, "the benchmark ends before its first line of results")
	}
	return t.silent()
}

func (t *osuTable) line(text string, line int) error {
	switch {
	case osuTitle.MatchString(text):
		return t.title(osuTitle.FindStringSubmatch(text)[1], line)
	case t.now == nil || text == "":
		return nil
	case osuNames.MatchString(text):
		return t.names(text, line)
	case osuPairs.MatchString(text):
		t.pairs, _ = strconv.Atoi(osuPairs.FindStringSubmatch(text)[1])
		return nil
	case text[0] == '#':
		return nil
	case t.columns == nil:
		return nil // text of the launcher before the first result
	case (text[0] < '0' || text[0] > '9') && text[0] != '-':
		if t.talk.line == 0 {
			t.talk = osuTalk{text, line}
		}
		return nil
	}
	if err := t.silent(); err != nil {
		return err
	}
	return t.row(strings.Fields(text), line)
}

// silent returns an error if there was text among the results.
func (t *osuTable) silent() error {
	if t.talk.line == 0 {
		return nil
	}
	return t.f.errorf(t.talk.line, "%q is not a size in bytes", strings.Fields(t.talk.text)[0])
}

func (t *osuTable) title(title string, line int) error {
	name := title
	for _, library := range []string{"MPI-CUDA ", "MPI-ROCM ", "MPI "} {
		name = strings.TrimPrefix(name, library)
	}
	i := slices.IndexFunc(osuBenchmarks, func(b osuBenchmark) bool { return b.title == name })
	if i < 0 {
		var known []string
		for _, b := range osuBenchmarks {
			known = append(known, "OSU MPI "+b.title+" Test")
		}
		return t.f.errorf(line, "no model here is for the OSU %s Test; what is read is %s", title, strings.Join(known, ", "))
	}
	if t.talk.line > 0 {
		t.f.warnings = append(t.f.warnings, fmt.Errorf("%s:%d: text between benchmarks was skipped: %.60q", t.f.path, t.talk.line, t.talk.text))
	}
	t.now, t.columns, t.pairs, t.talk = &osuBenchmarks[i], nil, 0, osuTalk{}
	experiment := string(t.now.experiment)
	t.launch = t.seen[experiment]
	t.seen[experiment]++
	t.seen[name]++
	if note := t.now.note; note != "" && t.seen[name] == 1 {
		t.f.warnings = append(t.f.warnings, fmt.Errorf("%s: %s", t.f.path, note))
	}
	return nil
}

// names checks the names of columns against those that the benchmark prints. Two or more blanks separate names; a
// name may contain one blank.
func (t *osuTable) names(text string, line int) error {
	t.columns = osuGaps.Split(strings.TrimPrefix(text, "# "), -1)
	if len(t.columns) < 2 {
		return t.f.errorf(line, "the columns of results are not named")
	}
	if t.now.pairs {
		return t.ofPairs(line)
	}
	m := osuUnit.FindStringSubmatch(t.columns[1])
	if m == nil || m[1] != t.now.unit {
		return t.f.errorf(line, "results of the OSU %s Test are in (%s), but the column is %q", t.now.title, t.now.unit, t.columns[1])
	}
	for _, name := range t.columns[2:] {
		if m := osuUnit.FindStringSubmatch(name); m != nil && m[1] != t.now.unit {
			return t.f.errorf(line, "mixed units: columns %q and %q", t.columns[1], name)
		}
	}
	return nil
}

// ofPairs checks the columns and the pairs of osu_mbw_mr, whose names of columns are units.
func (t *osuTable) ofPairs(line int) error {
	switch {
	case t.columns[1] != t.now.unit || len(t.columns) > 2 && t.columns[2] != "Messages/s":
		return t.f.errorf(line, "results of the OSU %s Test are MB/s and Messages/s, but the columns are %s", t.now.title, strings.Join(t.columns, ", "))
	case t.pairs == 0:
		return t.f.errorf(line, "no line \"# [ pairs: N ]\" says how many pairs of processes the results are of")
	case t.pairs > 1:
		t.f.warnings = append(t.f.warnings, fmt.Errorf("%s:%d: the results of %d pairs of processes are not used: g and G here are those of one pair", t.f.path, line, t.pairs))
	}
	return nil
}

func (t *osuTable) row(cells []string, line int) error {
	if len(cells) != len(t.columns) {
		return t.f.errorf(line, "%d values for the columns %s", len(cells), strings.Join(t.columns, ", "))
	}
	size, err := strconv.ParseInt(cells[0], 10, 64)
	if err != nil || size < 0 {
		return t.f.errorf(line, "%q is not a size in bytes", cells[0])
	}
	for i, name := range t.columns[1:] {
		if name == "Validation" {
			if cells[i+1] != "Pass" {
				return t.f.errorf(line, "the benchmark's own validation says %s", cells[i+1])
			}
			continue
		}
		if v, err := strconv.ParseFloat(cells[i+1], 64); err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			return t.f.errorf(line, "%s: %q is not a finite number of zero or more", name, cells[i+1])
		}
	}
	v, err := strconv.ParseFloat(cells[1], 64)
	if err != nil || v <= 0 {
		return t.f.errorf(line, "%s: %q is not above zero", t.columns[1], cells[1])
	}
	if t.pairs > 1 {
		return nil
	}
	return t.f.add(Timing{Point: packing.Point{Experiment: t.now.experiment, Bytes: unit.Bytes(size)}, Launch: t.launch,
		Time: unit.Seconds(t.now.time(float64(size), v))}, line)
}
