package store

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"spoor/traces/internal/outfile"
	"spoor/traces/trace"
)

// part is one of the two files of a trace.
type part struct {
	*file
	head   trace.Header
	byProc []procRows // sorted by processor, then by batch
	shared sharedBatches

	reading atomic.Int32 // number of running iterations
}

// procRows is the rows of one processor in a batch.
type procRows struct {
	batchInfo
	batch int
	from  int  // the first of the rows
	whole bool // the batch has no others
}

// openParts opens the files at path, by kind. It prefers the files with this prefix: a file
// with the same name may be the program that was traced.
func openParts(path string) (map[string]*part, error) {
	found := map[string]*part{}
	for kind, name := range partNames(path) {
		p, _, err := openPart(name, kind)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			for _, p := range found {
				p.close()
			}
			return nil, err
		}
		found[kind] = p
	}
	if len(found) > 0 {
		return found, nil
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return nil, missingError(path)
	}
	p, kind, err := openPart(path, suffixKind(path))
	if err != nil {
		return nil, err
	}
	found[kind] = p
	return found, nil
}

// partNames yields the kinds and names of the files with a prefix.
func partNames(prefix string) iter.Seq2[string, string] {
	return func(yield func(kind, name string) bool) {
		_ = yield(kindRefs, prefix+RefsSuffix) && yield(kindEvents, prefix+EventsSuffix)
	}
}

// suffixKind returns the kind of a file by its name, or "".
func suffixKind(path string) string {
	switch {
	case strings.HasSuffix(path, RefsSuffix):
		return kindRefs
	case strings.HasSuffix(path, EventsSuffix):
		return kindEvents
	}
	return ""
}

// missingError returns an error that names the files that were tried.
func missingError(path string) error {
	what := fmt.Sprintf("neither %s nor %s exists", path+RefsSuffix, path+EventsSuffix)
	if suffixKind(path) != "" || strings.HasSuffix(path, outfile.PartialSuffix) {
		what = "no such file"
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		what = "it is a directory, and " + what
	}
	advice := "; record a trace with tracegen, or import one with `traces import`"
	for _, name := range []string{path, path + RefsSuffix, path + EventsSuffix} {
		if _, err := os.Stat(name + outfile.PartialSuffix); err == nil {
			advice = fmt.Sprintf(", but %s does, from a running or killed command; `traces check --recover` saves the complete part",
				name+outfile.PartialSuffix)
			break
		}
	}
	return &notFoundError{path, what + advice}
}

// notFoundError is the error if no file of a trace exists.
type notFoundError struct{ path, what string }

func (e *notFoundError) Error() string { return fmt.Sprintf("reading %s: %s", e.path, e.what) }

// Unwrap lets errors.Is find fs.ErrNotExist.
func (e *notFoundError) Unwrap() error { return fs.ErrNotExist }

// openPart opens one file. It must have kind want, unless want is "".
func openPart(path, want string) (*part, string, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, "", err
	}
	p, kind, err := newPart(f, want)
	if err != nil {
		f.close()
		return nil, kind, readError(path, err)
	}
	return p, kind, nil
}

func newPart(f *file, want string) (*part, string, error) {
	kind, h, err := parseTraceSchema(f.schema)
	if err != nil {
		return nil, kind, err
	}
	if want != "" && kind != want {
		return nil, kind, fmt.Errorf("it holds %s, not %s", kind, want)
	}
	p := &part{file: f, head: h}
	if kind == kindRefs && slices.ContainsFunc(f.blocks, func(b batchBlock) bool { return b.parts != nil }) {
		return nil, kind, errors.New("a batch of references has several processors")
	}
	return p, kind, p.checkIndex()
}

// checkIndex checks the index against the header, and sorts it by processor.
func (p *part) checkIndex() error {
	for i := range p.blocks {
		from := 0
		for _, part := range p.blocks[i].each() {
			if int(part.proc) >= p.head.Procs {
				return fmt.Errorf("batch %d is of processor %d, but the header has %d processors", i, part.proc, p.head.Procs)
			}
			if part.instr > part.rows*math.MaxUint32 {
				return fmt.Errorf("batch %d has more instructions than its rows can hold", i)
			}
			p.byProc = append(p.byProc, procRows{part, i, from, p.blocks[i].parts == nil})
			from += int(part.rows)
		}
	}
	slices.SortStableFunc(p.byProc, func(a, b procRows) int { return int(a.proc) - int(b.proc) })
	return nil
}
