package format

import (
	"bytes"
	"fmt"
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
