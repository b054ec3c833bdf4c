// Package otf2 reads archives of OTF2 and the text of otf2-print.
package otf2

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// OTF2Print is the text of otf2-print, the reader of the Open Trace Format 2 of
// Score-P, TAU and EZTrace. It has the events of all locations, merged by time. With -A
// or -G, definitions come first. They give the unit of time, the ranks and the
// communicators. Without them, locations are ranks.
//
// Work and times are in picoseconds, from the first event. A rank computes between
// leaving one MPI region and entering the next. Score-P records the bytes of a
// collective over all partners of a rank. Spoor counts the vector or block of the rank,
// so the importer divides by the size of the communicator.
//
// Differs: a process is one processor, whatever its threads do besides MPI.
type OTF2Print struct{}

// OTF2 is an archive of the Open Trace Format 2, given as its folder or as its anchor
// file. The importer runs otf2-print, which comes with the library of the format,
// because the records have no public description.
type OTF2 struct{}

var (
	_ format.Importer          = OTF2Print{}
	_ format.MultiFileImporter = OTF2{}
)

// Info describes the format.
func (OTF2Print) Info() format.Info {
	return format.Info{
		Name:     "otf2-print",
		Doc:      "OTF2 (Score-P): text of otf2-print -A",
		Magic:    "=== OTF2-PRINT ===",
		Use:      "otf2-print -A traces.otf2 > run.txt, then traces import run.txt -o PREFIX",
		Time:     true,
		Work:     trace.WorkPicos,
		Settings: []format.Setting{{Name: "ticks", Default: "", Doc: "ticks per second, if the text has no definitions (default 1000000000)"}},
	}
}

// Info describes the format.
func (OTF2) Info() format.Info {
	return format.Info{
		Name:  "otf2",
		Doc:   "OTF2 (Score-P): archive, read with otf2-print",
		Magic: "03 'B' 'OTF2' at the start of the anchor file",
		Use:   "traces import scorep-run/traces.otf2 -o PREFIX; otf2-print must be in PATH.",
		Time:  true,
		Work:  trace.WorkPicos,
	}
}

var otf2Banner = []byte("=== OTF2-PRINT ===")

// Sniff is Certain of the banner, which follows an empty line.
func (OTF2Print) Sniff(head []byte) format.Verdict {
	found := false
	sniff.SniffLines(head, 1, func(line []byte) bool {
		found = bytes.HasPrefix(line, otf2Banner)
		return true
	})
	if found {
		return format.Verdict{Confidence: format.Certain, Why: "the banner of otf2-print"}
	}
	return sniff.Foreign
}

// otf2Mark begins the anchor file; otf2Magic follows it.
var (
	otf2Mark  = []byte{3, 'B'}
	otf2Magic = []byte("OTF2")
)

// Sniff is Certain of the magic of an anchor file.
func (OTF2) Sniff(head []byte) format.Verdict {
	if bytes.HasPrefix(head, append(otf2Mark[:2:2], otf2Magic...)) {
		return format.Verdict{Confidence: format.Certain, Why: "the magic of an OTF2 anchor file"}
	}
	return sniff.Foreign
}

// Import parses all of in.
func (f OTF2Print) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	return importOTF2(in, o, o.Setting(f, "ticks"), sink)
}

func importOTF2(in *input.Input, o format.Options, ticks string, sink format.Sink) (format.Result, error) {
	p, err := newOTF2Parser(emit.NewTextMessageWriter(input.FilesOf(in), o, sink), ticks)
	if err != nil {
		return format.Result{}, err
	}
	if err := p.Lines(in, p.parse); err != nil {
		return format.Result{}, err
	}
	return p.finish()
}

// Expand finds the anchor file of the archive in a folder.
func (OTF2) Expand(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var anchors []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".otf2") && e.Type().IsRegular() {
			anchors = append(anchors, filepath.Join(dir, e.Name()))
		}
	}
	if len(anchors) > 1 {
		return nil, fmt.Errorf("%s: %d anchor files of OTF2 archives, such as %s; give one of them", dir, len(anchors), filepath.Base(anchors[0]))
	}
	return anchors, nil
}

// Import reads the archive whose anchor file is in.
func (f OTF2) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	return format.ImportOne(f, in, o, sink)
}

// ImportFiles reads the archive whose anchor file is the only file.
func (OTF2) ImportFiles(files *input.Files, o format.Options, sink format.Sink) (format.Result, error) {
	if files.Len() > 1 {
		return format.Result{}, fmt.Errorf("%s: %d anchor files given, but an OTF2 archive has one; import each separately", files.Path(1), files.Len())
	}
	if err := checkAnchor(files); err != nil {
		return format.Result{}, err
	}
	if err := identifyArchive(files); err != nil {
		return format.Result{}, err
	}
	return printArchive(files, func(in *input.Input) (format.Result, error) { return importOTF2(in, o, "", sink) })
}

// checkAnchor checks that the file is the anchor of an archive, and reads it to its
// end.
func checkAnchor(files *input.Files) error {
	in, err := files.Open(0)
	if err != nil {
		return err
	}
	defer in.Close()
	head, err := in.Head()
	if err != nil {
		return err
	}
	if len(head) == 0 {
		return in.Empty()
	}
	if in.Container != nil {
		return fmt.Errorf("%s: the anchor file is compressed, which otf2-print cannot read; decompress it", in.Name)
	}
	if !bytes.HasPrefix(head, otf2Mark) {
		return fmt.Errorf("%s: offset 0: %s is not the start of an OTF2 anchor file", in.Name, input.Quote(head[:min(len(head), 6)]))
	}
	if !bytes.HasPrefix(head[2:], otf2Magic) {
		return fmt.Errorf("%s: offset 2: the anchor magic is not OTF2: %s", in.Name, input.Quote(head[2:min(len(head), 6)]))
	}
	return drain(in)
}

// drain reads the rest of in, so that its hash is known.
func drain(in *input.Input) error {
	for _, err := range in.Blocks(func(b []byte) int { return len(b) }, input.BlockBytes) {
		if err != nil {
			return err
		}
	}
	return nil
}
