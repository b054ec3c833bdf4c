package input

import (
	"context"
	"fmt"
	"io"
)

// Files holds the files of one import, in order. A file is opened only when it is
// needed, so that a trace of thousands of files keeps few of them open.
type Files struct {
	Ctx   context.Context
	stdin io.Reader
	seen  func(n int)
	Files []oneFile
}

type oneFile struct {
	Path string
	In   *Input // nil until opened
	Once bool   // an Input without a path, which can be read only once
}

// NewFiles lists the files at paths; "-" is standard input. If seen is not nil, other
// goroutines call it with the number of compressed bytes of every read.
func NewFiles(ctx context.Context, paths []string, stdin io.Reader, seen func(n int)) *Files {
	f := &Files{Ctx: ctx, stdin: stdin, seen: seen}
	for _, p := range paths {
		f.Add(p)
	}
	return f
}

// FilesOf lists inputs that are already open.
func FilesOf(ins ...*Input) *Files {
	f := new(Files)
	for _, in := range ins {
		f.Ctx = in.ctx
		f.Files = append(f.Files, oneFile{Path: in.Name, In: in, Once: true})
	}
	return f
}

// Len returns the number of files.
func (f *Files) Len() int { return len(f.Files) }

// Path returns the path of file i.
func (f *Files) Path(i int) string { return f.Files[i].Path }

// Add appends a file and returns its number. It serves formats whose files name other
// files.
func (f *Files) Add(path string) int {
	f.Files = append(f.Files, oneFile{Path: path})
	return len(f.Files) - 1
}

// Open opens file i, or returns the Input of an earlier call, because a file can be
// parsed only once. Close the Input after parsing.
func (f *Files) Open(i int) (*Input, error) {
	file := &f.Files[i]
	if file.In == nil {
		in, err := Open(f.Ctx, file.Path, f.stdin, f.seen)
		if err != nil {
			return nil, err
		}
		file.In = in
	}
	return file.In, nil
}

// Again opens file i for another pass besides that of Open. It does not count as
// progress. Standard input cannot be read again.
func (f *Files) Again(i int) (*Input, error) {
	if file := &f.Files[i]; file.Once || file.Path == "-" {
		return nil, fmt.Errorf("%s: the input must be read twice; give it as a file", file.Path)
	}
	return Open(f.Ctx, f.Files[i].Path, f.stdin, nil)
}

// Head returns the start of file i. If Head opened the file, it closes it again.
func (f *Files) Head(i int) ([]byte, error) {
	if file := &f.Files[i]; file.In != nil || file.Path == "-" {
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
	return &Files{Ctx: f.Ctx, stdin: f.stdin, seen: f.seen, Files: f.Files[i : i+1 : i+1]}
}

// SHA256s returns the hashes of the opened files as given, in order. They are valid
// when all of the files have been read.
func (f *Files) SHA256s() (sums []string) {
	for _, file := range f.Files {
		if file.In != nil {
			sums = append(sums, file.In.SHA256())
		}
	}
	return sums
}

// Close releases all files.
func (f *Files) Close() {
	for _, file := range f.Files {
		if file.In != nil {
			file.In.Close()
		}
	}
}
