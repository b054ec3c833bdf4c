// Package outfile writes the files that commands make: each appears complete or not at all. It also writes to devices, pipes and
// descriptors, keeps the files of a folder until all are complete, and records files that are not finished.
package outfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// PartialSuffix is the suffix of files that are being written.
const PartialSuffix = ".partial"

// previousSuffix is the suffix of a file that is kept until its replacement is complete.
const previousSuffix = ".previous"

// Suffixes of the two files of a trace. They alone are no name of a file.
const (
	RefsSuffix   = ".refs.arrow"
	EventsSuffix = ".events.arrow"
)

// WriteFileAtomic makes the file at path appear complete or not at all. It calls fill to
// write a temporary file, path.partial. When fill and every write have succeeded and the
// contents are on the disk, it renames that file to path. It overwrites the temporary file
// of a killed run. It fails if another process is writing the file. Errors name the file.
//
// If path is a symbolic link, the file that it leads to is replaced, and the link stays. If
// path is a device, a pipe or a descriptor, such as /dev/stdout, the complete contents are
// written to it.
func WriteFileAtomic(path string, fill func(io.Writer) error) error {
	return WriteVia(path, PartialSuffix, fill)
}

// WriteVia is WriteFileAtomic with another suffix of the temporary file.
func WriteVia(path, suffix string, fill func(io.Writer) error) (err error) {
	if to, err := follow(path); err == nil && to.stream && !to.mode.IsDir() {
		if err := to.write(fill); err != nil {
			return WriteError(path, err)
		}
		return nil
	}
	f, err := CreatePartial(path, suffix)
	if err != nil {
		return err
	}
	defer f.Release()
	defer func() {
		if err != nil {
			f.Close()
			_ = f.Remove()
			err = WriteError(path, err)
		}
	}()
	if err = fillFile(f.File, fill); err != nil {
		return err
	}
	return f.Rename()
}

// fillFile writes f, syncs it to the disk and closes it. After an error f is still open.
func fillFile(f *os.File, fill func(io.Writer) error) error {
	w := bufio.NewWriter(f)
	if err := fill(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// CheckWritable returns an error if WriteFileAtomic could not create the file at path. Commands
// call it before long work. It leaves no file behind.
func CheckWritable(path string) error {
	if to, err := follow(path); err == nil && to.stream && !to.mode.IsDir() {
		if err := to.check(); err != nil {
			return WriteError(path, err)
		}
		return nil
	}
	f, err := CreatePartial(path, PartialSuffix)
	if err != nil {
		return err
	}
	defer f.Release()
	f.Close()
	return f.Remove()
}

// PartialFile is a file that is being written under a temporary name.
type PartialFile struct {
	*os.File
	final string   // the path of the file when it is complete, which is no symbolic link
	lock  *os.File // keeps other processes from writing the file, or nil
}

// Rename gives the file its final name.
func (a *PartialFile) Rename() error {
	err := os.Rename(a.Name(), a.final)
	if err == nil {
		record("-", a.Name())
	}
	return err
}

// Remove removes the file under its temporary name.
func (a *PartialFile) Remove() error {
	err := os.Remove(a.Name())
	record("-", a.Name())
	return err
}

// Release releases the lock, after the file was renamed or removed.
func (a *PartialFile) Release() {
	if a.lock != nil {
		a.lock.Close()
	}
}

// partName returns the last element of path without the suffix of a trace, or "".
func partName(path string) string {
	if path == "" || os.IsPathSeparator(path[len(path)-1]) {
		return ""
	}
	base := filepath.Base(path)
	return strings.TrimSuffix(strings.TrimSuffix(base, RefsSuffix), EventsSuffix)
}

// HasFileName reports whether path, with or without the suffix of a trace, ends in a name. The
// path of a folder does not: with a suffix appended, it would be a hidden file in the folder.
func HasFileName(path string) bool {
	name := partName(path)
	return name != "" && name != "." && name != ".."
}

// CreatePartial creates the temporary file of path. It refuses to replace anything but a
// regular file: renaming over a device would destroy it.
func CreatePartial(path, suffix string) (*PartialFile, error) {
	if !HasFileName(path) {
		return nil, fmt.Errorf("writing %q: the name of the file is missing", path)
	}
	to, err := follow(path)
	if err != nil {
		return nil, WriteError(path, err)
	}
	if to.stream {
		return nil, fmt.Errorf("writing %s: it exists and is a %s", path, ModeName(to.mode))
	}
	record("+", to.path+suffix)
	for {
		a, err := openPartial(to.path + suffix)
		if err != nil {
			record("-", to.path+suffix)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("writing %s: %w; make the folder %s first", path, WithoutPath(err), filepath.Dir(to.path))
		}
		if err != nil {
			return nil, WriteError(path, err)
		}
		if a != nil {
			a.final = to.path
			return a, nil
		}
	}
}

// ErrBusy is the error of a file that another process has locked.
var ErrBusy = errors.New("another process is writing it; wait for that, or choose another name")

// openPartial opens the file at path, locked and empty. It returns nil if another process
// has renamed or removed the file in the meantime. It truncates the file only when it holds
// the lock, so that the contents are of a killed run.
func openPartial(path string) (_ *PartialFile, err error) {
	a := new(PartialFile)
	if a.lock, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	if !tryLock(a.lock) {
		a.Release()
		return nil, ErrBusy
	}
	if a.File, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		a.Release()
		return nil, err
	}
	locked, err := a.lock.Stat()
	opened, openErr := a.Stat()
	same := err == nil && openErr == nil && os.SameFile(locked, opened)
	if err = errors.Join(err, openErr); err == nil && same {
		err = a.Truncate(0)
	}
	if err != nil || !same {
		a.Close()
		a.Release()
		return nil, err
	}
	return a, nil
}

// WriteError returns an error that names the file that was being written, by its final name.
func WriteError(path string, err error) error {
	return fmt.Errorf("writing %s: %w", path, WithoutPath(err))
}

// WithoutPath returns err without operation and path, which the caller names.
func WithoutPath(err error) error {
	var p *os.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}

// RenameBoth gives two partial files their final names, or neither of them.
func RenameBoth(a, b *PartialFile) error {
	previous := a.final + previousSuffix
	os.Remove(previous)
	had := os.Link(a.final, previous) == nil
	if err := a.Rename(); err != nil {
		os.Remove(previous)
		return WriteError(a.final, err)
	}
	if err := b.Rename(); err != nil {
		if had {
			return errors.Join(WriteError(b.final, err), os.Rename(previous, a.final))
		}
		return errors.Join(WriteError(b.final, err), os.Remove(a.final))
	}
	if had {
		return os.Remove(previous)
	}
	return nil
}
