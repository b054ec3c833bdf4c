// Package chakra reads Chakra's execution traces of machine learning.
package chakra

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// Chakra is MLCommons' execution traces of machine learning: protocol buffers, one file
// NAME.RANK.et for each rank. A file is a graph of nodes: computation, messages,
// collectives, and their dependencies.
//
// Every node becomes an event. The events of a rank are in an order that obeys the
// dependencies; nodes that do not depend on each other keep the order of the file. Data
// dependencies become needs. Control dependencies do not, because they only name the
// node that called a node. Work is the recorded duration.
type Chakra struct{}

var (
	_ format.MultiFileImporter = Chakra{}
)

// Info describes the format.
func (Chakra) Info() format.Info {
	return format.Info{
		Name:     "chakra",
		Doc:      "Chakra execution traces of machine learning, a protobuf file NAME.RANK.et for each rank",
		Magic:    "none; guessed from a metadata message, then a message that can be a node",
		Use:      "traces import DIR -o PREFIX; DIR has NAME.0.et, NAME.1.et, ...",
		Work:     trace.WorkPicos,
		Settings: []format.Setting{{Name: "deps", Default: "data", Doc: "dependencies that count: data (as in Chakra's own feeder) or all (data and control)"}},
	}
}

// Sniff is Likely if the first message has only a version and attributes, and the
// second has the fields of a node.
func (Chakra) Sniff(head []byte) format.Verdict {
	size, n := input.MessageLength(head)
	if n <= 0 || size == 0 || size > uint64(len(head)-n) {
		return sniff.Foreign
	}
	var version []byte
	for rest := head[n : n+int(size)]; len(rest) > 0; {
		f, next, problem := input.NextField(rest)
		if problem != "" || f.Kind != protowire.BytesType || f.Number > 2 {
			return sniff.Foreign
		}
		if f.Number == 1 {
			version = f.Bytes
		}
		rest = next
	}
	if len(bytes.Trim(version, "0123456789.abcdefghijklmnopqrstuvwxyz-+")) != 0 {
		return sniff.Foreign
	}
	rest := head[n+int(size):]
	if size, n = input.MessageLength(rest); n <= 0 || size == 0 || size > uint64(len(rest)-n) {
		return sniff.Foreign
	}
	var node chakraNode
	if problem := node.read(rest[n : n+int(size)]); problem != "" || node.kind > chakraColl {
		return sniff.Foreign
	}
	return format.Verdict{Confidence: format.Likely, Why: fmt.Sprintf("metadata with version %s and a message that can be a node", input.Quote(version))}
}

// chakraFile matches the name of the file of a rank.
var chakraFile = regexp.MustCompile(`^(.*)\.([0-9]+)\.et(?:\.[a-z0-9]+)?$`)

// Expand lists the files NAME.RANK.et of a folder by rank.
func (Chakra) Expand(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	name := ""
	for _, e := range entries {
		m := chakraFile.FindStringSubmatch(e.Name())
		if m == nil || e.IsDir() {
			continue
		}
		if name != "" && name != m[1] {
			return nil, fmt.Errorf("%s: the folder has several traces, %s and %s; give the files of one", dir, input.Quote([]byte(name)), input.Quote([]byte(m[1])))
		}
		name = m[1]
		files = append(files, filepath.Join(dir, e.Name()))
	}
	slices.SortStableFunc(files, func(a, b string) int {
		rankA, _ := chakraRank(a)
		rankB, _ := chakraRank(b)
		return rankA - rankB
	})
	return files, nil
}

// chakraRank returns the rank in the name of a file.
func chakraRank(path string) (rank int, ok bool) {
	m := chakraFile.FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return 0, false
	}
	rank, err := strconv.Atoi(m[2])
	return rank, err == nil
}

// Import parses the file of one rank.
func (f Chakra) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	return format.ImportOne(f, in, o, sink)
}

// ImportFiles parses the files of all ranks.
func (f Chakra) ImportFiles(files *input.Files, o format.Options, sink format.Sink) (format.Result, error) {
	c := chakraImport{files: files, messages: emit.NewBinaryMessageWriter(files, o, sink), groups: map[string]int32{}}
	switch v := o.Setting(f, "deps"); v {
	case "data":
	case "all":
		c.control = true
	default:
		return format.Result{}, format.BadSetting("deps=%s: choose data or all", v)
	}
	order, err := c.ranks()
	if err != nil {
		return format.Result{}, err
	}
	for rank, i := range order {
		if err := c.file(i, trace.Proc(rank)); err != nil {
			return format.Result{}, err
		}
	}
	unmatched, err := c.messages.Finish(len(order))
	if err != nil {
		return format.Result{}, err
	}
	notes := append(c.notes(), unmatched...)
	if rank, ok := chakraRank(files.Path(0)); ok && rank > 0 && len(order) == 1 {
		notes = append(notes, fmt.Sprintf("only the file of rank %d, which is processor 0: its collectives have no other members", rank))
	}
	return format.Result{Procs: len(order), Lines: c.records, Notes: notes, Counts: c.counts()}, nil
}

// ranks returns the files in the order of the ranks in their names. If the names have
// no ranks, it returns the files in the order given.
func (c *chakraImport) ranks() ([]int, error) {
	order := make([]int, c.files.Len())
	for i := range order {
		order[i] = -1
	}
	for i := range order {
		rank, ok := chakraRank(c.files.Path(i))
		switch {
		case !ok || c.files.Len() == 1:
			rank = i
		case rank >= len(order):
			return nil, fmt.Errorf("%s: the file of rank %d, but there are %d files; give the files of all ranks from 0", c.files.Path(i), rank, len(order))
		}
		if order[rank] >= 0 {
			return nil, fmt.Errorf("%s and %s are both the file of rank %d", c.files.Path(order[rank]), c.files.Path(i), rank)
		}
		order[rank] = i
	}
	return order, nil
}
