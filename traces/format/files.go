package format

import (
	"context"
	"fmt"
	"io"
)

// Files are the files of one import, in order. A file is opened when its turn
// comes, so that a trace of thousands of files holds few of them open.
type Files struct {
	ctx   context.Context
	stdin io.Reader
	seen  func(n int)
	files []oneFile
}

type oneFile struct {
	path string
	in   *Input // nil until it is opened
	once bool   // there is nothing at path
}

// NewFiles lists the files at paths, of which "-" is stdin. seen, if not nil, is
// called with the number of compressed bytes of every read, from other goroutines.
func NewFiles(ctx context.Context, paths []string, stdin io.Reader, seen func(n int)) *Files {
	f := &Files{ctx: ctx, stdin: stdin, seen: seen}
	for _, p := range paths {
		f.Add(p)
	}
	return f
}

// FilesOf lists inputs that are open already.
func FilesOf(ins ...*Input) *Files {
	f := new(Files)
	for _, in := range ins {
		f.ctx = in.ctx
		f.files = append(f.files, oneFile{path: in.Name, in: in, once: true})
	}
	return f
}

// Len is the number of files.
func (f *Files) Len() int { return len(f.files) }

// Path is the path of file i.
func (f *Files) Path(i int) string { return f.files[i].path }

// Add appends a file, for formats whose files name others, and returns its number.
func (f *Files) Add(path string) int {
	f.files = append(f.files, oneFile{path: path})
	return len(f.files) - 1
}

// Open opens file i, or returns the Input that an earlier call opened: a file can
// be parsed once. Close it when it is parsed.
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

// Again opens file i for another pass, besides the one of Open, and not counted as
// progress. Standard input cannot be read again.
func (f *Files) Again(i int) (*Input, error) {
	if file := &f.files[i]; file.once || file.path == "-" {
		return nil, fmt.Errorf("%s: this must be read twice; give it as a file", file.path)
	}
	return Open(f.ctx, f.files[i].path, f.stdin, nil)
}

// Head is the start of file i. A file whose turn has not come is closed again.
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

// One is file i alone.
func (f *Files) One(i int) *Files {
	return &Files{ctx: f.ctx, stdin: f.stdin, seen: f.seen, files: f.files[i : i+1 : i+1]}
}

// SHA256s identify the files that were opened, as given, in order. They are valid
// when all of them have been read.
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

// importOne is Import of a Joint format.
func importOne(im Joint, in *Input, o Options, sink Sink) (Result, error) {
	return im.ImportFiles(FilesOf(in), o, sink)
}

// ExpandFolder lists the files of the trace in a folder, and finds the format that
// knows it by the names of its files. im is the importer, or nil to ask all of them.
func ExpandFolder(dir string, im Importer) ([]string, Joint, error) {
	var found Joint
	var files []string
	for _, f := range All {
		joint, ok := f.(Joint)
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
		return nil, nil, fmt.Errorf("%s: the folder holds no trace of several files that is known by its names; name the files themselves", dir)
	}
	return files, found, nil
}
