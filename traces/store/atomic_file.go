package store

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

// partialSuffix ends the names of files that are being written.
const partialSuffix = ".partial"

// previousSuffix ends the name under which a file survives until the one that
// replaces it is known to stay.
const previousSuffix = ".previous"

// WriteFileAtomic makes the file at path appear whole or not at all: fill writes it
// aside, and it is renamed when fill and every write succeeded and the contents
// are on the disk. What a killed run left aside is overwritten; what another
// process is writing is not. Errors say which file was being written.
func WriteFileAtomic(path string, fill func(io.Writer) error) error {
	return writeVia(path, partialSuffix, fill)
}

func writeVia(path, suffix string, fill func(io.Writer) error) (err error) {
	partial := path + suffix
	f, err := createPartial(path, suffix)
	if err != nil {
		return err
	}
	defer f.release()
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(partial)
			err = writeError(path, err)
		}
	}()
	if err = fillFile(f.File, fill); err != nil {
		return err
	}
	return os.Rename(partial, path)
}

// fillFile writes f, brings it to the disk and closes it if nothing fails.
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

// CheckWritable finds out whether WriteFile could make the file at path: for those who would
// otherwise learn it at the end of their work. It leaves nothing.
func CheckWritable(path string) error {
	f, err := createPartial(path, partialSuffix)
	if err != nil {
		return err
	}
	defer f.release()
	f.Close()
	return os.Remove(path + partialSuffix)
}

// partialFile is a file that is written under another name than its final one.
type partialFile struct {
	*os.File
	lock *os.File // held, so that no other process writes the file too, or nil
}

// release lets others write the file, after it was renamed or removed.
func (a *partialFile) release() {
	if a.lock != nil {
		a.lock.Close()
	}
}

// partName is the last element of path without the suffix of a trace, or "".
func partName(path string) string {
	if path == "" || os.IsPathSeparator(path[len(path)-1]) {
		return ""
	}
	base := filepath.Base(path)
	return strings.TrimSuffix(strings.TrimSuffix(base, RefsSuffix), EventsSuffix)
}

// HasFileName reports whether path, of a file or without its suffix, has a name in the end: a folder with a suffix behind it is a hidden file.
func HasFileName(path string) bool {
	name := partName(path)
	return name != "" && name != "." && name != ".."
}

// createPartial creates the file aside of path. It refuses to replace what is not a
// file: renaming over a device would destroy it.
func createPartial(path, suffix string) (*partialFile, error) {
	if !HasFileName(path) {
		return nil, fmt.Errorf("writing %q: the name of the file is missing", path)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("writing %s: it exists and is a %s", path, modeName(info.Mode()))
	}
	for {
		a, err := openPartial(path + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("writing %s: %w; make the folder %s first", path, withoutPath(err), filepath.Dir(path))
		}
		if err != nil {
			return nil, writeError(path, err)
		}
		if a != nil {
			return a, nil
		}
	}
}

var errBusy = errors.New("another process is writing it; wait for that, or choose another name")

// openPartial opens the empty file at path, locked, or nothing if another process
// renamed or removed it meanwhile. What is in it is only cut when it is known to be
// of a killed run.
func openPartial(path string) (_ *partialFile, err error) {
	a := new(partialFile)
	if a.lock, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	if !tryLock(a.lock) {
		a.release()
		return nil, errBusy
	}
	if a.File, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		a.release()
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
		a.release()
		return nil, err
	}
	return a, nil
}

// writeError says once which file was being written, by its final name.
func writeError(path string, err error) error {
	return fmt.Errorf("writing %s: %w", path, withoutPath(err))
}

// withoutPath is err without the operation and the path, which the caller names.
func withoutPath(err error) error {
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

// renameBoth makes two files that were written aside appear, or neither.
func renameBoth(a, b string) error {
	previous := a + previousSuffix
	os.Remove(previous)
	had := os.Link(a, previous) == nil
	if err := os.Rename(a+partialSuffix, a); err != nil {
		os.Remove(previous)
		return writeError(a, err)
	}
	if err := os.Rename(b+partialSuffix, b); err != nil {
		if had {
			return errors.Join(writeError(b, err), os.Rename(previous, a))
		}
		return errors.Join(writeError(b, err), os.Remove(a))
	}
	if had {
		return os.Remove(previous)
	}
	return nil
}
