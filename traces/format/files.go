package format

import (
	"context"
	"fmt"
	"io"
)

// Files holds the files of one import, in order. A file is opened only when it is
// needed, so that a trace of thousands of files keeps few of them open.
type Files struct {
	ctx   context.Context
	stdin io.Reader
	seen  func(n int)
	files []oneFile
}

type oneFile struct {
	path string
	in   *Input // nil until opened
	once bool   // an Input without a path, which can be read only once
}

// NewFiles lists the files at paths; "-" is standard input. If seen is not nil, other
// goroutines call it with the number of compressed bytes of every read.
func NewFiles(ctx context.Context, paths []string, stdin io.Reader, seen func(n int)) *Files {
	f := &Files{ctx: ctx, stdin: stdin, seen: seen}
	for _, p := range paths {
		f.Add(p)
	}
	return f
}

// FilesOf lists inputs that are already open.
func FilesOf(ins ...*Input) *Files {
	f := new(Files)
	for _, in := range ins {
		f.ctx = in.ctx
		f.files = append(f.files, oneFile{path: in.Name, in: in, once: true})
	}
	return f
}

// Len returns the number of files.
func (f *Files) Len() int { return len(f.files) }

// Path returns the path of file i.
func (f *Files) Path(i int) string { return f.files[i].path }

// Add appends a file and returns its number. It serves formats whose files name other
// files.
func (f *Files) Add(path string) int {
	f.files = append(f.files, oneFile{path: path})
	return len(f.files) - 1
}

// Open opens file i, or returns the Input of an earlier call, because a file can be
// parsed only once. Close the Input after parsing.
func (f *Files) Open(i int) (*Input, error) {
	file := &f.files[i]
	if file.in == nil {
		in, err := Open(f.ctx, file.path, f.stdin, f.seen)
		if err != nil {
			return nil, err
		}
		file.in = in
	}
	return file.in, nil
}

// Again opens file i for another pass besides that of Open. It does not count as
// progress. Standard input cannot be read again.
func (f *Files) Again(i int) (*Input, error) {
	if file := &f.files[i]; file.once || file.path == "-" {
		return nil, fmt.Errorf("%s: the input must be read twice; give it as a file", file.path)
	}
	return Open(f.ctx, f.files[i].path, f.stdin, nil)
}

// Head returns the start of file i. If Head opened the file, it closes it again.
func (f *Files) Head(i int) ([]byte, error) {
	if file := &f.files[i]; file.in != nil || file.path == "-" {
		in, err := f.Open(i)
		if err != nil {
			return nil, err
		}
		return in.Head()
	}
	in, err := f.Again(i)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.Head()
}

// One returns file i alone.
func (f *Files) One(i int) *Files {
	return &Files{ctx: f.ctx, stdin: f.stdin, seen: f.seen, files: f.files[i : i+1 : i+1]}
}

// SHA256s returns the hashes of the opened files as given, in order. They are valid
// when all of the files have been read.
func (f *Files) SHA256s() (sums []string) {
	for _, file := range f.files {
		if file.in != nil {
			sums = append(sums, file.in.SHA256())
		}
	}
	return sums
}

// Close releases all files.
func (f *Files) Close() {
	for _, file := range f.files {
		if file.in != nil {
			file.in.Close()
		}
	}
}

// importOne is Import of a MultiFileImporter.
func importOne(im MultiFileImporter, in *Input, o Options, sink Sink) (Result, error) {
	return im.ImportFiles(FilesOf(in), o, sink)
}

// ExpandFolder lists the files of the trace in a folder, and finds the format from the
// names of the files. im is the importer, or nil to try all of them.
func ExpandFolder(dir string, im Importer) ([]string, MultiFileImporter, error) {
	var found MultiFileImporter
	var files []string
	for _, f := range All {
		joint, ok := f.(MultiFileImporter)
		if !ok || im != nil && im.Name() != joint.Name() {
			continue
		}
		these, err := joint.Expand(dir)
		if err != nil {
			return nil, nil, err
		}
		if len(these) > 0 && found != nil {
			return nil, nil, fmt.Errorf("%s: the folder could be %s or %s; choose one with --from", dir, found.Name(), joint.Name())
		}
		if len(these) > 0 {
			found, files = joint, these
		}
	}
	if found == nil {
		return nil, nil, fmt.Errorf("%s: no trace of several files recognised in the folder; give the files themselves", dir)
	}
	return files, found, nil
}
