package format

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"spoor/traces/trace"
)

// Paraver is the trace of BSC's Paraver, .prv: states, events and messages of the
// tasks of parallel applications, text sorted by time. Every task is a processor;
// those of further applications follow. Source: the parser of paraver-kernel, and for
// the events of MPI calls the merger of Extrae (types 50000001 to 50000003, whose
// value 0 leaves the call; 50100001 to 50100004, bytes sent and received, whether this
// is the root, and the communicator of a collective).
//
// A task computes where its first thread is in state 1 (running) and in no MPI call.
// A message is a Send and Recv, or an Isend or Irecv with their Wait, as the calls say
// in which its times lie; a message in no call is a Send and a Recv at its logical
// times. Messages have no communicator. Which call waits for an Isend is not recorded:
// it is the first that ends after the message has come. Where Spoor itself exported the
// trace, its own events (types 9100001 to 9100007) say all of this.
//
// Differs: Paraver warns about bad records and goes on; they are errors here.
type Paraver struct{}

var (
	_ Joint  = Paraver{}
	_ Shaped = Paraver{}
)

// Name is "paraver".
func (Paraver) Name() string { return "paraver" }

// Aliases are the other names of the format.
func (Paraver) Aliases() []string { return []string{"prv"} }

// Description says what the format is.
func (Paraver) Description() string { return "Paraver: states, MPI calls and messages, text (.prv)" }

// Magic says how the format is recognised.
func (Paraver) Magic() string { return `the first line begins with "#Paraver ("` }

var (
	prvMagic  = []byte("#Paraver (")
	prvNew    = []byte("new format")
	prvLabels = []string{".pcf", ".row"} // suffixes of the files beside a trace
)

// Sniff is Certain if the text begins with the header.
func (Paraver) Sniff(head []byte) Verdict {
	if bytes.HasPrefix(head, prvNew) {
		_, head, _ = bytes.Cut(head, newline)
	}
	if bytes.HasPrefix(head, prvMagic) {
		return Verdict{Certain, "the header of Paraver"}
	}
	return foreign
}

// Layout has times, and work in picoseconds.
func (Paraver) Layout(Options) Layout { return Layout{Time: true, Work: trace.WorkPicos} }

// Expand finds the one trace in a folder; its labels are found by its name.
func (Paraver) Expand(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.prv*"))
	if len(files) > 1 {
		return nil, fmt.Errorf("%s: the folder holds %d Paraver traces; name one", dir, len(files))
	}
	return files, err
}

// Import parses all of in.
func (f Paraver) Import(in *Input, o Options, sink Sink) (Result, error) {
	return importOne(f, in, o, sink)
}

// ImportFiles parses a trace. Its labels may be given with it, and are looked for
// beside it otherwise.
func (Paraver) ImportFiles(files *Files, o Options, sink Sink) (Result, error) {
	at, labels := -1, -1
	for i := range files.Len() {
		switch suffix := filepath.Ext(files.Path(i)); {
		case suffix == prvLabels[0] && labels < 0:
			labels = i
		case suffix == prvLabels[1]:
		case at >= 0:
			return Result{}, fmt.Errorf("%s: a Paraver trace is one file with its .pcf and .row; import each trace alone", files.Path(i))
		default:
			at = i
		}
	}
	if at < 0 {
		return Result{}, fmt.Errorf("%s: the labels of a Paraver trace without the trace; name its .prv", files.Path(0))
	}
	if labels < 0 {
		if path := prvBeside(files.Path(at)); path != "" {
			labels = files.Add(path)
		}
	}
	p := newPrvParser(files, at, o, sink)
	if labels >= 0 {
		in, err := files.Open(labels)
		if err != nil {
			return Result{}, err
		}
		defer in.Close()
		if err := p.calls.read(in); err != nil {
			return Result{}, err
		}
	}
	in, err := files.Open(at)
	if err != nil {
		return Result{}, err
	}
	defer in.Close()
	return p.run(in)
}

// prvBeside is the file of labels beside a trace, or "".
func prvBeside(path string) string {
	stem := path
	for range 2 { // run.prv, run.prv.gz
		if suffix := filepath.Ext(stem); suffix != "" {
			stem = strings.TrimSuffix(stem, suffix)
		}
		if _, err := os.Stat(stem + prvLabels[0]); err == nil && path != "-" && stem != "" {
			return stem + prvLabels[0]
		}
	}
	return ""
}

// prvHeader is what the first line says.
type prvHeader struct {
	end   int64      // duration, in the header's unit
	unit  int64      // ps
	apps  [][]uint64 // threads of each task of each application
	first []int32    // the rank that is task 1 of each application
	ranks int
	comms uint64 // communicators that follow
}

// prvUnits are the suffixes of the duration; without one times are in microseconds.
var prvUnits = []struct {
	suffix string
	picos  int64
}{{"_ns", 1e3}, {"_us", 1e6}, {"_ms", 1e9}, {"", 1e6}}

// parsePrvHeader reads "#Paraver (date):time:resources:applications:application..."
func parsePrvHeader(line []byte) (h prvHeader, problem string) {
	if !bytes.HasPrefix(line, prvMagic) {
		return h, `the file does not start with "#Paraver ("`
	}
	_, rest, ok := bytes.Cut(line, []byte("):")) // the date has colons
	if !ok {
		return h, "the date does not end"
	}
	field := func() (f []byte) {
		f, rest, _ = prvField(rest)
		return f
	}
	duration := field()
	for _, u := range prvUnits {
		if bytes.HasSuffix(duration, []byte(u.suffix)) {
			h.unit, duration = u.picos, bytes.TrimSuffix(duration, []byte(u.suffix))
			break
		}
	}
	v, problem := parseDecimal(duration)
	if problem != "" {
		return h, "the duration is " + problem
	}
	if v > uint64(math.MaxInt64/h.unit) {
		return h, "the duration exceeds 64 bits of picoseconds"
	}
	h.end = int64(v)
	if n, _, _ := bytes.Cut(field(), []byte("(")); len(n) > 0 {
		if _, problem := parseDecimal(n); problem != "" {
			return h, "the number of nodes is " + problem
		}
	}
	apps, problem := parseDecimal(field())
	if problem != "" || apps == 0 {
		return h, "the number of applications is " + max(problem, "0")
	}
	for i := range apps {
		if len(rest) == 0 {
			return h, fmt.Sprintf("the header promises %d applications and describes %d", apps, i)
		}
		if rest, problem = h.application(rest); problem != "" {
			return h, fmt.Sprintf("application %d: %s", i+1, problem)
		}
	}
	return h, h.tail(rest)
}

// tail reads what follows the applications: ",communicators", or nothing.
func (h *prvHeader) tail(rest []byte) (problem string) {
	rest = bytes.TrimRight(rest, blanks)
	if len(rest) == 0 {
		return ""
	}
	if rest[0] != ',' {
		return "text after the applications"
	}
	if h.comms, problem = parseDecimal(rest[1:]); problem != "" {
		return "the number of communicators is " + problem
	}
	return ""
}

// prvField cuts at the next colon outside of brackets, or where a comma outside of
// brackets begins the number of communicators.
func prvField(b []byte) (field, rest []byte, found bool) {
	depth := 0
	for i, c := range b {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ':' && depth <= 0:
			return b[:i], b[i+1:], true
		case c == ',' && depth <= 0:
			return b[:i], b[i:], true
		}
	}
	return b, nil, false
}

// application reads "tasks(threads:node,threads:node)".
func (h *prvHeader) application(b []byte) (rest []byte, problem string) {
	b, rest, _ = prvField(b)
	count, list, ok := bytes.Cut(b, []byte("("))
	n, problem := parseDecimal(count)
	if problem != "" {
		return rest, "the number of tasks is " + problem
	}
	if !ok || len(list) == 0 || list[len(list)-1] != ')' {
		return rest, "its tasks are not in brackets"
	}
	var tasks []uint64
	for task := range bytes.SplitSeq(list[:len(list)-1], []byte(",")) {
		threads, _, _ := bytes.Cut(task, []byte(":"))
		t, problem := parseDecimal(threads)
		if problem != "" || t == 0 || t > math.MaxInt32 {
			return rest, fmt.Sprintf("the number of threads of task %d is %s", len(tasks)+1, max(problem, "out of range"))
		}
		tasks = append(tasks, t)
	}
	if uint64(len(tasks)) != n {
		return rest, fmt.Sprintf("it has %d tasks, and %d are described", n, len(tasks))
	}
	h.first = append(h.first, int32(h.ranks))
	h.apps = append(h.apps, tasks)
	h.ranks += len(tasks)
	return rest, ""
}
