package outfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// StagingFolder is a subfolder for files until all of them are complete. The caller then moves them.
type StagingFolder struct {
	Path string
	lock *os.File // keeps other processes from writing there
}

// NewStagingFolder creates the empty folder dir/.partial. It removes the files of a killed run. It
// fails if another process is writing there.
func NewStagingFolder(dir string) (*StagingFolder, error) {
	path := filepath.Join(dir, PartialSuffix)
	record("+", path)
	for {
		f, err := lockFolder(path)
		if err != nil {
			record("-", path)
			return nil, WriteError(dir, err)
		}
		if f != nil {
			return f, nil
		}
	}
}

// lockFolder returns the folder at path, locked and empty, or nil if another process removed it in the meantime.
func lockFolder(path string) (*StagingFolder, error) {
	if err := os.Mkdir(path, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	lock, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !tryLock(lock) {
		lock.Close()
		return nil, ErrBusy
	}
	locked, err := lock.Stat()
	opened, openErr := os.Stat(path)
	if errors.Is(openErr, os.ErrNotExist) {
		openErr = nil
	}
	if err = errors.Join(err, openErr); err != nil || opened == nil || !os.SameFile(locked, opened) {
		lock.Close()
		return nil, err
	}
	f := &StagingFolder{path, lock}
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(path, e.Name())))
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return f, nil
}

// WriteFile creates the file called name in f, where it must not exist. Its contents are on the disk when WriteFile returns.
// The file needs no lock and no temporary name, because no other process uses the folder. Errors do not name the file.
func (f *StagingFolder) WriteFile(name string, fill func(io.Writer) error) error {
	file, err := os.OpenFile(filepath.Join(f.Path, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return WithoutPath(err)
	}
	if err := fillFile(file, fill); err != nil {
		file.Close()
		return WithoutPath(err)
	}
	return nil
}

// Publish moves the file called name out of the folder, to path. If path is a symbolic link, it replaces the file that
// the link leads to.
func (f *StagingFolder) Publish(name, path string) error {
	from := filepath.Join(f.Path, name)
	to, err := follow(path)
	if err != nil {
		return WriteError(path, err)
	}
	if !to.stream && os.Rename(from, to.path) == nil {
		return nil
	}
	return WriteFileAtomic(path, func(w io.Writer) error { // the link may lead to another file system
		file, err := os.Open(from)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(w, file)
		return err
	})
}

// Remove removes the folder with its contents, and releases the lock.
func (f *StagingFolder) Remove() error {
	err := errors.Join(os.RemoveAll(f.Path), f.lock.Close())
	record("-", f.Path)
	return err
}
